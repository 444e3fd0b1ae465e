// Makes temporary directories that are removed when the process ends in any way.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** Makes a new directory below the system's temporary directory. */
export function temporaryDirectory(name = 'test'): string {
  const directory = mkdtempSync(join(tmpdir(), `checkpointd-${name}-`));
  made.push(directory);
  return directory;
}
