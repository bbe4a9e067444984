// Turns fused scores into chances: a logistic on the train and dev splits, with prior odds of one in n turns.

import type { RecallPlan } from '../../src/retrieve/strategy.js';
import type { ArmServices } from '../quality/arm.js';
import { planWith, type StrategySettings } from './grids.js';
import type { Ground } from './objective.js';

export interface Calibration {
  slope: number;
  offset: number;
  /** Mean of |chance - share that was right| over ten bins of equal width, weighted by their size. */
  expectedError: number;
}

interface Scored {
  fused: number;
  /** Log of the number of turns it was chosen from. */
  logTurns: number;
  gold: boolean;
}

/** Evidence a recall gives by default. */
const RETURNED = 10;
const NEWTON_STEPS = 25;
const BINS = 10;

/** Fits logit(chance) = slope · fused + offset - log(turns) on what a recall returns. */
export async function fitCalibration(
  ground: Ground,
  services: ArmServices,
  settings: StrategySettings,
): Promise<Calibration> {
  const plan = planWith(await services.engine.plan(), settings);
  const scored = await scoredEvidence(ground, services, plan);
  let slope = 1;
  let offset = 0;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const sums = { gs: 0, go: 0, ss: 0, so: 0, oo: 0 };
    for (const { fused, logTurns, gold } of scored) {
      const chance = 1 / (1 + Math.exp(-(slope * fused + offset - logTurns)));
      const miss = Number(gold) - chance;
      const weight = chance * (1 - chance);
      sums.gs += miss * fused;
      sums.go += miss;
      sums.ss += weight * fused * fused;
      sums.so += weight * fused;
      sums.oo += weight;
    }
    const determinant = sums.ss * sums.oo - sums.so ** 2;
    slope += (sums.oo * sums.gs - sums.so * sums.go) / determinant;
    offset += (sums.ss * sums.go - sums.so * sums.gs) / determinant;
  }
  return { slope, offset, expectedError: expectedError(scored, slope, offset) };
}

async function scoredEvidence(ground: Ground, { engine }: ArmServices, plan: RecallPlan): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const { conversation, queries } of [...ground.dialogues, ...ground.friends]) {
    const logTurns = Math.log(conversation.turns.length);
    for (const query of queries) {
      const { evidence } = await engine.ask(conversation, query, plan, { limit: RETURNED, explain: true });
      for (const { turnId, explanation } of evidence)
        scored.push({ fused: explanation?.fused ?? 0, logTurns, gold: query.gold.has(turnId) });
    }
  }
  return scored;
}

function expectedError(scored: readonly Scored[], slope: number, offset: number): number {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, chance: 0, gold: 0 }));
  for (const { fused, logTurns, gold } of scored) {
    const chance = 1 / (1 + Math.exp(-(slope * fused + offset - logTurns)));
    const bin = bins[Math.min(BINS - 1, Math.floor(chance * BINS))];
    if (bin === undefined) continue;
    bin.count++;
    bin.chance += chance;
    bin.gold += Number(gold);
  }
  const off = bins.reduce((sum, { chance, gold }) => sum + Math.abs(chance - gold), 0);
  return off / scored.length;
}
