// kill -9 while turns are written: what was acknowledged is there, the store opens, again and again.
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, idsOf, newStorePath, openTiny, ranking } from '../support/memories.js';
import { Helper, killHelpers } from '../support/processes.js';

const test = suite('kill');
const KILLS = 50;

/** Deterministic numbers in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`killed at ${KILLS} random moments, no acknowledged turn is lost and the store always opens`, async () => {
  const path = newStorePath();
  const random = numbers(42);
  let acknowledged = 0;
  let killedInWork = 0;
  // Started ahead: the next process is ready, waiting, while this one writes.
  let next = new Helper('writer', [path, '--wait']);
  for (let kill = 0; kill < KILLS; kill++) {
    const writer = next;
    if (kill + 1 < KILLS) next = new Helper('writer', [path, '--wait']);
    assert.is(await writer.line(), 'waiting');
    assert.is(await writer.ask('open'), 'open');
    writer.say(`run ${acknowledged}`);
    const before = acknowledged;
    const read = async () => {
      const line = await writer.line();
      acknowledged = Number(/^stored (\d+)$/.exec(line ?? '')?.[1] ?? acknowledged);
      return line;
    };
    // Anywhere from before the first commit to some commits later, and anywhere within one.
    for (let commits = Math.floor(random() * 6); commits > 0; commits--) await read();
    await wait(random() * 12);
    writer.kill();
    while ((await read()) !== undefined);
    await writer.ended();
    if (acknowledged > before) killedInWork++;
    const memory = await openTiny({ path });
    const ids = await idsOf(memory, ADA);
    const order = ids.map((id) => Number(id.slice(1)));
    assert.equal(
      order,
      order.map((_, n) => n),
      'no gap and no duplicate',
    );
    assert.ok(
      order.length >= acknowledged,
      `kill ${kill}: ${acknowledged} acknowledged, ${order.length} there`,
    );
    assert.ok(order.length <= acknowledged + 3, 'at most the one call that was not answered yet');
    assert.is(order.length % 3, 0, 'a call is written whole or not at all');
    assert.is((await memory.stats()).turns, order.length);
    if (acknowledged > 0) {
      const last = `word${acknowledged - 1}`;
      const found = await ranking(memory, ADA, last, 10);
      assert.ok(
        found.some((hit) => hit.startsWith(`t${acknowledged - 1} `)),
        'it is found',
      );
    }
    await memory.close();
    acknowledged = order.length;
  }
  assert.ok(killedInWork > KILLS / 2, `only ${killedInWork} kills came after an acknowledgement`);
});

test.after(killHelpers);
test.run();
