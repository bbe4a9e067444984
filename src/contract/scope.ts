// Whose memory: a tenant's user. Nothing is read or written across scopes.
import { z } from 'zod';

/** `tenant` and `user` are compared exactly, as UTF-8; neither may be empty. */
export interface Scope {
  readonly tenant: string;
  readonly user: string;
}

const name = z
  .string()
  .min(1)
  .refine((value) => value.isWellFormed(), 'has a lone surrogate')
  .refine((value) => Buffer.byteLength(value) <= 512, 'is longer than 512 bytes');

export const scopeSchema = z.strictObject({ tenant: name, user: name });
