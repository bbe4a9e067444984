// What the commands print: JSON for programs, short lines for people, progress on stderr.
import cliProgress from 'cli-progress';

/** Writes to stdout; what was stored cannot drive the terminal. A closed pipe (`| head`) ends the program quietly. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** A reader that closes the pipe (`| head`) has seen enough: the program ends without a word. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** One line of JSON; control characters are escaped in it too, which changes nothing of what it says. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Cuts text to one line of at most `width` characters; control characters become visible. */
export function oneLine(text: string, width = 100): string {
  const flat = printable(text.replace(/\s+/g, ' ').trim());
  return flat.length <= width ? flat : `${[...flat].slice(0, width - 1).join('')}…`;
}

/** Control and direction characters as \uXXXX; line breaks stay. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export interface Progress {
  advance(by: number): void;
  stop(): void;
}

/** A bar with rate and time left on stderr; nothing when stderr is no terminal. */
export function progress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { advance: () => undefined, stop: () => undefined };
  const bar = new cliProgress.SingleBar(
    {
      format: `${label} {bar} {value}/{total} · {eta_formatted} left`,
      stream: process.stderr,
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0);
  return { advance: (by) => bar.increment(by), stop: () => bar.stop() };
}
