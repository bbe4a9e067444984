// The house rules that code can hold: imports point downwards only and never run in circles.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'src');

/** Floors from the ground up; a folder imports its own floor and lower ones, never a higher one. */
const FLOORS = [
  ['contract', 'errors', 'breather', 'due-queue'],
  ['text', 'native'],
  ['encode', 'store'],
  ['extract', 'ontology'],
  ['ingest'],
  ['retrieve'],
  ['learn'],
  ['memory', 'index'],
  ['serve', 'cli'],
];

interface Import {
  from: string;
  to: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : [];
  });
}

function importsOf(file: string, text: string): Import[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, path = '']) => ({
    from: relative(source, file),
    to: relative(source, resolve(dirname(file), path.replace(/\.js$/, '.ts'))),
  }));
}

function floorOf(path: string): number {
  const room = path.split('/')[0]?.replace(/\.ts$/, '') ?? '';
  return FLOORS.findIndex((floor) => floor.includes(room));
}

function upward(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) => !to.startsWith('../') && floorOf(to) > floorOf(from))
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Files on an import circle, by depth-first search. */
function circles(imports: readonly Import[]): string[] {
  const next = grouped(imports);
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}

function grouped(imports: readonly Import[]): Map<string, Import[]> {
  const groups = new Map<string, Import[]>();
  for (const entry of imports) groups.set(entry.from, [...(groups.get(entry.from) ?? []), entry]);
  return groups;
}

const files = sources(source);
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));

test('every source file stands on a floor', () => {
  const homeless = files.map((file) => relative(source, file)).filter((file) => floorOf(file) < 0);
  assert.equal(homeless, []);
});

test('imports point downwards or sideways', () => {
  assert.equal(upward(imports), []);
});

test('imports make no circle', () => {
  assert.equal(circles(imports), []);
});

test('the rules notice a breach', () => {
  assert.equal(upward([{ from: 'store/keys.ts', to: 'retrieve/recall.ts' }]), [
    'store/keys.ts imports retrieve/recall.ts',
  ]);
  const circle = circles([
    { from: 'store/a.ts', to: 'store/b.ts' },
    { from: 'store/b.ts', to: 'store/a.ts' },
  ]);
  assert.equal(circle, ['store/a.ts -> store/b.ts -> store/a.ts']);
});

test('the addon is loaded by one file', () => {
  const loaders = files.filter((file) => /\.node['"`]/.test(readFileSync(file, 'utf8')));
  assert.equal(
    loaders.map((file) => relative(source, file)),
    ['native/addon.ts'],
  );
});

test('onnxruntime is loaded by one file, behind the addon', () => {
  const loaders = [...files, ...sources(join(root, 'bench'))].filter((file) =>
    /['"]onnxruntime-node['"]/.test(readFileSync(file, 'utf8')),
  );
  assert.equal(
    loaders.map((file) => relative(root, file)),
    ['src/encode/run/runtime-library.ts'],
  );
});

test('every source file says in its first line what lives there', () => {
  const silent = files.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(readFileSync(file, 'utf8')));
  assert.equal(
    silent.map((file) => relative(source, file)),
    [],
  );
});

test('what of the addon nothing in src calls is listed in ARCHITECTURE.md, each with where it will be called', () => {
  const own = files.filter((file) => relative(source, file).startsWith('native/'));
  const wrapping = own.filter((file) => !file.endsWith('addon.ts'));
  const given = wrapping.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function|class) (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  const called = new Set(
    files
      .filter((file) => !own.includes(file))
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(
          /import (?:type )?\{([^}]*)\} from '[./]*\/native\/[\w-]+\.js'/g,
        ),
      ])
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' ')[0] ?? '')),
  );
  assert.ok(given.length > 20 && called.has('recall'));
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = /## What waits for its caller\n(.*?)\n## /s.exec(text) ?? [];
  const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  assert.equal(listed.sort(), given.filter((name) => !called.has(name)).sort());
});

test('private members are #private, and constants of plain data are in capitals', () => {
  // The pieces of a file that TypeScript alone keeps private, and single words and numbers named like variables.
  const keyword = /^\s+(?:private|protected) (?!constructor)|\((?:private|protected) (?:readonly )?\w+:/m;
  const constant = /^(?:export )?const [a-z]\w* = (?:-?[\d.]+|'[^']*'|\/.*\/\w*)(?: as const)?;$/m;
  const breaches = (text: string) => [keyword, constant].filter((rule) => rule.test(text));
  assert.is(breaches('  private x = 1;\nconst limit = 3;\n').length, 2);
  const rooms = [...files, ...sources(join(root, 'bench'))].filter((file) => !file.includes('bench/peers'));
  assert.equal(
    rooms
      .filter((file) => breaches(readFileSync(file, 'utf8')).length > 0)
      .map((file) => relative(root, file)),
    [],
  );
});

test('every public method says what it throws', () => {
  const memory = readFileSync(join(source, 'memory/memory.ts'), 'utf8');
  const [, body = ''] = /export class Memory (.*)/s.exec(memory) ?? [];
  const methods = [
    ...body.matchAll(/((?: {2}\/\*\*(?:(?!\*\/).)*\*\/\n)?)^ {2}(?:async )?([a-z]\w*|\[Symbol\.\w+\])\(/gms),
  ];
  const names = methods.map(([, , name]) => name);
  assert.ok(names.includes('observe') && names.includes('close'), names.join());
  const silent = methods.filter(([, doc = '', name]) => name !== 'constructor' && !doc.includes('@throws'));
  assert.equal(
    silent.map(([, , name]) => name),
    [],
  );
});

test.run();
