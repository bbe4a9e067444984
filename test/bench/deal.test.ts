// Deals: the same seed deals the same dialogue; sessions keep what they need; gold exists; nobody else speaks.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COLD_TURNS, composeColdStarts } from '../../bench/ipr/cold-start.js';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { dealDialogues, LEAST_STATEMENTS } from '../../bench/ipr/deal.js';
import { HISTORIES, lengthen } from '../../bench/ipr/history.js';
import { REQUEST_SLICES, turnsOf } from '../../bench/ipr/person.js';
import { POOLS, statementPools } from '../../bench/ipr/statement-pools.js';
import { present } from '../support/expecting.js';

const { people } = readCorpus('test');
const DEALS = [1, 2, 3, 4, 5];
const dialogues = DEALS.flatMap((deal) => dealDialogues(people, deal));
const personOf = (cluster: string | undefined) => present(people.find(({ id }) => id === cluster));

test('the same number deals the same dialogue, another number another', () => {
  assert.equal(dealDialogues(people, 1), dealDialogues(people, 1));
  const order = (deal: number) => present(dealDialogues(people, deal)[0]).turns.map(({ id }) => id);
  assert.not.equal(order(1), order(2));
});

test('a dialogue holds its own person only, tells 20 statements, and keeps each session whole and in its place', () => {
  for (const { cluster, turns } of dialogues) {
    const person = personOf(cluster);
    const own = new Map(turnsOf(person).map(({ id, text }) => [id, text]));
    assert.ok(turns.every(({ id, text }) => own.get(id) === text));
    const told = new Set(turns.map(({ id }) => id));
    const statements = person.statements.filter(({ turn }) => told.has(turn)).length;
    assert.ok(statements >= LEAST_STATEMENTS, `${cluster}: ${statements}`);
    const order = [...new Set(turns.map(({ session }) => session))];
    for (const { id, after, turns: said } of person.sessions) {
      if (!order.includes(id)) continue;
      assert.equal(
        turns.filter(({ session }) => session === id).map((turn) => turn.id),
        said.map((turn) => turn.id),
      );
      if (after !== undefined) assert.ok(order.indexOf(after) < order.indexOf(id), `${cluster}: ${id}`);
    }
  }
});

test('gold and wrong answers are turns of the dialogue, and everything is asked after the last turn', () => {
  for (const { turns, queries } of dialogues) {
    const told = new Set(turns.map(({ id }) => id));
    const last = Math.max(...turns.map(({ at }) => at));
    for (const { id, gold, grades, misleading, at } of queries) {
      assert.ok(gold.size > 0 && [...gold].every((turn) => told.has(turn)), id);
      assert.ok(
        [...(grades?.keys() ?? [])].every((turn) => told.has(turn)),
        id,
      );
      assert.ok(misleading === undefined || (told.has(misleading) && !gold.has(misleading)), id);
      assert.ok((at ?? 0) > last, id);
    }
  }
});

test('five deals ask 150 distinct requests of every slice', () => {
  for (const slice of REQUEST_SLICES) {
    const asked = new Set(
      dialogues.flatMap(({ queries }) =>
        queries.flatMap(({ id, slices }) => (slices.includes(`slice=${slice}`) ? [id] : [])),
      ),
    );
    assert.ok(asked.size >= 150, `${slice}: ${asked.size}`);
  }
});

test('a changed preference is told before what replaced it', () => {
  let seen = 0;
  for (const { turns, queries } of dialogues) {
    for (const { gold, misleading, slices } of queries) {
      if (misleading === undefined || !slices.includes('slice=changed')) continue;
      const place = (id: string) => turns.findIndex((turn) => turn.id === id);
      assert.ok([...gold].some((turn) => place(turn) > place(misleading)));
      seen++;
    }
  }
  assert.ok(seen > 300, String(seen));
});

test('pools hold statements only: own, 50 more, all', () => {
  const sizes = POOLS.map((pool) => present(statementPools(people, pool, 1)[0]).turns.length);
  const [own = 0, plus50 = 0, all = 0] = sizes;
  assert.ok(own >= 20);
  assert.is(plus50, own + 50);
  assert.ok(all > 600, String(all));
  for (const { turns, queries } of statementPools(people, 'plus50', 1)) {
    const told = new Set(turns.map(({ id }) => id));
    for (const { gold } of queries) assert.ok([...gold].every((turn) => told.has(turn)));
  }
});

test('a longer history is the same dialogue among what others said, under their own names', () => {
  for (const history of HISTORIES) {
    const base = dealDialogues(people, 1);
    for (const [place, { turns, cluster, queries }] of lengthen(people, 1, history).entries()) {
      const own = present(base[place]);
      const kept = turns.filter(({ speaker, id }) => speaker === 'User' || !id.includes(' '));
      assert.equal(
        kept.map(({ id }) => id),
        own.turns.map(({ id }) => id),
      );
      assert.equal(queries.length, own.queries.length);
      assert.ok(turns.length >= history * own.turns.length * 0.95, `${cluster}: ${turns.length}`);
      assert.ok(
        turns.every(({ at }, position) => at >= (turns[position - 1]?.at ?? 0)),
        cluster,
      );
    }
  }
});

test('a cold start has at most ten turns and asks what they decide', () => {
  const cold = composeColdStarts(people, 1);
  assert.ok(cold.length >= 60, String(cold.length));
  for (const { id, turns, queries } of cold) {
    assert.ok(turns.length <= COLD_TURNS, id);
    assert.ok(queries.length > 0, id);
  }
});

test.run();
