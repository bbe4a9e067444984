// onnxruntime sessions, one a process for each model and thread count, shared by whoever has it open.

import { OntomemError } from '../../errors.js';
import { InferenceSession } from './onnxruntime.js';

interface SharedSession {
  session: Promise<InferenceSession>;
  users: number;
}

/** A session borrowed from the process's table; `release` returns it, and the last one frees its memory. */
export interface SessionLease {
  session: InferenceSession;
  release(): Promise<void>;
}

const shared = new Map<string, SharedSession>();

/**
 * Borrows the session of a model file, loading it when nobody has it. `threads` bounds the cores of one
 * operator; undefined leaves the choice to onnxruntime (one a physical core).
 * Throws ENCODER_INVALID, naming the file, when onnxruntime cannot load it.
 */
export async function leaseSession(path: string, threads: number | undefined): Promise<SessionLease> {
  const key = JSON.stringify([path, threads]);
  const entry = shared.get(key) ?? { session: createSession(path, threads), users: 0 };
  shared.set(key, entry);
  entry.users++;
  let held = true;
  const release = async (): Promise<void> => {
    if (!held) return;
    held = false;
    entry.users--;
    if (entry.users > 0) return;
    shared.delete(key);
    await entry.session.then((session) => session.release());
  };
  try {
    return { session: await entry.session, release };
  } catch (error) {
    // A failed load has nothing to free, and must not be found by the next opener.
    if (shared.get(key) === entry) shared.delete(key);
    throw error;
  }
}

async function createSession(path: string, threads: number | undefined): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      // Fatal only: every error is thrown, and a library must not write to its host's stderr.
      logSeverityLevel: 4,
      ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    });
  } catch (cause) {
    const problem = `cannot be loaded (${cause instanceof Error ? cause.message : cause})`;
    throw new OntomemError('ENCODER_INVALID', { input: path, problem, cause });
  }
}
