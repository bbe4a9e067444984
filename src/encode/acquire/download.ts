// Downloads one file so that a broken connection costs nothing: resumes, verifies, renames into place.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { OntomemError, reasonOf } from '../../errors.js';

export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  onProgress?: (bytes: number, totalBytes: number | undefined) => void;
}

/** Attempts in a row that bring no new byte before giving up, and the pause before each further one. */
const FRUITLESS_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
const MAXIMUM_REDIRECTS = 5;

/** What the server says the whole file is; any part may be missing. */
interface Expected {
  bytes: number | undefined;
  /** SHA-256 (64 hex digits) or git blob SHA-1 (40), as hubs put in their entity tags. */
  sum: string | undefined;
}

/**
 * Downloads `url` to `path`. Bytes go to `<path>.partial`, which a later call continues by a Range request;
 * the caller vouches that the URL's content never changes. Size and sum are verified before the rename.
 * Does nothing when `path` exists. @throws ENCODER_FETCH_FAILED (the partial file is kept unless its sum is
 * wrong) or ABORTED.
 */
export async function download(url: string, path: string, options: DownloadOptions = {}): Promise<void> {
  if ((await sizeOf(path)) !== undefined) return;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  let failures = 0;
  for (;;) {
    const before = (await sizeOf(partial)) ?? 0;
    try {
      const expected = await fetchInto(url, partial, before, options);
      await verify(url, partial, expected);
      await rename(partial, path);
      return;
    } catch (cause) {
      if (options.signal?.aborted) {
        throw new OntomemError('ABORTED', { input: url, problem: 'the download was aborted', cause });
      }
      if (cause instanceof OntomemError) throw cause;
      const after = (await sizeOf(partial)) ?? 0;
      failures = after > before ? 1 : failures + 1;
      if (failures >= FRUITLESS_ATTEMPTS)
        throw failed(url, `broke off after ${after} bytes (${networkReason(cause)})`, cause);
      await delay(FIRST_PAUSE_MS * 2 ** (failures - 1));
    }
  }
}

/** Appends what is missing to the partial file; returns once the body has ended. */
async function fetchInto(
  url: string,
  partial: string,
  have: number,
  options: DownloadOptions,
): Promise<Expected> {
  const { response, linkedSize, sum } = await follow(url, have, options.signal);
  if (response.status === 416) {
    await response.body?.cancel();
    const total = linkedSize ?? rangeOf(response)?.total;
    // Nothing is left after the last byte: either the file is complete or the partial one is of no use.
    if (total === have) return { bytes: have, sum };
    await rm(partial, { force: true });
    throw new Error(`server refuses to continue at byte ${have}`);
  }
  if (response.status >= 500 || response.status === 429) {
    await response.body?.cancel();
    throw new Error(`the server answers ${response.status}`);
  }
  if (!response.ok || response.body === null) throw failed(url, `the server answers ${response.status}`);
  const range = response.status === 206 ? rangeOf(response) : undefined;
  const resumed = range?.start === have;
  if (response.status === 206 && !resumed) {
    await response.body.cancel();
    throw new Error('server continues at another byte than asked for');
  }
  const start = resumed ? have : 0;
  const total = linkedSize ?? (resumed ? range?.total : numberOf(response.headers.get('content-length')));
  let bytes = start;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      options.onProgress?.(bytes, total);
      yield chunk;
    }
  };
  await pipeline(
    Readable.fromWeb(response.body as import('node:stream/web').ReadableStream<Uint8Array>),
    counted,
    createWriteStream(partial, { flags: resumed ? 'a' : 'w' }),
  );
  if (total !== undefined && bytes < total) throw new Error(`the body ended at byte ${bytes} of ${total}`);
  return { bytes: total, sum };
}

/** Follows redirects by hand: the hub's own answer, before its storage's, says size and sum. */
async function follow(
  url: string,
  have: number,
  signal: AbortSignal | undefined,
): Promise<{ response: Response; linkedSize: number | undefined; sum: string | undefined }> {
  let linkedSize: number | undefined;
  let sum: string | undefined;
  let at = url;
  for (let hop = 0; hop <= MAXIMUM_REDIRECTS; hop++) {
    const headers = { 'accept-encoding': 'identity', ...(have > 0 ? { range: `bytes=${have}-` } : {}) };
    const response = await fetch(at, { headers, redirect: 'manual', signal: signal ?? null });
    const tag = response.headers.get('x-linked-etag') ?? (hop === 0 ? response.headers.get('etag') : null);
    linkedSize ??= numberOf(response.headers.get('x-linked-size'));
    sum ??= /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/.exec(tag ?? '')?.[1];
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      return { response, linkedSize, sum };
    await response.body?.cancel();
    at = new URL(location, at).href;
  }
  throw failed(url, `redirects more than ${MAXIMUM_REDIRECTS} times`);
}

async function verify(url: string, partial: string, expected: Expected): Promise<void> {
  const bytes = (await sizeOf(partial)) ?? 0;
  const discard = async (problem: string): Promise<never> => {
    await rm(partial, { force: true });
    throw failed(url, problem);
  };
  if (expected.bytes !== undefined && bytes !== expected.bytes) {
    await discard(`is ${bytes} bytes long where the server announced ${expected.bytes}`);
  }
  if (expected.sum === undefined) return;
  const isGitBlob = expected.sum.length === 40;
  const hash = createHash(isGitBlob ? 'sha1' : 'sha256');
  if (isGitBlob) hash.update(`blob ${bytes}\0`);
  for await (const chunk of createReadStream(partial, { highWaterMark: 1 << 20 }))
    hash.update(chunk as Buffer);
  const sum = hash.digest('hex');
  if (sum !== expected.sum) await discard(`has the sum ${sum} where the server announced ${expected.sum}`);
}

function rangeOf(response: Response): { start: number | undefined; total: number | undefined } | undefined {
  const parts = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
  return parts === null ? undefined : { start: numberOf(parts[1]), total: numberOf(parts[2]) };
}

function numberOf(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

/** Node's fetch says "fetch failed" and keeps the reason one level down. */
function networkReason(error: unknown): string {
  const { cause } = (error ?? {}) as Error;
  return reasonOf(cause ?? error);
}

function failed(url: string, problem: string, cause?: unknown): OntomemError {
  return new OntomemError('ENCODER_FETCH_FAILED', { input: url, problem, cause });
}
