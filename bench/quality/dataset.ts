// What a benchmark measures on: conversations with questions, the turns that answer them, and slices.
import type { Turn } from '../../src/contract/turn.js';

export interface BenchQuery {
  id: string;
  text: string;
  /** The turns just before the question, oldest first. */
  context?: readonly string[];
  /** When it is asked, milliseconds; later turns must not be seen. */
  at?: number;
  /** Ids of the turns that answer it; empty for questions that have no answer. */
  gold: ReadonlySet<string>;
  /** Graded support, 2 decides and 1 helps, of the gold turns and others; nDCG gains by it. Default: gold 2. */
  grades?: ReadonlyMap<string, 1 | 2>;
  /** The turn that would be the wrong answer: the superseded statement, or what only looks like one. */
  misleading?: string;
  /** Labels it is reported under, as 'kind=implicit' or 'category=4'. */
  slices: readonly string[];
}

/** What nDCG gains by: every gold turn decides where no grades are given. */
export function gradesOf({ gold, grades }: Pick<BenchQuery, 'gold' | 'grades'>): ReadonlyMap<string, number> {
  return grades ?? new Map([...gold].map((turn) => [turn, 2]));
}

export interface BenchConversation {
  id: string;
  /** Conversations made of the same material share it; they are resampled together. Default: the id. */
  cluster?: string;
  /** In the order observed. */
  turns: readonly Turn[];
  queries: readonly BenchQuery[];
}

export interface Dataset {
  name: string;
  split: string;
  conversations: readonly BenchConversation[];
}
