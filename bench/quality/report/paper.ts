// The figures the paper printed, to stand beside ours (Cao and Li, MLSys 2026).

/** A row of the paper's main table; `arm` is our method of the same kind. */
export interface PaperRow {
  method: string;
  arm: string;
  recall10: number;
  ndcg10: number;
  faithfulness: number;
  p95Ms: number;
  cost: number;
}

/** Own benchmark (IPR), top 10. */
export const PAPER_MAIN: readonly PaperRow[] = [
  row('dense only', 'dense', [0.58, 0.41, 0.86, 142, 1.0]),
  row('long context', 'long context', [0.601, 0.423, 0.82, 310, 7.24]),
  row('summary memory', 'summary memory', [0.618, 0.439, 0.88, 165, 1.41]),
  row('dense + cross-encoder rerank', 'cross-encoder', [0.647, 0.468, 0.9, 190, 1.52]),
  row('query rewrite', 'query rewrite', [0.638, 0.456, 0.89, 160, 1.38]),
  row('HippoRAG', 'hipporag-like', [0.671, 0.491, 0.91, 193, 1.68]),
  row('MemoRAG', 'memorag-like', [0.643, 0.467, 0.88, 201, 1.73]),
  row('the system', 'fused', [0.706, 0.514, 0.93, 185, 1.31]),
];

/** LoCoMo, implicit slice of their 50-conversation release. */
export const PAPER_LOCOMO: Readonly<Record<string, { recall10: number; ndcg10: number }>> = {
  dense: { recall10: 0.431, ndcg10: 0.327 },
  'hipporag-like': { recall10: 0.531, ndcg10: 0.412 },
  'memorag-like': { recall10: 0.504, ndcg10: 0.387 },
  fused: { recall10: 0.576, ndcg10: 0.451 },
};

/** Recall@10 of dense search by the age of the statement in turns. */
export const PAPER_GAP_DENSE: Readonly<Record<string, number>> = { '1-20': 0.61, '60+': 0.28 };

/** The system as the history grows from 87 turns to 696. */
export const PAPER_HISTORY = {
  '1x': { recall10: 0.706, ndcg10: 0.514 },
  '8x': { recall10: 0.668, ndcg10: 0.479 },
} as const;

/** Recall@10 of users with at most 10 turns and with more than 50: dense, and the system. */
export const PAPER_COLD = {
  cold: { dense: 0.557, fused: 0.613 },
  mature: { dense: 0.591, fused: 0.718 },
} as const;

/** Recall@10 over dialogue pathologies: dense, and the system. */
export const PAPER_PATHOLOGY = {
  alias: { dense: 0.49, fused: 0.66 },
  gap: { dense: 0.52, fused: 0.67 },
  ellipsis: { dense: 0.48, fused: 0.64 },
} as const;

/** Items that the top ten of the graph and of the dense view share on average. */
export const PAPER_OVERLAP = 3.2;

function row(
  method: string,
  arm: string,
  figures: readonly [number, number, number, number, number],
): PaperRow {
  const [recall10, ndcg10, faithfulness, p95Ms, cost] = figures;
  return { method, arm, recall10, ndcg10, faithfulness, p95Ms, cost };
}
