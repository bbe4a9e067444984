// Personalised PageRank over an undirected weighted graph.

export interface WeightedEdge {
  a: number;
  b: number;
  weight: number;
}

/** Iterations end when the mass moved in one is less than this. */
const TOLERANCE = 1e-6;
const MOST_ITERATIONS = 60;

/** Adjacency in compressed rows, each row's weights summing to 1. */
export class WalkGraph {
  readonly #starts: Uint32Array;
  readonly #targets: Uint32Array;
  readonly #weights: Float64Array;

  /** Parallel edges add up, loops are ignored. O(edges). */
  constructor(
    readonly nodes: number,
    edges: readonly WeightedEdge[],
  ) {
    const proper = edges.filter(({ a, b }) => a !== b);
    const degree = new Float64Array(nodes);
    this.#starts = new Uint32Array(nodes + 1);
    for (const { a, b, weight } of proper) {
      for (const end of [a, b]) {
        this.#starts[end + 1] = (this.#starts[end + 1] ?? 0) + 1;
        degree[end] = (degree[end] ?? 0) + weight;
      }
    }
    for (let node = 0; node < nodes; node++)
      this.#starts[node + 1] = (this.#starts[node + 1] ?? 0) + (this.#starts[node] ?? 0);
    this.#targets = new Uint32Array(2 * proper.length);
    this.#weights = new Float64Array(2 * proper.length);
    const next = this.#starts.slice(0, nodes);
    for (const { a, b, weight } of proper) {
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        const place = next[from] ?? 0;
        this.#targets[place] = to;
        this.#weights[place] = weight / (degree[from] ?? 1);
        next[from] = place + 1;
      }
    }
  }

  /**
   * Stationary mass of a walk that returns to `reset` with probability 1 - damping at each step and from nodes
   * without edges always. `reset` is scaled to sum to 1; so does the result. O(edges) an iteration.
   */
  personalisedPageRank(reset: Float64Array, damping: number): Float64Array {
    const total = reset.reduce((sum, value) => sum + value, 0);
    const home = total > 0 ? reset.map((value) => value / total) : reset.map(() => 1 / this.nodes);
    let mass: Float64Array = home;
    for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
      const next = this.#step(mass, home, damping);
      const moved = next.reduce((sum, value, node) => sum + Math.abs(value - (mass[node] ?? 0)), 0);
      mass = next;
      if (moved < TOLERANCE) break;
    }
    return mass;
  }

  #step(mass: Float64Array, home: Float64Array, damping: number): Float64Array {
    const next = new Float64Array(this.nodes);
    let walked = 0;
    for (let from = 0; from < this.nodes; from++) {
      const share = damping * (mass[from] ?? 0);
      const end = this.#starts[from + 1] ?? 0;
      const start = this.#starts[from] ?? 0;
      if (share === 0 || start === end) continue;
      walked += share;
      for (let place = start; place < end; place++) {
        const to = this.#targets[place] ?? 0;
        next[to] = (next[to] ?? 0) + share * (this.#weights[place] ?? 0);
      }
    }
    return next.map((value, node) => value + (1 - walked) * (home[node] ?? 0));
  }
}
