// The benchmarks behind one word each: `npm run -s bench -- NAME [options]`.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, exitCode, helpOf, readInvocation, UsageError } from '../src/cli/command.js';
import { endQuietlyOnClosedPipe, print } from '../src/cli/output.js';

interface Bench {
  summary: string;
  load(): Promise<{ command: Command }>;
}

/** Every benchmark; a module is loaded only when it is asked for. */
const BENCHES: Readonly<Record<string, Bench>> = {
  ipr: {
    summary: 'Implicit Preference Recall: keyword-free queries over dialogues of several weeks',
    load: () => import('./quality/commands/ipr.js'),
  },
  'ipr-sheet': {
    summary: 'one person of IPR as a reader is given it: numbered turns and requests, no labels',
    load: () => import('./ipr/sheet-command.js'),
  },
  'ipr-review': {
    summary: 'drawn requests of IPR with gold and nearest distractors, for a reader of the benchmark itself',
    load: () => import('./ipr/review-command.js'),
  },
  locomo: {
    summary: 'recall of evidence on the public LoCoMo conversations',
    load: () => import('./quality/commands/locomo.js'),
  },
  prefeval: {
    summary: 'PrefEval preferences stitched into LoCoMo conversations, in three forms',
    load: () => import('./quality/commands/prefeval.js'),
  },
  laps: {
    summary: 'the turns that state the gold preferences of LAPS',
    load: () => import('./quality/commands/laps.js'),
  },
  ablation: {
    summary: "ontomem's recall with one part at a time left out",
    load: () => import('./quality/commands/ablation.js'),
  },
  scaling: {
    summary: 'implicit recall as the history grows from 1x to 8x',
    load: () => import('./quality/commands/scaling.js'),
  },
  coldstart: {
    summary: 'implicit recall for users of at most ten turns',
    load: () => import('./quality/commands/coldstart.js'),
  },
  pathology: {
    summary: 'implicit recall over aliases, long gaps, ellipsis and changes of mind',
    load: () => import('./quality/commands/pathology.js'),
  },
  kernels: {
    summary: 'the search kernels beside an FMA loop and a streaming read',
    load: () => import('./speed/kernels.js'),
  },
  latency: {
    summary: 'a whole recall in the engine, by size of the user and number of threads',
    load: () => import('./speed/latency.js'),
  },
  deadlines: {
    summary: 'recalls that come later than their deadline, by what else the process does',
    load: () => import('./speed/deadlines.js'),
  },
  load: {
    summary: 'bringing one large user into memory, and the bytes and recall of each vector format',
    load: () => import('./speed/load.js'),
  },
  peers: {
    summary: 'exact search beside usearch, SimSIMD, hnswlib and FAISS',
    load: () => import('./speed/peers.js'),
  },
  memories: {
    summary: 'recall, time and bytes of mem0 and the LangGraph store beside ours',
    load: () => import('./quality/commands/memories.js'),
  },
  tune: {
    summary: 'chooses every constant again on IPR train and dev, and writes them with their curves',
    load: () => import('./tune/tune-command.js'),
  },
  'train-query-lift': {
    summary: 'trains the map from requests to statements on the train split',
    load: () => import('./train/query-lift.js'),
  },
  report: {
    summary: "the paper's tables and figures beside ours, as Markdown and SVG",
    load: () => import('./quality/commands/report.js'),
  },
};

async function find(name: string | undefined): Promise<Command> {
  const bench = name !== undefined && Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (bench === undefined) {
    throw new UsageError(
      `there is no benchmark '${name ?? ''}'; there are ${Object.keys(BENCHES).join(', ')}`,
    );
  }
  return (await bench.load()).command;
}

function overview(): string {
  const width = Math.max(...Object.keys(BENCHES).map((name) => name.length)) + 2;
  const rows = Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
  return ['Usage: npm run -s bench -- NAME [options]', '', ...rows, '', 'NAME --help says more.'].join('\n');
}

/** Runs the benchmark that the first word names. @throws UsageError when there is none. */
export async function runBench(argv: readonly string[]): Promise<void> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help') return print(overview());
  const command = await find(name);
  if (rest.includes('--help')) return print(helpOf(command));
  await command.run(readInvocation(command, rest));
}

const started = process.argv[1];
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  endQuietlyOnClosedPipe();
  runBench(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCode(error);
  });
}
