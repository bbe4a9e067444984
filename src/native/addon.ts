// The native addon: the one file that loads it and types its failures.
import { createRequire } from 'node:module';
import { ERROR_TABLE, type ErrorCode, OntomemError } from '../errors.js';
import { CANDIDATE_FEATURES, RECALL_PARAMETERS, RECALL_STATS, SCORE_PARTS } from './layout.js';
import type { Addon } from './types.js';

const require = createRequire(import.meta.url);
/** The loaded addon; the files beside this one say what its calls take and give. */
export const addon: Addon = load();

if (addon.layout.isaWarning !== undefined)
  process.emitWarning(`${addon.layout.isaWarning}; ${addon.layout.isa} is used`, { code: 'ONTOMEM_ISA' });

/** Built here first, then the prebuilt one of this platform. */
function load(): Addon {
  const platform = `${process.platform}-${process.arch}`;
  const places = [
    '../../../build/Release/ontomem.node',
    `../../../prebuilds/ontomem-${platform}/node-napi-v8.node`,
  ];
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      const loaded: Addon = require(place);
      checkLayout(loaded);
      return loaded;
    } catch (cause) {
      if (cause instanceof OntomemError) throw cause;
      failures.push(cause);
    }
  }
  throw new OntomemError('NATIVE_MISSING', {
    input: 'native addon',
    problem: `none loads on ${platform}`,
    cause: new AggregateError(failures),
  });
}

/** An addon built from other sources would read every number in the wrong place. */
function checkLayout({ layout }: Addon): void {
  const pairs: Array<[string, readonly string[], readonly string[]]> = [
    ['parameters', layout.parameters, RECALL_PARAMETERS],
    ['features', layout.features, CANDIDATE_FEATURES],
    ['parts', layout.parts, SCORE_PARTS],
    ['stats', layout.stats, RECALL_STATS],
  ];
  for (const [name, native, expected] of pairs) {
    if (native.join() === expected.join()) continue;
    throw new OntomemError('NATIVE_MISSING', {
      input: 'native addon',
      problem: `it was built from other sources: its ${name} differ`,
    });
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && code in ERROR_TABLE;
}

/** Runs a native call; what it throws becomes a typed error that names the call and the argument. */
export function guarded<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    throw new OntomemError(isErrorCode(code) ? code : 'NATIVE_FAILED', {
      input: name,
      problem: String(message),
      cause,
    });
  }
}

/** The instruction set in use: avx512-wide, avx512, avx2, neon or scalar (ONTOMEM_ISA overrides it). */
export const nativeIsa = addon.layout.isa;
