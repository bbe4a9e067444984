// Export and import: a scope as a stream of records with a header and a closing sum.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { checkMoment, checkText } from '../contract/check.js';
import type { EncoderIdentity } from '../contract/encoder.js';
import { type Scope, scopeSchema } from '../contract/scope.js';
import { labelSchema, type Turn } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { IndexedTurn } from '../store/turn-log.js';
import { type IngestParts, index } from './observe.js';
import { passageFlags, passageTerms } from './passage.js';
import { checkMeta, saysTheSame } from './prepare.js';
import { checkSource } from './sources/check-source.js';

/** A line of an export, in this order: one header, turns in order of arrival, one footer. */
export type ArchiveRecord =
  | { kind: 'header'; format: 'ontomem-archive'; version: 1; scope: Scope; encoder: EncoderIdentity }
  | ({ kind: 'turn'; vector: string } & Turn)
  | { kind: 'footer'; turns: number; sha256: string };

const ARCHIVE_VERSION = 1;
const IMPORT_BATCH = 256;

const headerSchema = z.strictObject({
  kind: z.literal('header'),
  format: z.literal('ontomem-archive'),
  version: z.literal(ARCHIVE_VERSION),
  scope: scopeSchema,
  encoder: z.strictObject({
    name: z.string(),
    sha256: z.string(),
    dimension: z.int().positive(),
    pooling: z.enum(['mean', 'cls']),
    queryPrefix: z.string(),
    passagePrefix: z.string(),
  }),
});
const turnSchema = z.strictObject({
  kind: z.literal('turn'),
  id: labelSchema,
  session: labelSchema,
  speaker: labelSchema,
  text: z.string(),
  at: z.number(),
  dateSource: z.enum(['given', 'ingest']),
  caption: z.string().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  vector: z.base64(),
});
const footerSchema = z.strictObject({ kind: z.literal('footer'), turns: z.int(), sha256: z.string() });

/** Everything stored of a scope, vectors included (base64 of little-endian float32). O(turns). */
export async function* exportScope(parts: IngestParts, scope: Scope): AsyncGenerator<ArchiveRecord> {
  const found = parts.log.scope(scope);
  if (found === undefined) throw noSuchScope(scope);
  const sum = createHash('sha256');
  let turns = 0;
  yield {
    kind: 'header',
    format: 'ontomem-archive',
    version: ARCHIVE_VERSION,
    scope,
    encoder: parts.encoder.identity,
  };
  for (const { row, vector } of parts.log.rows(found.id)) {
    const turn = parts.log.turn(found.id, row);
    if (turn === undefined) continue;
    const record: ArchiveRecord = { kind: 'turn', ...turn, vector: toBase64(vector) };
    sum.update(canonical(record));
    turns++;
    yield record;
  }
  yield { kind: 'footer', turns, sha256: sum.digest('hex') };
}

export interface ImportRequest {
  records: AsyncIterable<unknown> | Iterable<unknown>;
  /** Import under this scope instead of the one in the header. */
  scope?: Scope;
}

export interface Imported {
  scope: Scope;
  stored: number;
  unchanged: number;
}

/**
 * Writes an exported scope. The whole stream is checked (order, fields, count, sum, conflicts with
 * what is stored) into a spool file before the first write, so a damaged archive writes nothing.
 * Vectors are taken over when the encoder is the store's own, else the texts are encoded again.
 * @throws SOURCE_INVALID, SOURCE_TRUNCATED, TURN_CONFLICT.
 */
export async function importScope(parts: IngestParts, request: ImportRequest): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'ontomem-import-'));
  const spool = join(folder, 'turns.jsonl');
  try {
    const header = await spoolChecked(parts, request, spool);
    const scope = request.scope ?? header.scope;
    const sameEncoder = JSON.stringify(header.encoder) === JSON.stringify(parts.encoder.identity);
    let stored = 0;
    let total = 0;
    for await (const batch of batches(spool)) {
      total += batch.length;
      const fresh = batch.filter(({ id }) => storedTurn(parts, scope, id) === undefined);
      const indexed = sameEncoder ? fresh.map(withVector) : await index(parts.encoder, fresh.map(plainTurn));
      if (indexed.length > 0) await parts.log.append(scope, indexed);
      stored += indexed.length;
    }
    return { scope, stored, unchanged: total - stored };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type ArchiveTurn = z.infer<typeof turnSchema>;

async function spoolChecked(parts: IngestParts, request: ImportRequest, spool: string) {
  const out = createWriteStream(spool);
  const sum = createHash('sha256');
  let header: z.infer<typeof headerSchema> | undefined;
  let closed = false;
  let turns = 0;
  try {
    for await (const value of request.records) {
      const input = `record ${turns + (header === undefined ? 1 : 2)}`;
      if (header === undefined) {
        header = checkSource(headerSchema, value, input);
        continue;
      }
      if (closed) throw new OntomemError('SOURCE_INVALID', { input, problem: 'comes after the footer' });
      if ((value as { kind?: unknown } | null)?.kind === 'footer') {
        const footer = checkSource(footerSchema, value, input);
        if (footer.turns !== turns || footer.sha256 !== sum.digest('hex')) {
          throw new OntomemError('SOURCE_TRUNCATED', {
            input,
            problem: `promises ${footer.turns} turns, ${turns} came or were changed`,
          });
        }
        closed = true;
        continue;
      }
      const turn = checkTurn(parts, value, input, request.scope ?? header.scope, header.encoder.dimension);
      sum.update(canonical(turn));
      turns++;
      if (!out.write(`${JSON.stringify(turn)}\n`)) await once(out, 'drain');
    }
    if (header === undefined)
      throw new OntomemError('SOURCE_TRUNCATED', { input: 'archive', problem: 'is empty' });
    if (!closed) {
      throw new OntomemError('SOURCE_TRUNCATED', {
        input: 'archive',
        problem: `ends after ${turns} turns without its footer`,
      });
    }
    return header;
  } finally {
    out.end();
    await finished(out);
  }
}

function checkTurn(
  parts: IngestParts,
  value: unknown,
  input: string,
  scope: Scope,
  dimension: number,
): ArchiveTurn {
  const turn = checkSource(turnSchema, value, input);
  checkText(turn.text, `${input}.text`, parts.limits.textBytes);
  checkMoment(turn.at, `${input}.at`);
  if (turn.meta !== undefined) checkMeta(turn.meta, `${input}.meta`, parts.limits.metaBytes);
  const vector = fromBase64(turn.vector);
  if (vector.length !== dimension || !vector.every(Number.isFinite)) {
    throw new OntomemError('SOURCE_INVALID', {
      input: `${input}.vector`,
      problem: `is not ${dimension} finite numbers`,
    });
  }
  const known = storedTurn(parts, scope, turn.id);
  if (known !== undefined && !saysTheSame(known, plainTurn(turn))) {
    throw new OntomemError('TURN_CONFLICT', {
      input: `${input}.id`,
      problem: `${JSON.stringify(turn.id)} is stored with other words`,
    });
  }
  return turn;
}

async function* batches(spool: string): AsyncGenerator<ArchiveTurn[]> {
  let batch: ArchiveTurn[] = [];
  for await (const line of createInterface({ input: createReadStream(spool) })) {
    batch.push(JSON.parse(line) as ArchiveTurn);
    if (batch.length < IMPORT_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function withVector(record: ArchiveTurn): IndexedTurn {
  const turn = plainTurn(record);
  const terms = passageTerms(turn);
  return {
    turn,
    vector: fromBase64(record.vector),
    flags: passageFlags(turn),
    termHashes: terms.hashes,
    termCounts: terms.counts,
    length: terms.length,
  };
}

function plainTurn({ kind: _kind, vector: _vector, ...turn }: ArchiveTurn): Turn {
  return turn as Turn;
}

function storedTurn(parts: IngestParts, scope: Scope, turnId: string): Turn | undefined {
  const found = parts.log.scope(scope);
  const row = found && parts.log.rowOf(found.id, turnId);
  return found === undefined || row === undefined ? undefined : parts.log.turn(found.id, row);
}

/** The same text for the same turn whatever order its fields came in. */
function canonical(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : value,
  );
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
}

export function noSuchScope(scope: Scope): OntomemError {
  return new OntomemError('NOT_FOUND', {
    input: 'scope',
    problem: `nothing is stored of ${JSON.stringify(scope.tenant)}/${JSON.stringify(scope.user)}`,
    cure: 'observe its turns first',
  });
}
