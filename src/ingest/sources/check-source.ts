// Like contract/check, for values that come out of a file: what is wrong with them is a SOURCE_INVALID.
import type { ZodType } from 'zod';
import { check } from '../../contract/check.js';
import { OntomemError } from '../../errors.js';

/** Parses `value` by `schema`. @throws SOURCE_INVALID naming the field as `input.path`. */
export function checkSource<T>(schema: ZodType<T>, value: unknown, input: string): T {
  try {
    return check(schema, value, input);
  } catch (error) {
    if (!(error instanceof OntomemError)) throw error;
    throw new OntomemError('SOURCE_INVALID', { input: error.input, problem: error.problem, cause: error });
  }
}
