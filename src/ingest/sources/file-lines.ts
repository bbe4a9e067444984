// The lines of a file, read as they are asked for; a file that cannot be read is a typed error.
import { createReadStream } from 'node:fs';
import { OntomemError } from '../../errors.js';

/**
 * Yields lines without their ends (LF or CRLF). Nothing is read before the first is asked for: readline
 * would begin at once, lose what nobody listens to yet, and keep the errors of the file to itself.
 * @throws NOT_FOUND, SOURCE_INVALID naming the file.
 */
export async function* fileLines(file: string): AsyncGenerator<string> {
  let begun: string[] = [];
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
      const [first = '', ...others] = (chunk as string).split('\n');
      begun.push(first);
      for (const next of others) {
        yield withoutReturn(begun.join(''));
        begun = [next];
      }
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  const last = begun.join('');
  if (last !== '') yield withoutReturn(last);
}

/** What a failed read of a file means to the caller. */
export function unreadable(file: string, error: unknown): OntomemError {
  const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return new OntomemError(absent ? 'NOT_FOUND' : 'SOURCE_INVALID', {
    input: file,
    problem: absent ? 'does not exist' : `cannot be read (${String(error)})`,
    cure: 'pass the path of a readable file',
    cause: error,
  });
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
