// Groups token sequences into batches of similar length.

/** Sequences that run together; `rows` are their places in the list they came from. */
export interface TokenBatch {
  rows: readonly number[];
  /** rows x sequenceLength, row-major, padded with zeros on the right. */
  ids: Int32Array;
  mask: Int32Array;
  /** Tokens of each row before padding. */
  lengths: readonly number[];
  sequenceLength: number;
}

/**
 * Sorts sequences by length (ties by place) and cuts the list into batches whose padded size stays within
 * `tokenBudget`; a longer sequence gets a batch of its own. O(n log n + tokens).
 */
export function* tokenBatches(
  sequences: readonly (readonly number[])[],
  tokenBudget: number,
): Generator<TokenBatch> {
  const length = (row: number): number => sequences[row]?.length ?? 0;
  const order = sequences.map((_, row) => row).sort((a, b) => length(a) - length(b) || a - b);
  let rows: number[] = [];
  for (const row of order) {
    // Rows come in growing length, so the newest row sets the padded length.
    if (rows.length > 0 && (rows.length + 1) * length(row) > tokenBudget) {
      yield padded(sequences, rows);
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) yield padded(sequences, rows);
}

function padded(sequences: readonly (readonly number[])[], rows: readonly number[]): TokenBatch {
  const members = rows.map((row) => sequences[row] ?? []);
  const lengths = members.map((ids) => ids.length);
  const sequenceLength = Math.max(...lengths);
  const ids = new Int32Array(rows.length * sequenceLength);
  const mask = new Int32Array(ids.length);
  for (const [i, member] of members.entries()) {
    ids.set(member, i * sequenceLength);
    mask.fill(1, i * sequenceLength, i * sequenceLength + member.length);
  }
  return { rows, ids, mask, lengths, sequenceLength };
}
