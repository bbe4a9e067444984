// A recall's request, read while the call is made: what the caller changes afterwards changes nothing.
import { z } from 'zod';
import { breathe } from '../breather.js';
import { check, checkMoment, checkText } from '../contract/check.js';
import type { Limits } from '../contract/limits.js';
import { plainCopy } from '../contract/plain-copy.js';
import { labelSchema, momentSchema, scopeSchema, signalSchema } from '../contract/schemas.js';
import type { Scope } from '../contract/scope.js';
import { stopOn } from '../contract/signal.js';

/** A request as recalling works with it; moments are milliseconds. */
export interface Asked {
  scope: Scope;
  query: string;
  context: readonly string[];
  limit: number;
  asOfMs: number | undefined;
  filter: {
    session: string | undefined;
    speaker: string | undefined;
    fromMs: number | undefined;
    toMs: number | undefined;
  };
  deadlineMs: number | undefined;
  explain: boolean;
  signal: AbortSignal | undefined;
}

/** Evidence when the request does not say how much. */
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;
const MAX_CONTEXT = 64;

const requestSchema = z.strictObject({
  scope: scopeSchema,
  query: z.string(),
  context: z.array(z.string()).max(MAX_CONTEXT).exactOptional(),
  limit: z.int().min(1).max(MAX_LIMIT).exactOptional(),
  asOf: momentSchema.exactOptional(),
  filter: z
    .strictObject({
      session: labelSchema.exactOptional(),
      speaker: labelSchema.exactOptional(),
      from: momentSchema.exactOptional(),
      to: momentSchema.exactOptional(),
    })
    .exactOptional(),
  deadlineMs: z.number().positive().exactOptional(),
  explain: z.boolean().exactOptional(),
  signal: signalSchema.exactOptional(),
});

export function readRecall(request: unknown, limits: Limits): Asked {
  return readRequest(request, limits, 'recall');
}

/** A request as it was when the call was made: copied and still to be checked, or checked at once. */
export type GivenRecall = { copy: object } | { asked: Asked };

/** The requests as they are now. @throws what is wrong with one that can only be checked at once. */
export function readRecalls(requests: unknown, limits: Limits): GivenRecall[] {
  return check(z.array(z.unknown()), requests, 'requests').map((request, position) => {
    const copy = typeof request === 'object' && request !== null ? plainCopy(request) : undefined;
    return copy === undefined ? { asked: readRequest(request, limits, `requests[${position}]`) } : { copy };
  });
}

/** Checks what was copied, in slices: 500 requests take 10 ms. Errors name the request as `requests[n]`. */
export async function checkRecalls(given: readonly GivenRecall[], limits: Limits): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const [position, request] of given.entries()) {
    await breathe();
    asked.push(
      'asked' in request ? request.asked : readRequest(request.copy, limits, `requests[${position}]`),
    );
  }
  return asked;
}

function readRequest(value: unknown, limits: Limits, input: string): Asked {
  const {
    scope,
    query,
    context = [],
    limit = DEFAULT_LIMIT,
    asOf,
    filter = {},
    deadlineMs,
    explain = false,
    signal,
  } = check(requestSchema, value, input);
  const moment = (given: Date | string | number | undefined, name: string) =>
    given === undefined ? undefined : checkMoment(given, `${input}.${name}`);
  return {
    scope,
    query: checkText(query, `${input}.query`, limits.textBytes),
    context: context.map((text, place) => checkText(text, `${input}.context[${place}]`, limits.textBytes)),
    limit,
    asOfMs: moment(asOf, 'asOf'),
    filter: {
      session: filter.session,
      speaker: filter.speaker,
      fromMs: moment(filter.from, 'filter.from'),
      toMs: moment(filter.to, 'filter.to'),
    },
    deadlineMs,
    explain,
    signal,
  };
}

/** @throws ABORTED, INVALID_ARGUMENT. */
export function stopIfAborted(requests: readonly Asked[]): void {
  for (const { signal } of requests) stopOn(signal, 'recall.signal');
}
