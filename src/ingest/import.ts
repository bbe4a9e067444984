// Import: an archive is checked to its end before the first of its turns is written.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { breathe } from '../breather.js';
import { checkMoment, checkText, read } from '../contract/check.js';
import { sameEncoder } from '../contract/encoder.js';
import type { Imported, ImportRequest } from '../contract/ingest.js';
import { checkMeta } from '../contract/meta.js';
import type { Scope } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import { unitVectorProblem } from '../encode/checked-encoder.js';
import { OntomemError } from '../errors.js';
import { OWNER_FILE } from '../store/store-folder.js';
import type { IndexedTurn } from '../store/turns/turn-writer.js';
import {
  type ArchiveHeader,
  ArchiveSum,
  type ArchiveTurn,
  footerSchema,
  fromBase64,
  headerSchema,
  turnSchema,
} from './archive.js';
import { analyse, indexTurns, writeTurns } from './index-turns.js';
import type { IngestParts } from './parts.js';
import { saysTheSame } from './prepare.js';
import type { Importing } from './requests.js';
import { checkSource } from './sources/check-source.js';
import { fileLines } from './sources/file-lines.js';

/** Turns read, encoded and written together: two transactions. */
const BATCH = 200;

/** What an import needs of the memory it writes to. */
export interface ImportPlace {
  /** Runs a task on a scope when what was asked of that scope before is done. */
  inTurn: <T>(scope: Scope, task: () => Promise<T>) => Promise<T>;
  /**
   * Makes a folder inside the store: the archive's text is as safe there as the store, and what a killed
   * import leaves is removed at the next opening.
   */
  makeSpoolFolder: () => string;
}

/**
 * Writes an exported scope. The whole stream is checked (order, fields, count, sum) into a spool file and
 * then against what is stored before the first write, so a damaged archive writes nothing. Vectors are
 * taken over when the encoder is the store's own, else the texts are encoded again.
 * @throws SOURCE_INVALID, SOURCE_TRUNCATED, TURN_CONFLICT, STORE_UNWRITABLE (also for the spool).
 */
export async function importScope(
  parts: IngestParts,
  { inTurn, makeSpoolFolder }: ImportPlace,
  { records, scope: wanted }: Importing,
): Promise<Imported> {
  const folder = makeSpoolFolder();
  const spool = join(folder, 'turns.jsonl');
  let imported: Imported;
  try {
    const { header, repeated } = await spoolChecked(parts, records, spool);
    const scope = wanted ?? header.scope;
    imported = await inTurn(scope, async () => {
      for await (const turn of turnsOf(spool)) refuseConflict(parts, scope, turn);
      const { stored, unchanged } = await write(parts, scope, header, spool);
      return { scope, stored, unchanged: unchanged + repeated };
    });
  } catch (error) {
    await removeSpool(folder);
    throw error;
  }
  const left = await removeSpool(folder);
  if (left !== undefined) throw spoolLeft(folder, left);
  return imported;
}

/** What went wrong, which must not take the place of what an import failed with. */
async function removeSpool(folder: string): Promise<unknown> {
  try {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return error;
  }
}

async function write(parts: IngestParts, scope: Scope, header: ArchiveHeader, spool: string) {
  const takeVectors = sameEncoder(header.encoder, parts.encoder.identity);
  const counts = { stored: 0, unchanged: 0 };
  for await (const batch of batches(spool)) {
    const fresh = batch.filter(({ id }) => storedTurn(parts, scope, id) === undefined);
    await breathe();
    const indexed = takeVectors
      ? await withVectors(fresh)
      : await indexTurns(parts.encoder, fresh.map(plainTurn));
    await writeTurns(parts, scope, indexed);
    counts.stored += indexed.length;
    counts.unchanged += batch.length - indexed.length;
  }
  return counts;
}

/**
 * Reads the archive to its footer and keeps its turns in the spool file, each id once; returns the header,
 * and how many turns stood in it again. @throws TURN_CONFLICT when a turn stands in it again in other words.
 */
async function spoolChecked(
  parts: IngestParts,
  records: ImportRequest['records'],
  spool: string,
): Promise<{ header: ArchiveHeader; repeated: number }> {
  let header: ArchiveHeader | undefined;
  let repeated = 0;
  const sum = new ArchiveSum();
  const said = new Map<string, string>();
  async function* turnLines(): AsyncGenerator<string> {
    let closed = false;
    for await (const value of records) {
      await breathe();
      const input = `record ${sum.turns + (header === undefined ? 1 : 2)}`;
      if (closed) throw new OntomemError('SOURCE_INVALID', { input, problem: 'comes after the footer' });
      if (header === undefined) {
        header = checkSource(headerSchema, value, input);
        sum.add(header);
      } else if (read(() => (value as { kind?: unknown } | null)?.kind, input) === 'footer') {
        checkFooter(sum, value, input);
        closed = true;
      } else {
        const turn = checkTurn(parts, value, input, header.encoder.dimension);
        sum.add(turn);
        const words = wordsSum(turn);
        const before = said.get(turn.id);
        said.set(turn.id, words);
        if (before === undefined) yield `${JSON.stringify(turn)}\n`;
        else if (before === words) repeated++;
        else throw conflict(turn.id, 'stands in it twice, with different words');
      }
    }
    if (!closed) throw truncated('archive', `ends after ${sum.turns} turns without its footer`);
  }
  try {
    await pipeline(turnLines, createWriteStream(spool, { mode: OWNER_FILE }));
  } catch (error) {
    const { syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
    throw syscall === 'write' || path === spool ? spoolFailed(spool, error) : error;
  }
  if (header === undefined) throw truncated('archive', 'is empty');
  return { header, repeated };
}

function checkFooter(sum: ArchiveSum, value: unknown, input: string): void {
  const found = checkSource(footerSchema, value, input);
  const { turns, sha256 } = sum.footer();
  if (found.turns === turns && found.sha256 === sha256) return;
  throw truncated(
    input,
    found.turns === turns
      ? `closes ${turns} turns that were changed, or a header that was`
      : `promises ${found.turns} turns, ${turns} came`,
  );
}

function checkTurn(parts: IngestParts, value: unknown, input: string, dimension: number): ArchiveTurn {
  const turn = checkSource(turnSchema, value, input);
  checkText(turn.text, `${input}.text`, parts.limits.textBytes);
  checkText(turn.caption ?? '', `${input}.caption`, parts.limits.textBytes);
  checkMoment(turn.at, `${input}.at`);
  if (turn.meta !== undefined) turn.meta = checkMeta(turn.meta, `${input}.meta`, parts.limits.metaBytes);
  const vector = fromBase64(turn.vector);
  if (vector.length === dimension && unitVectorProblem(vector) === undefined) return turn;
  throw new OntomemError('SOURCE_INVALID', {
    input: `${input}.vector`,
    problem: `is not ${dimension} finite numbers of unit norm`,
  });
}

function refuseConflict(parts: IngestParts, scope: Scope, turn: ArchiveTurn): void {
  const known = storedTurn(parts, scope, turn.id);
  if (known === undefined || saysTheSame(known, plainTurn(turn))) return;
  throw conflict(turn.id, 'is stored with other words');
}

function conflict(id: string, problem: string): OntomemError {
  return new OntomemError('TURN_CONFLICT', {
    input: 'archive',
    problem: `turn ${JSON.stringify(id)} ${problem}`,
  });
}

/** Equal for turns of which one is a repetition of the other. */
function wordsSum({ session, speaker, text }: ArchiveTurn): string {
  return createHash('sha256')
    .update(JSON.stringify([session, speaker, text]))
    .digest('base64');
}

async function* turnsOf(spool: string): AsyncGenerator<ArchiveTurn> {
  for await (const line of fileLines(spool)) {
    await breathe();
    yield JSON.parse(line) as ArchiveTurn;
  }
}

async function* batches(spool: string): AsyncGenerator<ArchiveTurn[]> {
  let batch: ArchiveTurn[] = [];
  for await (const turn of turnsOf(spool)) {
    batch.push(turn);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function withVectors(records: readonly ArchiveTurn[]): Promise<IndexedTurn[]> {
  const indexed: IndexedTurn[] = [];
  for (const record of records) {
    await breathe();
    indexed.push(await analyse(plainTurn(record), fromBase64(record.vector)));
  }
  return indexed;
}

function plainTurn({ kind: _kind, vector: _vector, ...turn }: ArchiveTurn): Turn {
  return turn as Turn;
}

function storedTurn(parts: IngestParts, scope: Scope, turnId: string): Turn | undefined {
  const found = parts.log.scope(scope);
  return found && parts.log.turnById(found.id, turnId);
}

function truncated(input: string, problem: string): OntomemError {
  return new OntomemError('SOURCE_TRUNCATED', { input, problem });
}

function spoolFailed(spool: string, cause: unknown): OntomemError {
  return new OntomemError('STORE_UNWRITABLE', {
    input: spool,
    problem: `the archive could not be kept while it was checked (${String(cause)})`,
    cure: 'free space in the folder of the store and, where too many files are open, close some',
    cause,
  });
}

function spoolLeft(folder: string, cause: unknown): OntomemError {
  return new OntomemError('STORE_UNWRITABLE', {
    input: folder,
    problem: `everything was imported, but the copy to check it cannot be removed (${String(cause)})`,
    cure: 'remove it, or open the store for writing again, which does',
    cause,
  });
}
