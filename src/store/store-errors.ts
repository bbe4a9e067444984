// The typed errors of a store that more than one of its files throws.
import { OntomemError, reasonOf } from '../errors.js';

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
    problem: `${what} (${reasonOf(cause)})${then}`,
    cause,
  });
}

export function unreadable(path: string, cause: unknown): OntomemError {
  if (cause instanceof OntomemError) return cause;
  return new OntomemError('STORE_CORRUPT', {
    input: path,
    problem: `cannot be read (${reasonOf(cause)})`,
    cure: 'open it again; if that does not help, restore the folder from an export',
    cause,
  });
}

/** What a failed opening means: no right, no room, no descriptors, or files that LMDB refuses. */
export function notOpened(path: string, cause: unknown): OntomemError {
  if (cause instanceof OntomemError) return cause;
  if (isShortOfFiles(cause)) return tooManyOpenFiles(path, cause);
  const denied = /permission|denied|EACCES|EROFS|read-only|space|quota/i.test(reasonOf(cause));
  return new OntomemError(denied ? 'STORE_UNWRITABLE' : 'STORE_CORRUPT', {
    input: path,
    problem: `cannot be opened (${reasonOf(cause)})`,
    ...(denied ? {} : { cure: 'restore the folder from an export; nothing in it was changed' }),
    cause,
  });
}

/** A file that nobody could look into: what it holds may well be sound. */
export function notRead(file: string, cause: unknown): OntomemError {
  if (isShortOfFiles(cause)) return tooManyOpenFiles(file, cause);
  return new OntomemError('STORE_UNWRITABLE', {
    input: file,
    problem: `may not or cannot be read (${reasonOf(cause)})`,
    cure: 'give this process the right to read and write it and look after its disk; it was left as it is',
    cause,
  });
}

export function tooManyOpenFiles(path: string, cause?: unknown): OntomemError {
  return new OntomemError('STORE_UNWRITABLE', {
    input: path,
    problem: 'cannot be opened: this process has too many open files',
    cure: 'close some of them or raise the limit of open files (ulimit -n), then try again',
    cause,
  });
}

export function isShortOfFiles(cause: unknown): boolean {
  return /EMFILE|ENFILE|too many open files/i.test(reasonOf(cause));
}
