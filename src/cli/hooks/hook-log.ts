// The log of hooks: an agent is told nothing, so what went wrong stands here. It fails nobody.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One older log of the same size is kept beside it. */
const logBytesMax = 1024 * 1024;

/** Where the log and the keeper's notes are. */
export function hooksDirectory(storage: string): string {
  return join(storage, 'hooks');
}

/** The file in which `enable` notes what it wrote where; it is there while an agent is enabled for this storage. */
export function enabledNotesFile(storage: string): string {
  return join(hooksDirectory(storage), 'enabled.json');
}

/** Appends one line. */
export function logHook(storage: string, message: string): void {
  const directory = hooksDirectory(storage);
  const file = join(directory, 'hook.log');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(file, `${file}.old`);
    const line = `${new Date().toISOString()} ${process.pid} ${message.replaceAll(/\s+/g, ' ').slice(0, 2000)}\n`;
    appendFileSync(file, line, { mode: 0o600 });
  } catch (error) {
    // A full disk or a storage that cannot be written must not reach the agent; all else is a defect.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
