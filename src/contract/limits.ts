// How much one memory takes on at once; the defaults suit a chat service on a small machine.

export interface Limits {
  /** UTF-8 bytes of one turn's text, or of a query. */
  textBytes: number;
  /** UTF-8 bytes of one turn's metadata as JSON. */
  metaBytes: number;
  /** Bytes of native shards kept in memory; the least recently used are evicted, not lost. */
  residentBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  textBytes: 64 * 1024,
  metaBytes: 64 * 1024,
  residentBytes: 1024 ** 3,
};

/** Given limits over the defaults; one that is undefined means its default. */
export function limitsOf(given: { [Name in keyof Limits]?: Limits[Name] | undefined } = {}): Limits {
  return {
    textBytes: given.textBytes ?? DEFAULT_LIMITS.textBytes,
    metaBytes: given.metaBytes ?? DEFAULT_LIMITS.metaBytes,
    residentBytes: given.residentBytes ?? DEFAULT_LIMITS.residentBytes,
  };
}
