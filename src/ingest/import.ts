// Import: an archive is checked to its end before the first of its turns is written.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkMoment, checkText, read } from '../contract/check.js';
import { sameEncoder } from '../contract/encoder.js';
import type { Imported, ImportRequest } from '../contract/ingest.js';
import { checkMeta } from '../contract/meta.js';
import type { Scope } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import { unitVectorProblem } from '../encode/checked-encoder.js';
import { OntomemError } from '../errors.js';
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
import { analyse, indexTurns } from './index-turns.js';
import type { IngestParts } from './parts.js';
import { saysTheSame } from './prepare.js';
import type { Importing } from './requests.js';
import { checkSource } from './sources/check-source.js';
import { fileLines } from './sources/file-lines.js';

const BATCH = 256;

/** Runs a task on a scope when what was asked of that scope before is done. */
export type InTurn = <T>(scope: Scope, task: () => Promise<T>) => Promise<T>;

/**
 * Writes an exported scope. The whole stream is checked (order, fields, count, sum) into a spool file and
 * then against what is stored before the first write, so a damaged archive writes nothing. Vectors are
 * taken over when the encoder is the store's own, else the texts are encoded again.
 * @throws SOURCE_INVALID, SOURCE_TRUNCATED, TURN_CONFLICT, STORE_UNWRITABLE (also for the spool).
 */
export async function importScope(
  parts: IngestParts,
  inTurn: InTurn,
  { records, scope: wanted }: Importing,
): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'ontomem-import-'));
  const spool = join(folder, 'turns.jsonl');
  try {
    const header = await spoolChecked(parts, records, spool);
    const scope = wanted ?? header.scope;
    return await inTurn(scope, async () => {
      for await (const batch of batches(spool)) for (const turn of batch) refuseConflict(parts, scope, turn);
      return { scope, ...(await write(parts, scope, header, spool)) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function write(parts: IngestParts, scope: Scope, header: ArchiveHeader, spool: string) {
  const takeVectors = sameEncoder(header.encoder, parts.encoder.identity);
  const counts = { stored: 0, unchanged: 0 };
  for await (const batch of batches(spool)) {
    const fresh = batch.filter(({ id }) => storedTurn(parts, scope, id) === undefined);
    const indexed = takeVectors
      ? fresh.map(withVector)
      : await indexTurns(parts.encoder, fresh.map(plainTurn));
    if (indexed.length > 0) await parts.writer.append(scope, indexed);
    counts.stored += indexed.length;
    counts.unchanged += batch.length - indexed.length;
  }
  return counts;
}

/** Reads the archive to its footer and keeps its turns in the spool file; returns the header. */
async function spoolChecked(
  parts: IngestParts,
  records: ImportRequest['records'],
  spool: string,
): Promise<ArchiveHeader> {
  let header: ArchiveHeader | undefined;
  const sum = new ArchiveSum();
  async function* turnLines(): AsyncGenerator<string> {
    let closed = false;
    for await (const value of records) {
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
        yield `${JSON.stringify(turn)}\n`;
      }
    }
    if (!closed) throw truncated('archive', `ends after ${sum.turns} turns without its footer`);
  }
  try {
    await pipeline(turnLines, createWriteStream(spool));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === 'write' ? spoolFailed(spool, error) : error;
  }
  if (header === undefined) throw truncated('archive', 'is empty');
  return header;
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
  throw new OntomemError('TURN_CONFLICT', {
    input: 'archive',
    problem: `turn ${JSON.stringify(turn.id)} is stored with other words`,
  });
}

async function* batches(spool: string): AsyncGenerator<ArchiveTurn[]> {
  let batch: ArchiveTurn[] = [];
  for await (const line of fileLines(spool)) {
    batch.push(JSON.parse(line) as ArchiveTurn);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function withVector(record: ArchiveTurn): IndexedTurn {
  return analyse(plainTurn(record), fromBase64(record.vector));
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
    cure: 'free space in the folder for temporary files, or set TMPDIR to another one',
    cause,
  });
}
