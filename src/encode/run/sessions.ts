// Opens a model's session, and says in typed words why it cannot be.
import { OntomemError, reasonOf } from '../../errors.js';
import { ModelSession } from '../../native/session.js';
import { libraryMisfit, runtimeLibrary } from './runtime-library.js';

/**
 * The session of a model file. `threads` bounds the cores of one operator; undefined leaves the choice to onnxruntime
 * (one a physical core). Every thread of the process that opens the same file shares its memory.
 * @throws ENCODER_INVALID, naming the file when onnxruntime cannot load it, and onnxruntime where it cannot run.
 */
export async function openSession(path: string, threads: number | undefined): Promise<ModelSession> {
  const library = runtimeLibrary();
  try {
    return await ModelSession.open(library, path, threads ?? 0);
  } catch (cause) {
    const misfit = libraryMisfit();
    if (misfit !== undefined) throw misfit;
    const problem = `cannot be loaded (${reasonOf(cause)})`;
    throw new OntomemError('ENCODER_INVALID', { input: path, problem, cause });
  }
}
