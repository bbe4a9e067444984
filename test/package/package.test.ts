// What npm would publish: packed, put into another project, imported, typed and run there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as ontomem from '../../src/index.js';
import { compile, type Installed, installPackage } from '../support/installed-package.js';
import { runNode } from '../support/processes.js';

const test = suite('package');
let place: Installed;
let project = '';
let installed = '';

test.before(async () => {
  place = await installPackage();
  ({ project, installed } = place);
});

test('the package holds the library, its schemas and the sources of its addon, and no tests or data', () => {
  const needed = [
    'dist/src/index.js',
    'dist/src/index.d.ts',
    'dist/src/cli/main.js',
    'src/contract/store.proto',
    'CMakeLists.txt',
    'binding.gyp',
    'scripts/install-addon.mjs',
    'scripts/build-addon.mjs',
    'native/sources.json',
  ];
  const named = readFileSync(join(installed, 'native/sources.json'), 'utf8').match(/[\w/.-]+\.(?:cpp|cu)\b/g);
  assert.ok((named ?? []).length > 10, 'the list names the sources of the addon');
  for (const path of [...needed, ...(named ?? [])]) assert.ok(existsSync(join(installed, path)), path);
  for (const path of ['test', 'bench', 'dist/test', '.ci']) {
    assert.not.ok(existsSync(join(installed, path)), path);
  }
  const top = readdirSync(installed).filter((name) => name !== 'build');
  assert.ok(!top.some((name) => name.startsWith('.')), top.join());
});

test("import { openMemory } from 'ontomem' observes and recalls in another project", async () => {
  const script = join(project, 'service.mjs');
  writeFileSync(
    script,
    `import { openMemory, OntomemError } from 'ontomem';
const memory = await openMemory({ path: './memory' });
const scope = { tenant: 'shop', user: 'u1' };
await memory.observe({ scope, turns: [
  { speaker: 'u1', text: 'I am allergic to peanuts.' },
  { speaker: 'u1', text: 'The parcel came on Monday.' },
] });
const { evidence } = await memory.recall({ scope, query: 'any food allergies?' });
const refused = await memory.recall({ query: 'x' }).catch((error) => error instanceof OntomemError && error.code);
console.log(JSON.stringify({ first: evidence[0].text, refused }));
await memory.close();
`,
  );
  const { code, stdout, stderr } = await runNode(script, [], { cwd: project });
  assert.is(code, 0, stderr);
  assert.equal(JSON.parse(stdout), { first: 'I am allergic to peanuts.', refused: 'SCOPE_INVALID' });
});

test('the types resolve for a strict NodeNext project and refuse a forgotten scope', async () => {
  const tsc = (name: string, source: string) => compile(place, name, source, '--noEmit');
  const good = await tsc(
    'good.ts',
    `import { type Encoder, type Evidence, type Memory, openMemory, type Turn, type TurnInput } from 'ontomem';
const turns: TurnInput[] = [{ speaker: 'a', text: 'b', at: new Date(), meta: { x: 1 } }];
export async function use(encoder: Encoder): Promise<Evidence[]> {
  await using memory: Memory = await openMemory({ path: 'x', encoder, limits: { residentBytes: 1 } });
  const scope = { tenant: 't', user: 'u' };
  const { turns: receipts } = await memory.observe({ scope, turns, onInvalid: 'report' });
  for (const receipt of receipts) if (receipt.status === 'rejected') console.log(receipt.code);
  for await (const turn of memory.turns({ scope })) console.log((turn satisfies Turn).at.toFixed());
  await memory.import({ records: memory.export({ scope }) });
  await memory.forget({ scope, everything: true });
  return (await memory.recall({ scope, query: 'q', asOf: '2024-01-01', deadlineMs: 20 })).evidence;
}
`,
  );
  assert.is(good.code, 0, good.stdout);
  const bad = await tsc(
    'bad.ts',
    `import { openMemory } from 'ontomem';
const memory = await openMemory({ path: 'x' });
await memory.recall({ query: 'q' });
`,
  );
  assert.is.not(bad.code, 0);
  assert.match(bad.stdout, /scope/);
});

test('CommonJS requires it, and TypeScript under node16 and nodenext knows every value', async () => {
  const values = Object.keys(ontomem).sort();
  const source = `import * as ontomem from 'ontomem';
import { type Memory, OntomemError } from 'ontomem';
const known: { [name in ${values.map((name) => `'${name}'`).join(' | ')}]: unknown } = ontomem;
export const open: (options: { path: string }) => Promise<Memory> = ontomem.openMemory;
export const refused: OntomemError = new OntomemError('NOT_FOUND', { input: 'a', problem: 'b' });
console.log(JSON.stringify(${JSON.stringify(values)}.filter((name) => name in known)));
`;
  for (const module of ['node16', 'nodenext']) {
    const compiled = await compile(place, 'required.cts', source, '--module', module);
    assert.is(compiled.code, 0, `${module}: ${compiled.stdout}`);
    const { code, stdout, stderr } = await runNode(join(project, 'required.cjs'), [], { cwd: project });
    assert.is(code, 0, stderr);
    assert.equal(JSON.parse(stdout), values);
  }
});

test('no public type reaches the types of a dependency', () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (path.startsWith('.')) walk(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
      else foreign.push(`${file} imports ${path}`);
    }
  };
  walk(join(installed, 'dist/src/index.d.ts'));
  assert.ok(seen.size > 5);
  assert.equal(foreign, []);
});

test('only what index.ts exports can be imported', async () => {
  const script = join(project, 'inside.mjs');
  writeFileSync(script, "await import('ontomem/dist/src/store/keys.js');\n");
  const { code, stderr } = await runNode(script, [], { cwd: project });
  assert.is.not(code, 0);
  assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test('the installed command answers, and says in one sentence what it cannot do there', async () => {
  const cli = join(installed, 'dist/src/cli/main.js');
  const help = await runNode(cli, ['--help'], { cwd: project });
  assert.is(help.code, 0);
  assert.match(help.stdout, /ontomem ingest/);
  const bench = await runNode(cli, ['bench', 'locomo'], { cwd: project, env: { ONTOMEM_SHARED: '' } });
  assert.is.not(bench.code, 0);
  assert.is(bench.stderr.trim().split('\n').length, 1, bench.stderr);
});

test.run();
