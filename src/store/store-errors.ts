// The typed errors of a store that more than one of its files throws.
import { OntomemError } from '../errors.js';

export function storeClosed(path: string): OntomemError {
  return new OntomemError('STORE_CLOSED', { input: path, problem: 'the memory was closed' });
}

export function noStore(path: string): OntomemError {
  return new OntomemError('NOT_FOUND', {
    input: path,
    problem: 'holds no store',
    cure: 'open it once without readOnly',
  });
}

/** `what` says which step failed, `then` what that means for what is stored. */
export function unwritable(path: string, what: string, cause: unknown, then = ''): OntomemError {
  if (cause instanceof OntomemError) return cause;
  return new OntomemError('STORE_UNWRITABLE', {
    input: path,
    problem: `${what} (${reason(cause)})${then}`,
    cause,
  });
}

export function unreadable(path: string, cause: unknown): OntomemError {
  if (cause instanceof OntomemError) return cause;
  return new OntomemError('STORE_CORRUPT', {
    input: path,
    problem: `cannot be read (${reason(cause)})`,
    cure: 'open it again; if that does not help, restore the folder from an export',
    cause,
  });
}

/** What a failed opening means: no right or no room to write, or files that LMDB refuses. */
export function notOpened(path: string, cause: unknown): OntomemError {
  if (cause instanceof OntomemError) return cause;
  const denied = /permission|denied|EACCES|EROFS|read-only|space|quota/i.test(reason(cause));
  return new OntomemError(denied ? 'STORE_UNWRITABLE' : 'STORE_CORRUPT', {
    input: path,
    problem: `cannot be opened (${reason(cause)})`,
    cause,
  });
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
