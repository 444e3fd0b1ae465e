// Temporary directories that are removed at any end of the process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A fresh directory under the system's temporary one. */
export function temporaryDirectory(name = 'test'): string {
  const directory = mkdtempSync(join(tmpdir(), `checkpointd-${name}-`));
  made.push(directory);
  return directory;
}
