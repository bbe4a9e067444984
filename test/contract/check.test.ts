// The border: what a user hands over is accepted or refused with an error that names it.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { check, checkMoment, checkText } from '../../src/contract/check.js';
import { scopeSchema } from '../../src/contract/schemas.js';
import { ERROR_TABLE, OntomemError } from '../../src/errors.js';

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof OntomemError) return error.code;
    throw error;
  }
  return 'no error';
}

test('a scope is two non-empty well-formed strings and nothing else', () => {
  assert.equal(check(scopeSchema, { tenant: 'а', user: '漢字 %_*' }, 'scope'), {
    tenant: 'а',
    user: '漢字 %_*',
  });
  const bad: unknown[] = [
    undefined,
    null,
    'tenant/user',
    [],
    {},
    { tenant: 't' },
    { tenant: '', user: 'u' },
    { tenant: 't', user: 7 },
    { tenant: 't', user: 'u\ud800' },
    { tenant: 't', user: 'x'.repeat(513) },
    { tenant: 't', user: 'u', extra: 1 },
  ];
  for (const value of bad)
    assert.is(
      codeOf(() => check(scopeSchema, value, 'scope')),
      'SCOPE_INVALID',
      JSON.stringify(value),
    );
});

test('an error message names the input, the problem and the cure', () => {
  try {
    check(scopeSchema, { tenant: 't', user: '' }, 'scope');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, OntomemError);
    const { message, input, cure, status } = error as OntomemError;
    assert.is(input, 'scope.user');
    assert.is(status, 400);
    assert.ok(message.startsWith('scope.user: ') && message.endsWith(cure), message);
  }
});

test('every error of the table has a cure and an HTTP status', () => {
  for (const [code, { status, cure }] of Object.entries(ERROR_TABLE)) {
    assert.ok(status >= 400 && status < 600, code);
    assert.ok(cure.length > 10, code);
  }
});

test('moments: ISO 8601, Date and milliseconds; nothing that merely looks like a date', () => {
  assert.is(checkMoment('2024-02-29', 'at'), Date.UTC(2024, 1, 29));
  assert.is(checkMoment('2024-05-08T13:56:00+02:00', 'at'), Date.UTC(2024, 4, 8, 11, 56));
  assert.is(checkMoment('2024-05-08 13:56', 'at'), Date.UTC(2024, 4, 8, 13, 56));
  assert.is(checkMoment(new Date(5), 'at'), 5);
  assert.is(checkMoment(-1.5, 'at'), -1);
  for (const bad of [
    '',
    'yesterday',
    'foo 1',
    '1',
    '2023-02-29',
    '2024-02-30T10:00:00Z',
    '2024-13-01',
    Number.NaN,
    1e18,
    new Date('x'),
  ]) {
    assert.is(
      codeOf(() => checkMoment(bad, 'at')),
      'DATE_INVALID',
      String(bad),
    );
  }
});

test('a moment survives being written out and read again', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (date) => checkMoment(date.toISOString(), 'at') === date.getTime(),
    ),
  );
});

test('text: the limit counts UTF-8 bytes, lone surrogates are refused wherever they stand', () => {
  assert.is(checkText('é', 'text', 2), 'é');
  assert.is(
    codeOf(() => checkText('éa', 'text', 2)),
    'TEXT_TOO_LONG',
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      (before, after, unit) => {
        const broken = `${before} ${String.fromCharCode(unit)} ${after}`;
        assert.is(
          codeOf(() => checkText(broken, 'text', 1e6)),
          'TEXT_INVALID',
        );
      },
    ),
  );
});

test.run();
