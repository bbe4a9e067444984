// SimSIMD's inner product, called once a row as its package for Node offers it.
export const name = 'simsimd, a call a row';

export async function open({ vectors, dimension, count, batch, limit }) {
  const { default: simsimd } = await import('simsimd');
  const rows = Array.from({ length: count }, (_, i) => vectors.subarray(i * dimension, (i + 1) * dimension));
  const scores = new Float64Array(count);
  const best = Array.from({ length: batch }, () => []);
  return {
    run: (queries) => {
      for (let i = 0; i < batch; i++) {
        const query = queries.subarray(i * dimension, (i + 1) * dimension);
        for (let row = 0; row < count; row++) scores[row] = simsimd.inner(query, rows[row]);
        best[i] = top(scores, limit);
      }
    },
    first: () => best[0],
    close: () => {},
  };
}

/** Rows of the highest scores by insertion into a short list. O(count). */
function top(scores, limit) {
  const rows = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < scores.length; row++) {
    if (rows.length === limit && scores[row] <= least) continue;
    let place = rows.length;
    while (place > 0 && scores[rows[place - 1]] < scores[row]) place--;
    rows.splice(place, 0, row);
    if (rows.length > limit) rows.pop();
    if (rows.length === limit) least = scores[rows[limit - 1]];
  }
  return rows;
}
