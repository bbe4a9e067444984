// What a compaction did to the store's data file.

export interface Compacted {
  bytesBefore: number;
  bytesAfter: number;
}
