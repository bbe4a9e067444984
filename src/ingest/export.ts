// Export: everything stored of a scope as archive records.
import type { ArchiveRecord } from '../contract/archive.js';
import type { Scope } from '../contract/scope.js';
import { OntomemError } from '../errors.js';
import { ARCHIVE_VERSION, ArchiveSum, toBase64 } from './archive.js';
import type { IngestParts } from './parts.js';

/** Everything stored of a scope, vectors included, in order of arrival. O(turns). @throws NOT_FOUND. */
export async function* exportScope(parts: IngestParts, scope: Scope): AsyncGenerator<ArchiveRecord> {
  const found = parts.log.scope(scope);
  if (found === undefined) throw noSuchScope(scope);
  const sum = new ArchiveSum();
  const header: ArchiveRecord = {
    kind: 'header',
    format: 'ontomem-archive',
    version: ARCHIVE_VERSION,
    scope,
    encoder: parts.encoder.identity,
  };
  sum.add(header);
  yield header;
  for (const { row, vector } of parts.log.rows(found.id)) {
    const turn = parts.log.turn(found.id, row);
    if (turn === undefined) continue;
    const record: ArchiveRecord = { kind: 'turn', ...turn, vector: toBase64(vector) };
    sum.add(record);
    yield record;
  }
  yield sum.footer();
}

export function noSuchScope(scope: Scope): OntomemError {
  return new OntomemError('NOT_FOUND', {
    input: 'scope',
    problem: `nothing is stored of ${JSON.stringify(scope.tenant)}/${JSON.stringify(scope.user)}`,
    cure: 'observe its turns first',
  });
}
