// Long ingests: progress while they run, and killed halfway they go on where they were.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { openMemory } from '../../src/memory/memory.js';
import { makeTinyModel } from '../encode/tiny-bert.js';
import { all } from '../support/expecting.js';
import { CLI, run, runCli } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('ingest');
const COUNT = 1000;
const SCOPE = { tenant: 'default', user: 'default' };
const folder = temporaryFolder('ingest');
const model = join(folder, 'tiny-bert');
mkdirSync(model);
makeTinyModel(model);
process.env.ONTOMEM_CACHE = join(folder, 'cache');
const env = { ONTOMEM_ENCODER: model, ONTOMEM_CACHE: join(folder, 'cache') };

/** No ids and no dates: what makes a line the same line is what it says. Some lines repeat word for word. */
const file = join(folder, 'chat.jsonl');
writeFileSync(
  file,
  Array.from({ length: COUNT }, (_, n) =>
    JSON.stringify({
      speaker: n % 2 === 0 ? 'Ada' : 'Bo',
      text: n % 10 === 0 ? 'the cat' : `the sofa, the bank: ${'cat '.repeat(n % 40)}${n}`,
      session: `s${Math.floor(n / 100)}`,
    }),
  ).join('\n'),
);

/** Waits until another process has stored at least `count` turns. */
async function stored(path: string, count: number): Promise<number> {
  const encoder = await openEncoder(model);
  for (;;) {
    try {
      const memory = await openMemory({ path, encoder, readOnly: true });
      for (;;) {
        const { turns } = await memory.stats();
        if (turns >= count) {
          await memory.close();
          await encoder.close();
          return turns;
        }
        await wait(1);
      }
    } catch {
      // The store is being made.
      await wait(5);
    }
  }
}

test('an ingest of 1,000 turns killed halfway goes on where it was, without duplicates', async () => {
  const path = join(folder, 'killed');
  const child = spawn(process.execPath, [CLI, 'ingest', file, '--store', path], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const seen = await stored(path, COUNT / 2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.is(child.signalCode, 'SIGKILL', 'it was killed in the middle');
  assert.ok(seen < COUNT, `${seen} turns at the kill`);
  const resumed = await runCli(['ingest', file, '--store', path, '--json'], { env });
  assert.is(resumed.code, 0, resumed.stderr);
  const report = JSON.parse(resumed.stdout);
  assert.is(report.stored + report.unchanged, COUNT);
  assert.ok(report.unchanged >= seen && report.stored > 0, resumed.stdout);
  const whole = join(folder, 'whole');
  assert.is((await runCli(['ingest', file, '--store', whole], { env })).code, 0);
  const turnsIn = async (store: string) => {
    await using memory = await openMemory({ path: store, encoder: model, readOnly: true });
    return (await all(memory.export({ scope: SCOPE }))).flatMap((record) =>
      record.kind === 'turn' ? [[record.id, record.session, record.speaker, record.text]] : [],
    );
  };
  const turns = await turnsIn(path);
  assert.is(new Set(turns.map(([id]) => id)).size, COUNT);
  assert.equal(
    turns,
    await turnsIn(whole),
    'the same turns in the same order as an ingest that was left alone',
  );
});

const hasScript = (() => {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!hasScript) console.log('skipped: progress on a terminal (there is no `script` to make one)');

(hasScript ? test : test.skip)(
  'an ingest shows its progress on a terminal, step by step to the end',
  async () => {
    const command = [process.execPath, CLI, 'ingest', file, '--store', join(folder, 'shown')].join(' ');
    const { code, stdout } = await run('script', ['-qefc', command, '/dev/null'], { env });
    assert.is(code, 0, stdout);
    const steps = [...stdout.matchAll(/(\d+)\/1000/g)].map(([, done]) => Number(done));
    assert.equal(
      steps,
      [...steps].sort((a, b) => a - b),
    );
    assert.ok(new Set(steps).size >= 4, `steps ${[...new Set(steps)].join()}`);
    assert.is(steps.at(-1), COUNT);
    assert.match(stdout, /1000 turns stored, 0 already there/);
  },
);

test.run();
