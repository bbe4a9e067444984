// A file that stops anywhere in its middle is told apart from one that is wrong.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileLines } from '../../src/ingest/sources/file-lines.js';
import { readJsonFile } from '../../src/ingest/sources/read-source.js';
import { all, failure } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('cut files');
const folder = temporaryFolder('cut');

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('every beginning of a JSON file is SOURCE_TRUNCATED', async () => {
  const document = [
    { text: 'a \u00e9 "quoted" \\ \n', n: [-1.5e3, true, null, { deep: [] }] },
    { more: false },
  ];
  const whole = JSON.stringify(document, undefined, 1);
  assert.equal(readJsonFile(file('whole.json', whole)), document);
  for (let length = 0; length < whole.length; length++) {
    const path = file('cut.json', whole.slice(0, length));
    await failure('SOURCE_TRUNCATED', () => readJsonFile(path)).catch((error) => {
      throw new Error(`${JSON.stringify(whole.slice(0, length))}: ${error}`);
    });
  }
});

test('JSON that is wrong in its middle is SOURCE_INVALID', async () => {
  for (const content of ['[1, 2,, 3]', '{"a" 1}', '[1] trailing', '{nonsense}', '[1}', "['a']", '\u0000']) {
    await failure('SOURCE_INVALID', () => readJsonFile(file('wrong.json', content)));
  }
});

test('lines of a file: any line end, any length, none lost however slowly they are taken', async () => {
  const long = 'ü'.repeat(200_000);
  const content = `first\r\n\n${long}\nlast without an end`;
  const expected = ['first', '', long, 'last without an end'];
  assert.equal(await all(fileLines(file('lines', content))), expected);
  const taken: string[] = [];
  const lines = fileLines(file('slow', content));
  await new Promise((done) => setTimeout(done, 20));
  for await (const line of lines) {
    await new Promise((done) => setTimeout(done, 5));
    taken.push(line);
  }
  assert.equal(taken, expected);
  assert.equal(await all(fileLines(file('empty', ''))), []);
  assert.equal(await all(fileLines(file('ended', 'a\nb\n'))), ['a', 'b']);
});

test('a file that is absent, or a folder, is a typed error', async () => {
  await failure('NOT_FOUND', () => all(fileLines(join(folder, 'absent'))));
  await failure('SOURCE_INVALID', () => all(fileLines(folder)));
  await failure('NOT_FOUND', () => readJsonFile(join(folder, 'absent.json')));
});

test.run();
