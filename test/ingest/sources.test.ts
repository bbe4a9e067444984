// Files of every format: what they hold is read, what is broken in them is named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OntomemError } from '../../src/errors.js';
import { parseSessionDate, readLocomo, splitEvidence } from '../../src/ingest/sources/locomo.js';
import { openSource, type SourceFormat } from '../../src/ingest/sources/read-source.js';
import type { SourceBatch } from '../../src/ingest/sources/source.js';

const test = suite('sources');
const DEFAULTS = { scope: { tenant: 't', user: 'u' }, session: 's' };
let folder = '';

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'ontomem-sources-'));
});
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function read(path: string, format?: SourceFormat): Promise<SourceBatch[]> {
  const batches: SourceBatch[] = [];
  for await (const batch of (await openSource(path, DEFAULTS, format)).batches()) batches.push(batch);
  return batches;
}

async function failure(path: string, format?: SourceFormat): Promise<OntomemError> {
  try {
    await read(path, format);
  } catch (error) {
    if (error instanceof OntomemError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

const SAMPLE = {
  sample_id: 'c1',
  conversation: {
    speaker_a: 'Ada',
    speaker_b: 'Bo',
    session_2_date_time: '12:05 am on 1 June, 2023',
    session_2: [{ speaker: 'Bo', dia_id: 'D2:1', text: ' Look! ', blip_caption: 'a red kite' }],
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [
      { speaker: 'Ada', dia_id: 'D1:1', text: 'Hi' },
      { speaker: 'Bo', dia_id: 'D1:2', text: 'Hello' },
    ],
    session_3_date_time: '9:00 am on 2 July, 2023',
  },
  qa: [{ question: 'What flew?', answer: 3, evidence: ['D2:1; D9:9', 'D'], category: 4 }],
};

test('LoCoMo: sessions in their order, dates and captions kept, evidence cleaned', async () => {
  const [conversation] = readLocomo([SAMPLE], 'f.json');
  assert.equal(
    conversation?.sessions.map(({ session }) => session),
    ['session_1', 'session_2'],
  );
  assert.equal(conversation?.sessions[1]?.turns[0], {
    id: 'D2:1',
    speaker: 'Bo',
    text: 'Look!',
    caption: 'a red kite',
    at: Date.UTC(2023, 5, 1, 0, 5),
  });
  assert.equal(conversation?.questions[0], {
    text: 'What flew?',
    category: 4,
    evidence: ['D2:1'],
    dropped: ['D2:1; D9:9', 'D'],
  });
  const batches = await read(file('l.json', [SAMPLE]));
  assert.equal(
    batches.map(({ scope, turns }) => [scope.user, turns.length]),
    [
      ['c1', 2],
      ['c1', 1],
    ],
  );
});

test('LoCoMo: evidence in every dirty form the public file has', () => {
  const ids = new Set(['D8:6', 'D9:17', 'D9:1', 'D4:4', 'D4:6', 'D30:5']);
  const clean = (...entries: string[]) => splitEvidence(entries, ids).evidence;
  assert.equal(clean('D8:6; D9:17'), ['D8:6', 'D9:17']);
  assert.equal(clean('D9:1 D4:4 D4:6'), ['D9:1', 'D4:4', 'D4:6']);
  assert.equal(clean('D30:05'), []);
  assert.equal(clean('D', 'D:11:26', 'D10:19', ''), []);
  assert.equal(clean('D8:6', 'D8:6'), ['D8:6']);
});

test('LoCoMo: noon, midnight and nonsense', () => {
  assert.is(parseSessionDate('12:00 pm on 3 March, 2024', 'f'), Date.UTC(2024, 2, 3, 12));
  assert.is(parseSessionDate('12:30 am on 3 March 2024', 'f'), Date.UTC(2024, 2, 3, 0, 30));
  assert.throws(
    () => parseSessionDate('half past two', 'f'),
    (error: OntomemError) => error.code === 'DATE_INVALID',
  );
});

test('LoCoMo: a question whose evidence is no list is named', async () => {
  const broken = structuredClone(SAMPLE) as unknown as { qa: Array<{ evidence: unknown }> };
  if (broken.qa[0] !== undefined) broken.qa[0].evidence = { D1: 1 };
  const error = await failure(file('b.json', [broken]), 'locomo');
  assert.is(error.code, 'SOURCE_INVALID');
  assert.match(error.input, /b\.json\[0\]\.qa\[0\]\.evidence$/);
});

test('chat text: no separator inside a line puts its words in the mouth of who spoke before', async () => {
  for (const odd of ['\u2028', '\u2029', '\r', '\u0085', '\v']) {
    const [batch] = await read(file('odd.txt', `Ada: hello\nBo: one${odd}two\n`));
    assert.equal(
      batch?.turns.map(({ speaker, text }) => [speaker, text]),
      [
        ['Ada', 'hello'],
        ['Bo', `one${odd}two`],
      ],
    );
  }
});

test('chat text: in a file without newlines, returns end the lines', async () => {
  const [batch] = await read(file('old.txt', 'Ada: hello\rBo: one\rand two\r'));
  assert.equal(
    batch?.turns.map(({ speaker, text }) => [speaker, text]),
    [
      ['Ada', 'hello'],
      ['Bo', 'one\nand two'],
    ],
  );
});

test('chat text: names, continued lines, dates in brackets, stable ids', async () => {
  const text = '\uFEFFAda: hello\n\nstill me\n[2024-03-02 18:00] Bo: time: 6 pm\r\nAda: hello\n';
  const path = file('chat.txt', text);
  const [batch] = await read(path);
  assert.equal(
    batch?.turns.map(({ speaker, text: said, at }) => [speaker, said, at]),
    [
      ['Ada', 'hello\n\nstill me', undefined],
      ['Bo', 'time: 6 pm', '2024-03-02 18:00'],
      ['Ada', 'hello', undefined],
    ],
  );
  assert.equal(
    (await read(path))[0]?.turns.map(({ id }) => id),
    batch?.turns.map(({ id }) => id),
  );
  assert.is(new Set(batch?.turns.map(({ id }) => id)).size, 3);
  assert.is((await failure(file('x.txt', 'no name here'))).code, 'SOURCE_INVALID');
});

test('JSONL: lines name their own scope and session, an error names file and line', async () => {
  const lines = [
    { speaker: 'a', text: '1' },
    { speaker: 'a', text: '2', session: 'other' },
    { speaker: 'a', text: '3', user: 'v', id: 'given' },
  ];
  const batches = await read(file('t.jsonl', `${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`));
  assert.equal(
    batches.map(({ scope, session, turns }) => [scope.user, session, turns.length]),
    [
      ['u', 's', 1],
      ['u', 'other', 1],
      ['v', 's', 1],
    ],
  );
  assert.is(batches[2]?.turns[0]?.id, 'given');
  const error = await failure(file('e.jsonl', '{"speaker":"a","text":"1"}\n{"speaker":"a"}\n'));
  assert.is(error.code, 'SOURCE_INVALID');
  assert.match(error.input, /e\.jsonl:2\.text$/);
});

test('ChatGPT export: the shown branch, people only, with their times', async () => {
  const message = (role: string, text: string, time: number | null) => ({
    author: { role },
    content: { content_type: 'text', parts: [text, { image: 1 }] },
    create_time: time,
  });
  const conversation = {
    conversation_id: 'k',
    create_time: 50,
    current_node: 'd',
    mapping: {
      a: { message: null, children: ['b'] },
      b: { message: message('system', 'be nice', 1), parent: 'a' },
      c: { message: message('user', 'I own a loom', 100.5), parent: 'b' },
      other: { message: message('user', 'a branch not shown', 2), parent: 'b' },
      d: { message: message('assistant', 'What do you weave?', null), parent: 'c' },
    },
  };
  const [batch] = await read(file('conversations.json', [conversation]));
  assert.is(batch?.session, 'k');
  assert.equal(batch?.turns, [
    { id: 'c', speaker: 'user', text: 'I own a loom', at: 100_500 },
    { id: 'd', speaker: 'assistant', text: 'What do you weave?', at: 50_000 },
  ]);
});

test('a cut JSON file, a missing one and an unknown one are told apart', async () => {
  const whole = JSON.stringify([SAMPLE]);
  assert.is((await failure(file('cut.json', whole.slice(0, whole.length / 2)))).code, 'SOURCE_TRUNCATED');
  assert.is((await failure(file('cut.json', ''))).code, 'SOURCE_TRUNCATED');
  assert.is((await failure(join(folder, 'absent.json'))).code, 'NOT_FOUND');
  assert.is((await failure(file('u.json', [{ hello: 1 }]))).code, 'SOURCE_INVALID');
  assert.is((await failure(file('w.json', '{nonsense'))).code, 'SOURCE_INVALID');
});

test.run();
