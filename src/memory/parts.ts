// What a memory is made of, brought together: the store, the encoder, and what reading and writing need of both.
import type { Encoder } from '../contract/encoder.js';
import { CheckedEncoder } from '../encode/checked-encoder.js';
import { openEncoder } from '../encode/open-encoder.js';
import type { IngestParts } from '../ingest/parts.js';
import { reencode } from '../ingest/reencode.js';
import { EncoderScale } from '../retrieve/encoder-scale.js';
import type { RecallParts } from '../retrieve/parts.js';
import { openQueryLift } from '../retrieve/query-lift.js';
import { denseFirst } from '../retrieve/strategy.js';
import { bindEncoder } from '../store/encoder-record.js';
import { Environment } from '../store/environment.js';
import type { Faults } from '../store/faults.js';
import { Residency } from '../store/residency.js';
import { Sweeper } from '../store/turns/sweeper.js';
import { TurnReader } from '../store/turns/turn-reader.js';
import { TurnWriter } from '../store/turns/turn-writer.js';
import type { Opening } from './requests.js';

/** What tests may set. @internal */
export interface InternalOptions {
  faults?: Faults;
}

export interface OpenedParts {
  environment: Environment;
  parts: IngestParts & RecallParts;
  /** Deletes in the background what was forgotten. */
  sweeper: Sweeper;
  /** The encoder was opened here, and is closed with the memory. */
  ownsEncoder: boolean;
}

/** Opens all of it, or closes again what was opened. @throws as `openMemory`. */
export async function openParts(opening: Opening, internal: InternalOptions = {}): Promise<OpenedParts> {
  const { path, encoder: wanted, limits, readOnly, reencode: mayReencode, format } = opening;
  const environment = await Environment.open(path, { readOnly, ...internal });
  const ownsEncoder = typeof wanted !== 'object';
  let encoder: Encoder | undefined;
  try {
    encoder = ownsEncoder ? await openEncoder(wanted) : wanted;
    encoder = new CheckedEncoder(encoder);
    if (mayReencode) await reencode(environment, encoder);
    else await bindEncoder(environment, encoder.identity);
    const scale = await EncoderScale.measure(encoder);
    const plan = denseFirst(scale, openQueryLift(encoder.identity));
    const log = new TurnReader(environment);
    const writer = new TurnWriter(environment, log);
    const residency = new Residency(environment, log, encoder.identity, limits.residentBytes, format);
    const parts = { log, writer, encoder, residency, limits, scale, plan };
    const sweeper = new Sweeper(environment);
    sweeper.start();
    return { environment, parts, sweeper, ownsEncoder };
  } catch (error) {
    if (ownsEncoder) await encoder?.close();
    await environment.close();
    throw error;
  }
}

/** Ends the background work, compacts where that is due, and closes. */
export async function closeParts({ environment, parts, sweeper, ownsEncoder }: OpenedParts): Promise<void> {
  await parts.residency.close();
  try {
    // Where it fails the marks stay, and the next opening goes on.
    await sweeper.finish().catch(() => undefined);
    await environment.compactIfDue(true);
  } finally {
    await environment.close();
    if (ownsEncoder) await parts.encoder.close();
  }
}
