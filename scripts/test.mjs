// Runs every compiled test file in a process of its own, fast folders first, and adds up what they say.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pattern = process.argv[2] ?? '';

/** Folders from fast to slow; what is not named here runs between them. */
const ORDER = [
  'contract',
  'text',
  'ingest',
  'encode',
  'store',
  'memory',
  '',
  'learn',
  'retrieve',
  'cli',
  'bench',
  'package',
  'native',
  'soak',
];

function rank(file) {
  const folder = relative(join(root, 'dist/test'), file).split('/').slice(0, -1)[0] ?? '';
  const place = ORDER.indexOf(folder);
  return place < 0 ? ORDER.indexOf('') : place;
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? testFiles(path) : /\.test\.js$/.test(path) ? [path] : [];
  });
}

const total = { passed: 0, failed: 0, skipped: 0 };
const files = testFiles(join(root, 'dist/test'))
  .filter((file) => file.includes(pattern))
  .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));

for (const file of files) {
  const name = relative(join(root, 'dist/test'), file);
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', file], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1', FORCE_COLOR: '0' },
    timeout: 5 * 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  const count = (label) =>
    [...stdout.matchAll(new RegExp(`${label}:\\s+(\\d+)`, 'g'))].reduce((sum, [, n]) => sum + Number(n), 0);
  const [all, passed, skipped] = [count('Total'), count('Passed'), count('Skipped')];
  // A file that died before its summary, that ran nothing or stopped waiting for what never comes has failed.
  const failed = status === 0 && all > 0 && passed === all ? 0 : Math.max(1, all - passed);
  total.passed += passed;
  total.skipped += skipped;
  total.failed += failed;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${failed === 0 ? 'ok  ' : 'FAIL'} ${name} (${passed} passed${skipped ? `, ${skipped} skipped` : ''}, ${seconds} s)`,
  );
  for (const line of stdout.split('\n')) if (/skipped:/.test(line)) console.log(`     ${line.trim()}`);
  if (failed > 0) console.log(`${stdout}\n${stderr}`.trim().slice(-8000));
}

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
