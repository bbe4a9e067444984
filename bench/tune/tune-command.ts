// bench tune: runs every grid again on train and dev and writes the constants, with the curves that chose them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import { encoderOption, servicesOf, withEncoder } from '../quality/bench-encoder.js';
import { round } from '../quality/summary.js';
import { ABSTENTION } from './abstention.js';
import { fitCalibration } from './calibration.js';
import { crossEncoderGrid } from './cross-encoder.js';
import { type Curve, descend } from './descent.js';
import { BASELINE_GRIDS, STRATEGY_GRID } from './grids.js';
import { CHOSEN_ON, prepareGround } from './objective.js';
import { SMALL_SCOPES } from './small-scopes.js';
import { QUERY_CONTEXT, TEXT_FORMS } from './text-choices.js';
import type { Constants, Tunable, TuneBench } from './tunable.js';

/** dist/bench/tune -> the package root. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CURVES = 'bench/tune/curves.json';
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
    reranker: { type: 'string', value: 'DIR', help: 'chooses the weight of this cross-encoder as well' },
    check: {
      type: 'boolean',
      help: 'write nothing; fail where a committed constant or curve comes out otherwise',
    },
    json: { type: 'boolean', help: 'print what was chosen as JSON' },
  },
  async run(invocation) {
    const only = invocation.text('only')?.split(',');
    const reranker = invocation.text('reranker');
    if (reranker === undefined) process.stderr.write('cross-encoder left out: pass --reranker FOLDER.\n');
    const wanted = tunables(reranker).filter(({ name }) => only === undefined || only.includes(name));
    await withEncoder(encoderOption(invocation), async (opened) => {
      const services = servicesOf(opened);
      const bench: TuneBench = { ground: await prepareGround(services, SEED), services, seed: SEED };
      const curves: CurveFile['curves'] = {};
      const chosen: Record<string, Constants> = {};
      for (const tunable of wanted) {
        const tuned = await descend(
          tunable.start,
          tunable.grid,
          await tunable.measure(bench),
          tunable.leastGain,
        );
        chosen[tunable.name] = tuned.settings;
        curves[tunable.name] = { score: round(tuned.score), curves: rounded(tuned.curves) };
        process.stderr.write(
          `${tunable.name}: ${tuned.score.toFixed(4)} ${JSON.stringify(tuned.settings)}\n`,
        );
      }
      if (wanted.some(({ name }) => name === STRATEGY_GRID.name)) await calibrate(chosen, bench);
      const encoder = opened.encoder.identity.name;
      const differing = [...differences(wanted, chosen), ...differingCurves(curves)];
      if (invocation.flag('check')) {
        process.exitCode = differing.length === 0 ? 0 : 1;
      } else {
        writeConstants(wanted, chosen);
        writeCurves({ chosenOn: CHOSEN_ON, seed: SEED, encoder, curves });
      }
      if (invocation.flag('json'))
        printJson({ bench: 'tune', chosenOn: CHOSEN_ON, encoder, chosen, differing });
      else print(differing.length === 0 ? 'every constant is the committed one' : differing.join('\n'));
    });
  },
};

/** All that is tuned; the cross-encoder where its folder is given. */
export function tunables(reranker?: string): Array<Tunable<Constants>> {
  const own = [STRATEGY_GRID, SMALL_SCOPES, ABSTENTION, TEXT_FORMS, QUERY_CONTEXT, ...BASELINE_GRIDS];
  // The descent replaces values of the constants that `start` has, and adds none.
  return [...own, ...(reranker === undefined ? [] : [crossEncoderGrid(reranker)])] as Array<
    Tunable<Constants>
  >;
}

/** The calibration belongs to the constants chosen before it. */
async function calibrate(chosen: Record<string, Constants>, { ground, services }: TuneBench): Promise<void> {
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
function differences(
  wanted: ReadonlyArray<Tunable<Constants>>,
  chosen: Readonly<Record<string, Constants>>,
): string[] {
  return wanted.flatMap(({ name, committed }) =>
    Object.entries(chosen[name] ?? {}).flatMap(([constant, value]) =>
      committed[constant] === value
        ? []
        : [`${name}.${constant}: committed ${committed[constant]}, chosen ${value}`],
    ),
  );
}

function writeConstants(
  wanted: ReadonlyArray<Tunable<Constants>>,
  chosen: Readonly<Record<string, Constants>>,
): void {
  for (const { name, place } of wanted) {
    if (place === undefined) continue;
    const file = join(ROOT, place.file);
    let text = readFileSync(file, 'utf8');
    for (const [constant, value] of Object.entries(chosen[name] ?? {}))
      text = replaced(text, place.block, constant, value);
    writeFileSync(file, text);
  }
}

interface CurveFile {
  chosenOn: readonly string[];
  seed: number;
  encoder: string;
  curves: Record<string, { score: number; curves: readonly Curve[] }>;
}

function committedCurves(): CurveFile['curves'] {
  const file = join(ROOT, CURVES);
  // Written by this program.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CurveFile).curves : {};
}

/** Curves that came out otherwise than they are committed, by the name of what they chose. */
function differingCurves(curves: CurveFile['curves']): string[] {
  const committed = committedCurves();
  return Object.entries(curves).flatMap(([name, own]) =>
    isDeepStrictEqual(committed[name], JSON.parse(JSON.stringify(own))) ? [] : [`${name}: another curve`],
  );
}

/** Curves of methods that were not run this time stay. */
function writeCurves(document: CurveFile): void {
  const curves = { ...committedCurves(), ...document.curves };
  writeFileSync(join(ROOT, CURVES), `${JSON.stringify({ ...document, curves }, undefined, 1)}\n`);
}

/** The constant of a block with its new value; the files hold one `name: value,` a line. */
function replaced(text: string, block: string, constant: string, value: number): string {
  const at = text.indexOf(`${constant}: `, text.indexOf(block));
  return `${text.slice(0, at)}${constant}: ${value}${text.slice(text.indexOf(',', at))}`;
}

function rounded(curves: readonly Curve[]): Curve[] {
  return curves.map(({ constant, values }) => ({
    constant,
    values: values.map(({ value, score }) => ({ value, score: round(score) })),
  }));
}
