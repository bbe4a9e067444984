// Whatever way the bytes come in: pipes that can be read once, odd line ends, lines without an end.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linesOf } from '../../src/ingest/sources/file-lines.js';
import { openSource } from '../../src/ingest/sources/read-source.js';
import { makeTinyModel } from '../encode/tiny-bert.js';
import { all, failure } from '../support/expecting.js';
import { CLI, run, runCli } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('input');
const folder = temporaryFolder('input');
const model = join(folder, 'tiny-bert');
mkdirSync(model);
makeTinyModel(model);
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const env = { ONTOMEM_ENCODER: model, ONTOMEM_CACHE: join(folder, 'cache'), TMPDIR: temporary };
/** A separator that JSON leaves as it is and Node 24's readline takes for a line's end. */
const ODD = 'one\u2028two\u2029three\u0085four\rfive';
const LINES = [
  { speaker: 'Ada', text: ODD },
  { speaker: 'Bo', text: 'the cat', meta: { note: ODD } },
];
const jsonl = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
const file = join(folder, 'chat.jsonl');
writeFileSync(file, jsonl);
let stores = 0;
const newStore = () => join(folder, `store${stores++}`);

async function textsOf(store: string): Promise<string[]> {
  const { stdout } = await runCli(['turns', '--store', store, '--json'], { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { text: string }).text);
}

test('a pipe, a FIFO and /dev/stdin are read whole, though they can be read once', async () => {
  const fifo = join(folder, 'fifo');
  const shell = (command: string) =>
    run('bash', ['-c', command, 'bash', process.execPath, CLI, file, fifo], { env });
  const ways = (store: string) => [
    `"$1" "$2" ingest <(cat "$3") --store ${store}`,
    `cat "$3" | "$1" "$2" ingest /dev/stdin --store ${store}`,
    `cat "$3" | "$1" "$2" ingest - --store ${store}`,
    `mkfifo "$4"; cat "$3" > "$4" & "$1" "$2" ingest "$4" --store ${store}`,
  ];
  for (const place of ways('').keys()) {
    const store = newStore();
    const { code, stdout, stderr } = await shell(ways(store)[place] ?? '');
    assert.is(code, 0, stderr);
    assert.match(stdout, /^2 turns stored/);
    assert.equal((await textsOf(store)).sort(), LINES.map(({ text }) => text).sort());
  }
  assert.equal(readdirSync(temporary), [], 'nothing of the conversation stays behind');
});

test('a FIFO is of the format that its name says', async () => {
  const fifo = join(folder, 'talk.txt');
  const store = newStore();
  const command = `mkfifo "$3"; printf 'Ada: the cat\\nBo: the sofa\\n' > "$3" & "$1" "$2" ingest "$3" --store ${store}`;
  const { code, stderr } = await run('bash', ['-c', command, 'bash', process.execPath, CLI, fifo], { env });
  assert.is(code, 0, stderr);
  assert.equal((await textsOf(store)).sort(), ['the cat', 'the sofa']);
});

if (process.platform === 'linux') {
  test('a file of the system that has no end is refused', async () => {
    const error = await failure('SOURCE_INVALID', () =>
      openSource('/proc/self/pagemap', { scope: { tenant: 't', user: 'u' }, session: 's' }),
    );
    assert.match(error.message, /more than the \d+ bytes/);
  });
}

test('what a pipe says wrongly is named by the word on the command line', async () => {
  const { code, stderr } = await runCli(['ingest', '-', '--store', newStore()], {
    input: `${jsonl}{"speaker":`,
    env,
  });
  assert.is(code, 2);
  assert.match(stderr, /stdin:3/);
});

test('an export with U+2028 in it comes back, from a file and from stdin', async () => {
  const [store, copy, third] = [newStore(), newStore(), newStore()];
  await runCli(['ingest', file, '--store', store], { env });
  const archive = join(folder, 'archive.jsonl');
  assert.is((await runCli(['export', archive, '--store', store], { env })).code, 0);
  const { stdout } = await runCli(['export', '--store', store], { env });
  assert.is((await runCli(['import', archive, '--store', copy], { env })).code, 0);
  assert.is((await runCli(['import', '-', '--store', third], { env, input: stdout })).code, 0);
  for (const each of [copy, third]) assert.equal(await textsOf(each), await textsOf(store));
});

test('an export to a path that cannot be is a typed error in one line', async () => {
  const store = newStore();
  await runCli(['ingest', file, '--store', store], { env });
  for (const target of [join(folder, 'none', 'x.jsonl'), folder]) {
    const { code, stderr } = await runCli(['export', target, '--store', store], { env });
    assert.is(code, 1);
    assert.match(stderr, /\[STORE_UNWRITABLE\]\n$/);
  }
});

test('a date that is none is refused, also of a user who is not there', async () => {
  const store = newStore();
  await runCli(['ingest', file, '--store', store], { env });
  const { code, stderr } = await runCli(
    ['turns', '--store', store, '--user', 'nobody', '--from', '2024-02-30'],
    { env },
  );
  assert.is(code, 2);
  assert.match(stderr, /2024-02-30/);
});

test('lines end at newline bytes alone, wherever the stream is cut', async () => {
  const bytes = Buffer.from(`\uFEFFa\u2028b\r\n\n日本\u2029\r\rlast`);
  const expected = ['a\u2028b', '', '日本\u2029\r\rlast'];
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    assert.equal(await all(linesOf(streamOf(pieces), 'file')), expected, `pieces of ${size}`);
  }
});

async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

test('a line of 700 MB is an error before it is in memory', async () => {
  let given = 0;
  const piece = Buffer.alloc(1 << 20, 'x');
  const endless = function* () {
    for (; given < 700; given++) yield piece;
  };
  const error = await failure('SOURCE_INVALID', () => all(linesOf(streamOf(endless()), 'huge.jsonl')));
  assert.match(error.input, /^huge\.jsonl:1$/);
  assert.ok(given < 70, `${given} MB were read`);
});

test.run();
