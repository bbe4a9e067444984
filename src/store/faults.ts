// The seam through which tests let a step fail: it throws what the operating system or LMDB would.

/** A step that can fail. */
export type FaultPoint =
  | 'open'
  | 'read'
  | 'range'
  | 'commit'
  | 'close'
  | 'stat'
  | 'spool'
  | 'compact-copy'
  | 'compact-sync'
  | 'compact-rename'
  | 'compact-reopen';

/** Called before each step; throws to let it fail. Absent outside tests. */
export type Faults = (point: FaultPoint) => void;
