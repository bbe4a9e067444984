// HippoRAG: a graph of entities and turns, walked from the query's entities by personalised PageRank.
import { termsOf } from '../../../src/text/terms.js';
import type { Arm, ArmServices, PreparedConversation, PreparedQuery } from '../arm.js';
import { TUNED_BASELINES } from '../tuned.js';
import { VectorShard } from '../vector-shard.js';
import { Candidates } from './candidates.js';
import { WalkGraph, type WeightedEdge } from './page-rank.js';
import { phrasesOf } from './phrases.js';
import { highest, innerProducts, standardised } from './scoring.js';

export interface HipporagSettings {
  /** Cosine from which two entities are synonyms; the paper's .8. */
  synonymCosine: number;
  /** Probability of walking on; the paper has .5. */
  damping: number;
  /** Entities nearest to the query that the walk starts from, beside those it names. */
  nearestSeeds: number;
  /** Reset mass of all turns by their cosine, against 1 for the entities; HippoRAG 2's passage weight. */
  turnWeight: number;
}

const SETTINGS: HipporagSettings = TUNED_BASELINES.hipporag;

/** Reset mass of a turn falls off with how far its cosine lies under the best: a softmax at this sharpness. */
const TURN_SHARPNESS = 3;

/**
 * The index of HippoRAG (Gutierrez et al., NeurIPS 2024): entities (here names and noun phrases, where the paper
 * asks a LLM for triples), synonym edges by cosine, seeds weighted by node specificity |P_i|^-1. From HippoRAG 2
 * (Gutierrez et al., ICML 2025) turns are nodes themselves, receive reset mass by their cosine, and rank by their
 * stationary mass; entities also seed by cosine with the query.
 * Entities meet through the turns that hold them; direct edges between all entities of a turn, the nearest to
 * triples without a LLM, lowered the figures on IPR dev (implicit R@10 .668 to .641).
 */
interface EntityGraph {
  walk: WalkGraph;
  /** Entity key -> node; the turns' nodes follow after all entities. */
  nodes: ReadonlyMap<string, number>;
  vectors: Float32Array;
  /** Turns that hold the entity. */
  holders: Uint32Array;
}

export function hipporagArm(settings: HipporagSettings = SETTINGS): Arm {
  return {
    name: 'hipporag-like',
    source: 'HippoRAG (Gutierrez et al., NeurIPS 2024) with the passage nodes of HippoRAG 2 (ICML 2025)',
    async prepare(conversation, services) {
      const candidates = new Candidates(conversation);
      const graph = await buildGraph(conversation, services, settings);
      return (query) => {
        const visible = candidates.visible(query);
        const reset = new Float64Array(graph.walk.nodes);
        seedEntities(reset, query, graph, settings);
        const cosines = standardised(candidates.dense(query.vector), visible);
        seedTurns(reset.subarray(graph.nodes.size), cosines, visible, settings.turnWeight);
        const mass = graph.walk.personalisedPageRank(reset, settings.damping);
        return candidates.ranking(Float32Array.from(mass.subarray(graph.nodes.size)), visible, {
          candidatesScored: conversation.turns.length + graph.nodes.size,
          bytesAtRest: 4 * (conversation.vectors.length + graph.vectors.length),
        });
      };
    },
  };
}

export const hipporag = hipporagArm();

/** O(entities^2 x dimension) for the synonyms. */
async function buildGraph(
  conversation: PreparedConversation,
  { encodeCached }: ArmServices,
  settings: HipporagSettings,
): Promise<EntityGraph> {
  const nodes = new Map<string, number>();
  const names: string[] = [];
  const entitiesOfTurn = conversation.passages.map((passage) => {
    const found = new Set<number>();
    for (const phrase of phrasesOf(passage)) {
      const key = entityKey(phrase);
      const node = nodes.get(key) ?? nodes.size;
      if (node === nodes.size) {
        nodes.set(key, node);
        names.push(phrase);
      }
      found.add(node);
    }
    return [...found];
  });
  const vectors = await encodeCached(names, 'passage');
  const holders = new Uint32Array(nodes.size);
  const edges: WeightedEdge[] = synonyms(vectors, conversation.dimension, settings.synonymCosine);
  for (const [turn, entities] of entitiesOfTurn.entries()) {
    for (const a of entities) {
      holders[a] = (holders[a] ?? 0) + 1;
      edges.push({ a, b: nodes.size + turn, weight: 1 });
    }
  }
  return { walk: new WalkGraph(nodes.size + entitiesOfTurn.length, edges), nodes, vectors, holders };
}

/** Entities are one when their words have the same stems. */
function entityKey(phrase: string): string {
  return termsOf(phrase).join(' ');
}

function synonyms(vectors: Float32Array, dimension: number, least: number): WeightedEdge[] {
  const shard = new VectorShard(vectors, dimension);
  const near = shard.near(vectors, least);
  shard.close();
  return near.flatMap((found, a) =>
    found
      .filter(([b]) => b < a)
      .sort(([first], [second]) => first - second)
      .map(([b, weight]) => ({ a, b, weight })),
  );
}

/** Mass for the entities that the query names (1) or lies near (their cosine), each times its specificity. */
function seedEntities(
  reset: Float64Array,
  query: PreparedQuery,
  graph: EntityGraph,
  { nearestSeeds }: HipporagSettings,
) {
  const cosines = innerProducts(graph.vectors, query.vector);
  const seeds = new Map<number, number>();
  for (const node of highest(cosines, [...cosines.keys()], nearestSeeds))
    seeds.set(node, Math.max(0, cosines[node] ?? 0));
  for (const phrase of phrasesOf([...(query.context ?? []), query.text].join('\n'))) {
    const node = graph.nodes.get(entityKey(phrase));
    if (node !== undefined) seeds.set(node, 1);
  }
  const mass = [...seeds].map(([node, weight]) => [node, weight / (graph.holders[node] ?? 1)] as const);
  const total = mass.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [node, weight] of mass) if (total > 0) reset[node] = weight / total;
}

/** Spreads `weight` over the visible turns. */
function seedTurns(
  reset: Float64Array,
  cosines: Float32Array,
  visible: readonly number[],
  weight: number,
): void {
  const mass = visible.map(
    (position) => [position, Math.exp(TURN_SHARPNESS * (cosines[position] ?? 0))] as const,
  );
  const total = mass.reduce((sum, [, value]) => sum + value, 0);
  for (const [position, value] of mass) reset[position] = (weight * value) / total;
}
