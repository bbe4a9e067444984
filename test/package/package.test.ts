// What npm would publish: packed, put into another project, imported, typed and run there.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT, run, runNode } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('package');
const project = temporaryFolder('package');
const installed = join(project, 'node_modules', 'ontomem');
const manifest = createRequire(import.meta.url)(join(ROOT, 'package.json')) as {
  version: string;
  dependencies: Record<string, string>;
};

/** Links what the package depends on, and nothing else of ours, as an install would put it there. */
function linkDependencies(): void {
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) {
    const [scope] = name.startsWith('@') ? name.split('/') : [];
    if (scope !== undefined) mkdirSync(join(project, 'node_modules', scope), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name), 'dir');
  }
}

test.before(async () => {
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], {
    cwd: ROOT,
  });
  assert.is(packed.code, 0, packed.stderr);
  mkdirSync(installed, { recursive: true });
  const archive = join(project, `ontomem-${manifest.version}.tgz`);
  const unpacked = await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  assert.is(unpacked.code, 0, unpacked.stderr);
  linkDependencies();
  // What the package's install script builds; building it again here would take minutes.
  mkdirSync(join(installed, 'build/Release'), { recursive: true });
  cpSync(join(ROOT, 'build/Release/ontomem.node'), join(installed, 'build/Release/ontomem.node'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'their-service', type: 'module' }));
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
  const tsc = (name: string, source: string) => {
    writeFileSync(join(project, name), source);
    const options =
      '--noEmit --strict --skipLibCheck false --module NodeNext --target ES2023 --types node --exactOptionalPropertyTypes';
    return runNode(join(ROOT, 'node_modules/typescript/bin/tsc'), [...options.split(' '), name], {
      cwd: project,
    });
  };
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
