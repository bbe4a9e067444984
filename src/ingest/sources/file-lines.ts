// The lines of a file or a stream, read as they are asked for; one that cannot be read is a typed error.
import { createReadStream } from 'node:fs';
import { OntomemError, reasonOf } from '../../errors.js';

/** More than any line of ours has: text, caption and metadata at their default limits come to about 1 MB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Yields lines without their ends (LF or CRLF). Nothing is read before the first is asked for: readline
 * would begin at once, lose what nobody listens to yet, and keep the errors of the file to itself.
 * `name` stands for the file in errors. @throws NOT_FOUND, SOURCE_INVALID naming it.
 */
export async function* fileLines(file: string, name = file): AsyncGenerator<string> {
  yield* linesOf(createReadStream(file), name);
}

/**
 * The lines of a stream of bytes. Only newline bytes end one: readline of Node 24 also splits at U+2028,
 * which JSON leaves as it is. A line beyond 64 MB is an error before it is all in memory.
 */
export async function* linesOf(chunks: AsyncIterable<unknown>, name: string): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let number = 1;
  const keep = (piece: Buffer) => {
    begunBytes += piece.length;
    if (begunBytes > MAX_LINE_BYTES) throw tooLong(name, number);
    begun.push(piece);
  };
  const take = () => {
    const line = textOf(Buffer.concat(begun), number);
    begun = [];
    begunBytes = 0;
    number++;
    return line;
  };
  for await (const chunk of bytesOf(chunks, name)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (begunBytes > 0) yield take();
}

/** The chunks of a stream as bytes; what goes wrong with it is an error that names it. */
export async function* bytesOf(chunks: AsyncIterable<unknown>, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) yield Buffer.from(chunk as Buffer | string);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** What a failed read of a file means to the caller. */
export function unreadable(file: string, error: unknown): OntomemError {
  const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return new OntomemError(absent ? 'NOT_FOUND' : 'SOURCE_INVALID', {
    input: file,
    problem: absent ? 'does not exist' : `cannot be read (${reasonOf(error)})`,
    cure: 'pass the path of a readable file',
    cause: error,
  });
}

function tooLong(name: string, number: number): OntomemError {
  return new OntomemError('SOURCE_INVALID', {
    input: `${name}:${number}`,
    problem: `is longer than ${MAX_LINE_BYTES} bytes`,
    cure: 'pass a file with one record a line',
  });
}

/** Without the return of CRLF and, before the first line, the mark of its byte order. */
function textOf(line: Buffer, number: number): string {
  const text = line.toString('utf8').replace(/\r$/, '');
  return number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
}
