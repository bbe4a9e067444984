// How much one memory takes on at once; the defaults suit a chat service on a small machine.
import { z } from 'zod';

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

export const limitsSchema = z.strictObject({
  textBytes: z.int().positive().optional(),
  metaBytes: z.int().positive().optional(),
  residentBytes: z.int().positive().optional(),
});
