// The review of drawn requests by somebody who did not write them: nearly all right, none told apart by form.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { likeLength } from '../../bench/ipr/like-length.js';
import { turnsOf } from '../../bench/ipr/person.js';
import { ROOT } from '../support/processes.js';

const FILE = join(ROOT, 'bench/ipr/review.md');
/** Distractors under every entry: five of the user and one of the assistant. */
const NEAREST = 6;

test('100 drawn requests were read: at least 95 right, none wrong, none told apart by form', () => {
  assert.ok(existsSync(FILE));
  const entries = readFileSync(FILE, 'utf8').split(/^## /m).slice(1);
  const verdicts = entries.map((entry) => /^verdict: (right|wrong|form)\b/m.exec(entry)?.[1]);
  assert.is(entries.length, 100);
  assert.ok(
    verdicts.every((verdict) => verdict !== undefined),
    'an entry has no verdict',
  );
  assert.ok(verdicts.filter((verdict) => verdict === 'right').length >= 95);
  assert.is(verdicts.filter((verdict) => verdict === 'wrong').length, 0);
  assert.is(verdicts.filter((verdict) => verdict === 'form').length, 0);
});

test('every entry shows a turn of like length beside each deciding turn of the user', () => {
  for (const entry of readFileSync(FILE, 'utf8').split(/^## /m).slice(1)) {
    const told = (mark: RegExp) => [...entry.matchAll(mark)].map(([, text]) => text ?? '');
    const others = told(/^- (?:near|of like length): \S+ User: (.*)$/gm);
    for (const deciding of told(/^- gold 2: \S+ User: (.*)$/gm))
      assert.ok(
        others.some((other) => likeLength(other, deciding)),
        `${entry.slice(0, 20)}: ${deciding}`,
      );
  }
});

test('the review is of requests that stand in the test split as they are now', () => {
  const requests = new Map(
    readCorpus('test').people.flatMap((person) =>
      person.requests.map(({ id, text }): [string, string] => [`${person.id}-${id}`, text]),
    ),
  );
  for (const entry of readFileSync(FILE, 'utf8').split(/^## /m).slice(1)) {
    const [, id = ''] = /^(\S+)/.exec(entry) ?? [];
    assert.ok(entry.includes(`**${requests.get(id)}**`), id);
  }
});

test('the turns it quotes stand in the test split as they are now', () => {
  const turns = new Map(
    readCorpus('test').people.map((person) => [
      person.id,
      new Set(turnsOf(person).map(({ id, by, text }) => `${id} ${by}: ${text}`)),
    ]),
  );
  for (const entry of readFileSync(FILE, 'utf8').split(/^## /m).slice(1)) {
    const [heading = '', person = ''] = /^(\w-\d+)-r\d+/.exec(entry) ?? [];
    const quoted = [...entry.matchAll(/^- (?:gold [12]|near|of like length): (.*)$/gm)];
    assert.ok(quoted.length > NEAREST, heading);
    for (const [, turn = ''] of quoted) assert.ok(turns.get(person)?.has(turn), `${heading}: ${turn}`);
  }
});

test.run();
