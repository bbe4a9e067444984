// A logistic regression small enough to be fitted wherever a benchmark asks for it.

export interface Logistic {
  weights: Float64Array;
  bias: number;
}

/** Ridge penalty a row: without it words that occur once decide. */
const RIDGE = 0.003;
const STEP = 1.5;
const STEPS = 400;

/** Gradient descent on the penalised mean log loss, from zero: the same rows give the same fit. O(steps · rows · features). */
export function fitLogistic(rows: readonly Float64Array[], labels: readonly boolean[]): Logistic {
  const size = rows[0]?.length ?? 0;
  const weights = new Float64Array(size);
  const model = { weights, bias: 0 };
  for (let step = 0; step < STEPS; step++) {
    const slope = new Float64Array(size);
    let biasSlope = 0;
    for (const [place, row] of rows.entries()) {
      const miss = (1 / (1 + Math.exp(-logit(model, row))) - Number(labels[place])) / rows.length;
      for (let i = 0; i < size; i++) slope[i] = (slope[i] ?? 0) + miss * (row[i] ?? 0);
      biasSlope += miss;
    }
    for (let i = 0; i < size; i++) {
      weights[i] = (weights[i] ?? 0) - STEP * ((slope[i] ?? 0) + RIDGE * (weights[i] ?? 0));
    }
    model.bias -= STEP * biasSlope;
  }
  return model;
}

export function logit({ weights, bias }: Logistic, row: Float64Array): number {
  let sum = bias;
  for (let i = 0; i < row.length; i++) sum += (weights[i] ?? 0) * (row[i] ?? 0);
  return sum;
}

/** The chance that a positive scores above a negative; ties count half (Hanley and McNeil, 1982). O(n log n). */
export function areaUnderCurve(scores: readonly number[], labels: readonly boolean[]): number {
  const order = scores.map((score, place) => ({ score, positive: labels[place] === true }));
  order.sort((a, b) => a.score - b.score);
  let below = 0;
  let won = 0;
  let positives = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]?.score === order[start]?.score) end++;
    const tied = order.slice(start, end);
    const hits = tied.filter(({ positive }) => positive).length;
    won += hits * (below + (tied.length - hits) / 2);
    below += tied.length - hits;
    positives += hits;
    start = end;
  }
  return won / (positives * below);
}
