// Arms that never read the question: they rank alike whatever is asked, and by what they say.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blindArms } from '../../bench/quality/arms/blind.js';
import { dense } from '../../bench/quality/arms/dense.js';
import { rankFusion } from '../../bench/quality/arms/hybrid.js';
import { present } from '../support/expecting.js';
import { rankWith, turnsOf } from './arms-support.js';

const turns = turnsOf(
  'Fine.',
  'I never eat anything with shellfish in it any more',
  'Is it late already?',
  'No.',
);

for (const arm of blindArms) {
  test(`'${arm.name}' ranks alike whatever is asked, and says that it is blind`, async () => {
    assert.is(arm.blind, true);
    const first = await rankWith(arm, turns, 'what may I cook?');
    const second = await rankWith(arm, turns, 'where did we leave the umbrella?');
    assert.equal(first.ids, second.ids);
    assert.is(new Set(first.ids).size, first.ids.length);
  });
}

test('longest and newest are what their names say', async () => {
  const named = (name: string) => present(blindArms.find((arm) => arm.name === name));
  assert.is((await rankWith(named('longest'), turns, 'x')).ids[0], 't1');
  assert.equal((await rankWith(named('newest'), turns, 'x')).ids, ['t3', 't2', 't1', 't0']);
});

test('rank fusion gives no credit for matching nothing', async () => {
  const said = turnsOf('blue kettle', 'grey goose', 'loud train', 'old bridge');
  const { ids } = await rankWith(rankFusion, said, 'kettle');
  assert.is(ids[0], 't0');
  // Without a word in common the lexical list is empty: the order is the dense one, not the newest first.
  const none = await rankWith(rankFusion, said, 'umbrella');
  const byCosine = await rankWith(dense, said, 'umbrella');
  assert.equal(none.ids, byCosine.ids);
});

test.run();
