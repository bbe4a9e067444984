// A recall's request, checked.
import { z } from 'zod';
import { check, checkText } from '../contract/check.js';
import type { Limits } from '../contract/limits.js';
import { type RecallRequest, recallRequestSchema } from '../contract/recall.js';
import { OntomemError } from '../errors.js';

/** Checks each request on its own; errors name `recall`, or `requests[n]` where there are several. */
export function checkRequests(requests: readonly RecallRequest[], limits: Limits): RecallRequest[] {
  return check(z.array(z.unknown()), requests, 'requests').map((request, position) =>
    checkRequest(request, limits, requests.length === 1 ? 'recall' : `requests[${position}]`),
  );
}

function checkRequest(value: unknown, limits: Limits, input: string): RecallRequest {
  const request = check(recallRequestSchema as z.ZodType<RecallRequest>, value, input);
  checkText(request.query, `${input}.query`, limits.textBytes);
  for (const [position, text] of (request.context ?? []).entries()) {
    checkText(text, `${input}.context[${position}]`, limits.textBytes);
  }
  return request;
}

/** @throws ABORTED. */
export function stopIfAborted(requests: readonly RecallRequest[]): void {
  if (requests.some(({ signal }) => signal?.aborted))
    throw new OntomemError('ABORTED', { input: 'recall.signal', problem: 'was aborted' });
}
