// The results a report is made of: found in its folder, or run now.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Invocation } from '../../../src/cli/command.js';
import type { BenchResult } from '../summary.js';

/** A benchmark's JSON: the main part's fields, and further parts under their names. */
export type BenchDocument = BenchResult & Record<string, unknown>;

const BENCHES = {
  ipr: () => import('../commands/ipr.js'),
  locomo: () => import('../commands/locomo.js'),
  prefeval: () => import('../commands/prefeval.js'),
  laps: () => import('../commands/laps.js'),
  ablation: () => import('../commands/ablation.js'),
  scaling: () => import('../commands/scaling.js'),
  coldstart: () => import('../commands/coldstart.js'),
  pathology: () => import('../commands/pathology.js'),
} as const;
export type BenchName = keyof typeof BENCHES;

/** What each benchmark needs of the folder that --data names; the others need nothing. */
const DATA: Partial<Record<BenchName, string>> = {
  locomo: 'locomo10.json',
  prefeval: 'prefeval',
  laps: 'laps',
  ablation: 'locomo10.json',
};
/** Runs without its data as well, with less in it. */
const DATA_OPTIONAL: readonly BenchName[] = ['ablation'];

export interface EncoderResults {
  encoder: string;
  documents: Partial<Record<BenchName, BenchDocument>>;
}

export interface ResultSource {
  invocation: Invocation;
  /** Where the JSON of this encoder lies or goes. */
  folder: string;
  encoder: string | undefined;
  /** Folder of the public sets, when there is one. */
  data: string | undefined;
  fresh: boolean;
}

/** Every result of one encoder; what lies in the folder is taken as it is, unless `fresh`. */
export async function collect(source: ResultSource): Promise<EncoderResults> {
  const documents: EncoderResults['documents'] = {};
  for (const name of Object.keys(BENCHES) as BenchName[]) {
    const file = join(source.folder, `${name}.json`);
    if (source.fresh || !existsSync(file)) {
      if (!(await runOne(name, source))) continue;
    }
    // Written by this program, by `emit`.
    documents[name] = JSON.parse(readFileSync(file, 'utf8')) as BenchDocument;
  }
  return { encoder: Object.values(documents)[0]?.encoder ?? '', documents };
}

/** A part of a document under its name; the main part is the document. */
export function partOf(document: BenchDocument | undefined, name: string): BenchResult | undefined {
  const part = document?.[name];
  return typeof part === 'object' && part !== null && 'arms' in part ? (part as BenchResult) : undefined;
}

async function runOne(name: BenchName, source: ResultSource): Promise<boolean> {
  const wanted = DATA[name];
  const path = wanted !== undefined && source.data !== undefined ? join(source.data, wanted) : undefined;
  const there = path !== undefined && existsSync(path);
  if (wanted !== undefined && !there && !DATA_OPTIONAL.includes(name)) return false;
  process.stderr.write(`${source.encoder ?? 'default encoder'}: ${name}\n`);
  const set: Readonly<Record<string, string | undefined>> = {
    out: source.folder,
    data: there ? path : undefined,
    encoder: source.encoder,
    // Its arms are its own.
    ...(name === 'ablation' ? { arms: undefined } : {}),
  };
  const { command } = await BENCHES[name]();
  await command.run({
    ...source.invocation,
    text: (option) => (Object.hasOwn(set, option) ? set[option] : source.invocation.text(option)),
    flag: (option) => option === 'quiet' || source.invocation.flag(option),
  });
  return true;
}
