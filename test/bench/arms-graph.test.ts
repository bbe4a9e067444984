// HippoRAG and its parts: phrases, the walk, and a turn two hops from the question.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hipporag, hipporagArm } from '../../bench/quality/arms/hipporag.js';
import { WalkGraph } from '../../bench/quality/arms/page-rank.js';
import { phrasesOf } from '../../bench/quality/arms/phrases.js';
import { present } from '../support/expecting.js';
import { prepared, rankWith, services, turnsOf } from './arms-support.js';

test('phrases are runs of content words, with the words of longer runs', () => {
  assert.equal(phrasesOf('I ran the charity race with Melanie.'), [
    'charity race',
    'charity',
    'race',
    'melanie',
  ]);
  assert.equal(phrasesOf("Yeah, that's really great!"), []);
  assert.equal(phrasesOf("Melanie's daughter"), ['melanie daughter', 'melanie', 'daughter']);
});

test('the walk keeps all mass, whatever the graph', () => {
  const edge = fc.record({
    a: fc.nat(9),
    b: fc.nat(9),
    weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(edge), fc.array(fc.nat(100), { minLength: 10, maxLength: 10 }), (edges, seeds) => {
      const mass = new WalkGraph(10, edges).personalisedPageRank(Float64Array.from(seeds), 0.5);
      assert.ok(Math.abs(mass.reduce((sum, value) => sum + value, 0) - 1) < 1e-9);
      assert.ok(mass.every((value) => value >= 0));
    }),
  );
});

test('two nodes and one seed: the masses are 2/3 and 1/3 at damping 1/2', () => {
  const mass = new WalkGraph(2, [{ a: 0, b: 1, weight: 5 }]).personalisedPageRank(Float64Array.of(1, 0), 0.5);
  assert.ok(Math.abs(present(mass[0]) - 2 / 3) < 1e-5);
  assert.ok(Math.abs(present(mass[1]) - 1 / 3) < 1e-5);
});

test('mass falls with the distance from the seed, and follows weight', () => {
  const graph = new WalkGraph(5, [
    { a: 0, b: 1, weight: 3 },
    { a: 0, b: 2, weight: 1 },
    { a: 1, b: 3, weight: 1 },
    { a: 2, b: 4, weight: 1 },
  ]);
  const mass = graph.personalisedPageRank(Float64Array.of(1, 0, 0, 0, 0), 0.5);
  assert.ok(present(mass[1]) > present(mass[2]) && present(mass[3]) > present(mass[4]));
  assert.ok(present(mass[1]) > present(mass[3]));
});

const chain = turnsOf(
  'Professor Thomas leads the laboratory in Uppsala',
  'The laboratory studies moss',
  'Uppsala has a cathedral of brick',
  'Somebody stole my bicycle bell',
  'Soup again, the third evening running',
  'The kettle broke',
);

test('a turn two hops from the question comes before turns without a path', async () => {
  // Reset mass from the entities alone: only the graph can bring the second and third turn up.
  const graphOnly = hipporagArm({
    synonymCosine: 0.8,
    damping: 0.5,
    nearestSeeds: 1,
    turnWeight: 0,
  });
  const { ids } = await rankWith(graphOnly, chain, 'Professor Thomas');
  assert.is(ids[0], 't0');
  assert.equal([...ids.slice(1, 3)].sort(), ['t1', 't2']);
});

test('a question without an entity of the graph still ranks by the turns', async () => {
  assert.is((await rankWith(hipporag, chain, 'soup again')).ids[0], 't4');
  assert.is((await rankWith(hipporag, chain, 'zzz')).ids.length, chain.length);
});

test('different words of one entity meet by the synonym edge', async () => {
  const cars = turnsOf('Ana: Ravi painted the automobile', 'Ben: A car needs oil', 'Eva: Tea is ready');
  const { conversation, query } = await prepared(cars, 'automobile');
  const encodeCached: typeof services.encodeCached = (texts, role) =>
    services.encodeCached(
      texts.map((text) => text.replaceAll('automobile', 'car')),
      role,
    );
  const settings = { damping: 0.5, nearestSeeds: 0, turnWeight: 0 };
  const rankAt = async (synonymCosine: number) => {
    const rank = await hipporagArm({ ...settings, synonymCosine }).prepare(conversation, {
      ...services,
      encodeCached,
    });
    return (await rank(query)).ids;
  };
  assert.equal(await rankAt(0.8), ['t0', 't1', 't2']);
  // Without the edge nothing leads to the car, and the newer turn of two equals comes first.
  assert.equal(await rankAt(1.1), ['t0', 't2', 't1']);
});

test.run();
