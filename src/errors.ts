// The one table of typed errors: what can go wrong, the HTTP status it maps to, and what the caller can do.
import { types } from 'node:util';

/** Every error ontomem throws on purpose. `status` is the HTTP status, `cure` completes the message. */
export const ERROR_TABLE = {
  INVALID_ARGUMENT: { status: 400, cure: 'pass a value of the documented type and range' },
  SCOPE_INVALID: {
    status: 400,
    cure: 'pass scope: { tenant, user }, both non-empty strings of at most 512 bytes',
  },
  TEXT_TOO_LONG: { status: 413, cure: 'split the text into turns, or raise limits.textBytes when opening' },
  TEXT_INVALID: { status: 400, cure: 'pass well-formed text: no lone surrogates' },
  DATE_INVALID: { status: 400, cure: 'pass an ISO 8601 date, a Date or milliseconds since the epoch' },
  TURN_CONFLICT: { status: 409, cure: 'use a new id, or forget the stored turn first' },
  NOT_FOUND: { status: 404, cure: 'pass an id that turns() or recall() returned for this scope' },
  SOURCE_INVALID: { status: 422, cure: 'correct the file at the place named and run the command again' },
  SOURCE_TRUNCATED: { status: 422, cure: 'take the file again from its source; nothing of it was written' },
  STORE_LOCKED: { status: 423, cure: 'close the other process, or open with readOnly: true' },
  STORE_NEWER: { status: 409, cure: 'upgrade ontomem to read this store' },
  STORE_CORRUPT: {
    status: 500,
    cure: 'restore the folder from an export; the bad file was set aside, not deleted',
  },
  STORE_UNWRITABLE: { status: 500, cure: 'give this process write permission and free disk space' },
  STORE_READ_ONLY: { status: 403, cure: 'open the store without readOnly to write to it' },
  STORE_CLOSED: { status: 410, cure: 'open the memory again with openMemory' },
  ENCODER_MISMATCH: { status: 409, cure: 'open with the encoder of the store, or re-encode it' },
  ENCODER_INVALID: {
    status: 422,
    cure: 'pass a folder with model.onnx or *.safetensors, tokenizer.json and config.json',
  },
  ENCODER_FAILED: { status: 502, cure: 'see the cause; nothing of this call was stored, so try it again' },
  ENCODER_NOT_FOUND: { status: 404, cure: 'add it with: ontomem encoder add FOLDER' },
  ENCODER_CLOSED: { status: 410, cure: 'open the encoder again with openEncoder' },
  ENCODER_FETCH_FAILED: {
    status: 502,
    cure: 'check the hub id and the connection, then run the command again: it resumes',
  },
  CHECKPOINT_INVALID: { status: 500, cure: 'install the package again, or train the checkpoint anew' },
  ABORTED: { status: 499, cure: 'the caller aborted; whatever was acknowledged before is kept' },
  NATIVE_MISSING: { status: 500, cure: 'build it with: npm rebuild ontomem (a C++20 compiler is needed)' },
  NATIVE_STALE_HANDLE: { status: 409, cure: 'open the shard again: it was closed or evicted since' },
  NATIVE_BAD_ARGUMENT: { status: 500, cure: 'report this with the call that led to it' },
  NATIVE_NOT_FINITE: { status: 400, cure: 'pass finite numbers: no NaN, no infinity' },
  NATIVE_OUT_OF_MEMORY: { status: 503, cure: 'lower limits.residentBytes or give the process more memory' },
  NATIVE_LIMIT_EXCEEDED: { status: 413, cure: 'spread the data over more scopes' },
  NATIVE_FAILED: { status: 500, cure: 'report this with the code and the input that led to it' },
} as const;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** What was wrong: `input` names the argument or file, `problem` says what is wrong with it. */
export interface ErrorDetails {
  input: string;
  problem: string;
  /** Replaces the table's cure where the situation allows a more exact one. */
  cure?: string;
  cause?: unknown;
}

/** An error with a stable `code`; its message reads "input: problem; cure". */
export class OntomemError extends Error {
  readonly code: ErrorCode;
  readonly input: string;
  readonly problem: string;
  readonly status: number;
  readonly cure: string;

  constructor(code: ErrorCode, details: ErrorDetails) {
    const cure = details.cure ?? ERROR_TABLE[code].cure;
    super(`${details.input}: ${details.problem}; ${cure}`, { cause: details.cause });
    this.name = 'OntomemError';
    this.code = code;
    this.input = details.input;
    this.problem = details.problem;
    this.status = ERROR_TABLE[code].status;
    this.cure = cure;
  }
}

/**
 * What a thrown value says of itself, whatever it is: callers' getters, proxies and encoders throw anything. Errors of
 * another realm count: under jest and in any `vm` context Node's own are no `instanceof Error` of ours.
 */
export function reasonOf(cause: unknown): string {
  try {
    return types.isNativeError(cause) || cause instanceof Error ? cause.message : String(cause);
  } catch {
    return 'what was thrown cannot be read';
  }
}
