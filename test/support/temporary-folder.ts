// Folders that go when the test process does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new folder in the system's temporary folder. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ontomem-test-${name}-`));
  made.push(folder);
  return folder;
}
