// Rankings are the same whatever instruction set adds up, and ties follow the documented order.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nativeIsa } from '../../src/native/addon.js';
import { runHelper } from '../support/processes.js';

const test = suite('instruction sets');

async function rankings(isa: string): Promise<Array<Array<[id: string, score: number, at: number]>>> {
  const { code, stdout, stderr } = await runHelper('rankings', [], { env: { ONTOMEM_ISA: isa } });
  assert.is(code, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('scalar code and the best of this machine rank alike, turn by turn', async () => {
  const [scalar, best] = [await rankings('scalar'), await rankings('')];
  assert.is(scalar.length, 4);
  const ids = (all: typeof scalar) => all.map((ranking) => ranking.map(([id]) => id));
  assert.equal(ids(scalar), ids(best), `scalar against ${nativeIsa}`);
});

test('of turns with one score the newer comes first', async () => {
  let ties = 0;
  for (const ranking of await rankings('')) {
    assert.ok(ranking.length >= 50);
    for (const [place, [, score, at]] of ranking.entries()) {
      const next = ranking[place + 1];
      if (next === undefined || next[1] !== score || score === 1) continue;
      ties++;
      assert.ok(at >= next[2], `place ${place}`);
    }
  }
  assert.ok(ties > 20, `${ties} ties`);
});

test.run();
