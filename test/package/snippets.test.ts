// What the README shows is run, word for word: TypeScript against the packed package, shell with its command.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTinyModel } from '../encode/tiny-bert.js';
import { compile, type Installed, installPackage } from '../support/installed-package.js';
import { ROOT, run, runNode } from '../support/processes.js';

const test = suite('README snippets');

interface Snippet {
  language: string;
  code: string;
}

const snippets: readonly Snippet[] = [
  ...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms),
].map(([, language = '', code = '']) => ({ language, code }));
const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;
const typescript = snippets.filter(({ language }) => language === 'ts');
const shell = snippets.filter(({ language }) => language === 'sh');
const ofClone = shell.filter(({ code }) => code.startsWith('npm '));
const ofPackage = shell.filter((snippet) => !ofClone.includes(snippet));

let place: Installed;
/** The model cache is the test's own. */
const environment = () => ({ ONTOMEM_CACHE: join(place.project, 'cache'), npm_config_offline: 'true' });

test.before(async () => {
  place = await installPackage();
});

test('every block is one of those that are run here', () => {
  const known = [...typescript, ...ofClone, ...ofPackage];
  assert.equal(
    snippets.filter((snippet) => !known.includes(snippet)),
    [],
  );
  assert.ok(typescript.length > 0 && ofClone.length > 0 && ofPackage.length > 0);
});

for (const [number, { code }] of typescript.entries()) {
  test(`TypeScript ${number + 1} compiles, runs and prints what it is about`, async () => {
    const name = `readme-${number}`;
    const compiled = await compile(place, `${name}.ts`, code);
    assert.is(compiled.code, 0, compiled.stdout);
    const {
      code: status,
      stdout,
      stderr,
    } = await runNode(join(place.project, `${name}.js`), [], {
      cwd: place.project,
      env: environment(),
    });
    assert.is(status, 0, stderr);
    assert.match(stdout, /^0\.\d+ .* Ada I put on Titanic again/m);
  });
}

for (const [number, { code }] of ofPackage.entries()) {
  test(`shell ${number + 1} runs line by line`, async () => {
    const folder = join(place.project, `shell-${number}`);
    mkdirSync(folder);
    // What the reader has at hand: a chat, and a turn with an id of its own.
    writeFileSync(join(folder, 'chat.txt'), 'Ada: I eat plums all day.\nBo: And I like pears.\n');
    const turn = {
      id: 'D1:3',
      session: 'old',
      speaker: 'Ada',
      text: 'My cat is called Minou.',
      at: '2024-03-02',
    };
    writeFileSync(join(folder, 'old.jsonl'), `${JSON.stringify(turn)}\n`);
    mkdirSync(join(folder, 'e5-small-v2'));
    makeTinyModel(join(folder, 'e5-small-v2'), { seed: 5 });
    const given = await run('npx', ['ontomem', 'ingest', 'old.jsonl', '--user', 'ada'], {
      cwd: folder,
      env: environment(),
    });
    assert.is(given.code, 0, given.stderr);
    const outputs: string[] = [];
    for (const line of code.split('\n').filter((text) => text.trim() !== '')) {
      const {
        code: status,
        stdout,
        stderr,
      } = await run('sh', ['-c', line], { cwd: folder, env: environment() });
      assert.is(status, 0, `${line}\n${stdout}${stderr}`);
      outputs.push(stdout);
    }
    assert.match(outputs.join(), /plums/, 'the recall finds what was ingested');
  });
}

for (const { code } of ofClone) {
  test('what is typed in a clone names scripts that are there', () => {
    const lines = code.split('\n').filter((line) => line.trim() !== '');
    for (const line of lines) {
      const [, name = ''] = /^npm (?:run (?:-s )?)?([\w:]+)/.exec(line) ?? [];
      assert.ok(name in scripts, line);
    }
  });
}

test.run();
