// bench tune: runs every grid again on train and dev and writes the constants, with the curves that chose them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import type { ArmServices } from '../quality/arm.js';
import { cachedServices, encoderOption, withEncoder } from '../quality/bench-encoder.js';
import { round } from '../quality/summary.js';
import { fitCalibration } from './calibration.js';
import { type Curve, descend } from './descent.js';
import { BASELINE_GRIDS, STRATEGY_GRID, type Tunable } from './grids.js';
import { CHOSEN_ON, type Ground, objective, prepareGround } from './objective.js';

/** dist/bench/tune -> the package root. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = {
  strategy: 'src/retrieve/tuned.ts',
  baselines: 'bench/quality/tuned.ts',
  curves: 'bench/tune/curves.json',
} as const;
const SEED = 1;

export const command: Command = {
  name: 'bench tune',
  words: '',
  summary: 'Chooses every constant again on IPR train and dev; writes them, or with --check compares them.',
  example: 'npm run -s bench -- tune --check',
  options: {
    encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder (ONTOMEM_ENCODER)' },
    only: {
      type: 'string',
      value: 'A,B',
      help: 'strategy, or baselines by name; all when absent',
    },
    check: { type: 'boolean', help: 'write nothing; fail where a committed constant differs' },
  },
  async run(invocation) {
    const only = invocation.text('only')?.split(',');
    const wanted = (name: string) => only === undefined || only.includes(name);
    await withEncoder(encoderOption(invocation), async (opened) => {
      const { encoder } = opened;
      const services = cachedServices(opened);
      const ground = await prepareGround(services, SEED);
      const curves: Record<string, { score: number; curves: readonly Curve[] }> = {};
      const chosen: Record<string, Record<string, number>> = {};
      for (const tunable of [STRATEGY_GRID, ...BASELINE_GRIDS] as Array<Tunable<Record<string, number>>>) {
        if (!wanted(tunable.name)) continue;
        const tuned = await tune(tunable, ground, services);
        chosen[tunable.name] = tuned.settings;
        curves[tunable.name] = { score: round(tuned.score), curves: rounded(tuned.curves) };
        process.stderr.write(
          `${tunable.name}: ${tuned.score.toFixed(4)} ${JSON.stringify(tuned.settings)}\n`,
        );
      }
      if (wanted(STRATEGY_GRID.name)) await calibrate(chosen, ground, services);
      const result = {
        bench: 'tune',
        chosenOn: CHOSEN_ON,
        encoder: encoder.identity.name,
        chosen,
      };
      const differing = differences(chosen);
      if (invocation.flag('check')) {
        process.exitCode = differing.length === 0 ? 0 : 1;
      } else {
        writeConstants(chosen);
        writeCurves({ chosenOn: CHOSEN_ON, seed: SEED, encoder: encoder.identity.name, curves });
      }
      if (invocation.flag('json')) printJson({ ...result, differing });
      else {
        print(differing.length === 0 ? 'every constant is the committed one' : differing.join('\n'));
      }
    });
  },
};

function tune(tunable: Tunable<Record<string, number>>, ground: Ground, services: ArmServices) {
  return descend(tunable.start, tunable.grid, (settings) =>
    objective(tunable.arm(settings), ground, services),
  );
}

/** The calibration belongs to the constants chosen before it. */
async function calibrate(
  chosen: Record<string, Record<string, number>>,
  ground: Ground,
  services: ArmServices,
): Promise<void> {
  const settings = { ...STRATEGY_GRID.start, ...chosen[STRATEGY_GRID.name] };
  const { slope, offset, expectedError } = await fitCalibration(ground, services, settings);
  const hundredths = (value: number) => Math.round(value * 100) / 100;
  chosen[STRATEGY_GRID.name] = {
    ...settings,
    calibrationSlope: hundredths(slope),
    calibrationOffset: hundredths(offset),
  };
  process.stderr.write(`calibration: expected error ${expectedError.toFixed(4)}\n`);
}

/** Constants that came out otherwise than they are committed. */
function differences(chosen: Readonly<Record<string, Record<string, number>>>): string[] {
  return [STRATEGY_GRID, ...BASELINE_GRIDS].flatMap(({ name, committed: before }) =>
    Object.entries(chosen[name] ?? {}).flatMap(([constant, value]) => {
      const committed = (before as Record<string, number>)[constant];
      return committed === value ? [] : [`${name}.${constant}: committed ${committed}, chosen ${value}`];
    }),
  );
}

function writeConstants(chosen: Record<string, Record<string, number>>): void {
  for (const [name, settings] of Object.entries(chosen)) {
    const file = join(ROOT, name === STRATEGY_GRID.name ? FILES.strategy : FILES.baselines);
    let text = readFileSync(file, 'utf8');
    for (const [constant, value] of Object.entries(settings)) text = replaced(text, name, constant, value);
    writeFileSync(file, text);
  }
}

interface CurveFile {
  chosenOn: readonly string[];
  seed: number;
  encoder: string;
  curves: Record<string, { score: number; curves: readonly Curve[] }>;
}

/** Curves of methods that were not run this time stay. */
function writeCurves(document: CurveFile): void {
  const file = join(ROOT, FILES.curves);
  // Written by this program.
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CurveFile).curves : {};
  const curves = { ...before, ...document.curves };
  writeFileSync(file, `${JSON.stringify({ ...document, curves }, undefined, 1)}\n`);
}

/** The constant of a method's block with its new value; the files hold one `name: value,` a line. */
function replaced(text: string, method: string, constant: string, value: number): string {
  const block = text.indexOf(method === STRATEGY_GRID.name ? 'TUNED_STRATEGY' : `  '${method}': {`);
  const plain = block < 0 ? text.indexOf(`  ${method}: {`) : block;
  const at = text.indexOf(`${constant}: `, plain);
  const end = text.indexOf(',', at);
  return `${text.slice(0, at)}${constant}: ${value}${text.slice(end)}`;
}

function rounded(curves: readonly Curve[]): Curve[] {
  return curves.map(({ constant, values }) => ({
    constant,
    values: values.map(({ value, score }) => ({ value, score: round(score) })),
  }));
}
