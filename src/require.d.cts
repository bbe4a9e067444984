// The types as a CommonJS module sees them: Node requires the one ES module, TypeScript wants to be told.
import type * as ontomem from '../dist/src/index.js' with { 'resolution-mode': 'import' };

export type * from '../dist/src/index.js' with { 'resolution-mode': 'import' };
export declare const ERROR_TABLE: typeof ontomem.ERROR_TABLE;
export declare const openEncoder: typeof ontomem.openEncoder;
export declare const openMemory: typeof ontomem.openMemory;
export declare const OntomemError: typeof ontomem.OntomemError;
export type OntomemError = ontomem.OntomemError;
