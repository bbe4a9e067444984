// One opening of a store's LMDB files. Every function here runs under the store's lock.
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { OntomemError } from '../errors.js';
import { dropReaders, holdReaders, markReaders, READERS_NO_ROOM } from '../native/lock.js';
import { assureDescriptors } from './descriptors.js';
import { FileRoom } from './file-room.js';
import { noStore } from './store-errors.js';
import {
  DATA_FILE,
  dataFileName,
  filesIdentity,
  mayWriteTo,
  OWNER_FILE,
  READER_TABLE,
  refuseLockFile,
} from './store-folder.js';
import { BINARY, type Databases, openDatabases, TABLE_NAMES } from './tables.js';

/** An open data file. */
export interface LmdbFiles {
  root: RootDatabase<Buffer, Buffer>;
  databases: Databases;
  /** Which data file this is; see `filesIdentity`. */
  identity: string | undefined;
  /** See `dataFileName`. */
  name: string;
  /** Room on its disk. */
  room: FileRoom;
  /** Of the reader table; negative where the folder may only be read. */
  readers: number;
}

/**
 * Opens what is in the folder; a writer makes what is missing. LMDB opens a store once a process, however
 * many memories have it, and with the rights of the first: so readers ask for the right to write too where
 * the folder gives it, and a writer can come after them.
 * @throws NOT_FOUND for a reader of an unfinished store, STORE_UNWRITABLE without descriptors or without a
 * reader table that can be written to.
 */
export async function openFiles(path: string, readOnly: boolean): Promise<LmdbFiles> {
  assureDescriptors(path);
  refuseLockFile(join(path, READER_TABLE), readOnly);
  const readers = mayWriteTo(path) ? holdReaders(join(path, READER_TABLE)) : -1;
  if (readers === READERS_NO_ROOM) {
    throw new OntomemError('STORE_UNWRITABLE', { input: path, problem: 'has no room for its reader table' });
  }
  if (readers < 0 && !readOnly) {
    throw new OntomemError('STORE_UNWRITABLE', { input: path, problem: 'cannot be written to' });
  }
  let root: RootDatabase<Buffer, Buffer> | undefined;
  try {
    root = openRoot(path, readers < 0);
    if (readers >= 0) markReaders(readers);
    const databases = openDatabases(root, !readOnly);
    if (databases === undefined) throw noStore(path);
    const room = new FileRoom(join(path, DATA_FILE));
    return { root, databases, identity: filesIdentity(path), name: dataFileName(path), room, readers };
  } catch (error) {
    await root?.close();
    // The files may be open elsewhere in this process, and a failed opening took the mark away.
    if (readers >= 0) markReaders(readers);
    if (readers >= 0) dropReaders(readers);
    throw error;
  }
}

function openRoot(path: string, readOnly: boolean): RootDatabase<Buffer, Buffer> {
  return open<Buffer, Buffer>({
    path,
    ...BINARY,
    // A folder whose name has a dot would be taken for a file.
    noSubdir: false,
    maxDbs: TABLE_NAMES.length,
    readOnly,
    permissionsMode: OWNER_FILE,
    // A commit is acknowledged only once it is on the disk.
    overlappingSync: false,
    // With it a commit that fails rejects a promise that nobody can hold, which ends the process.
    eventTurnBatching: false,
  } as Parameters<typeof open>[0]) as RootDatabase<Buffer, Buffer>;
}

export async function closeFiles({ root, room, readers }: LmdbFiles): Promise<void> {
  room.giveBack();
  await root.close();
  if (readers >= 0) dropReaders(readers);
}
