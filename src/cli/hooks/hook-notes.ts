// Writes two kinds of notes about hooks into the directory hooks/ of the storage. The log contains the messages of
// hooks, because agents do not show these messages. For each agent, a small file records the last hook and its result.
// "status", "doctor" and the choice of a session read this file. A failed write is ignored.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { jsonIn, namesIn } from '../../client/stored-sessions.ts';

/** The size limit of the log in bytes. A larger log replaces the older log, and the next message begins a new log. */
const logBytesMax = 1024 * 1024;

export function hooksDirectory(storage: string): string {
  return join(storage, 'hooks');
}

/**
 * Returns the file in which `enable` records its changes of settings files. The file exists while an agent is enabled
 * for this storage.
 */
export function enabledNotesFile(storage: string): string {
  return join(hooksDirectory(storage), 'enabled.json');
}

export function logHook(storage: string, message: string): void {
  const directory = hooksDirectory(storage);
  const file = join(directory, 'hook.log');
  // Ignores errors of the file system, because a full disk or a read-only storage must not affect the agent. All other
  // errors are defects.
  attempt(isOfSystem, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(file, `${file}.old`);
    const line = `${new Date().toISOString()} ${process.pid} ${message.replaceAll(/\s+/g, ' ').slice(0, 2000)}\n`;
    appendFileSync(file, line, { mode: 0o600 });
  });
}

export interface LastHook {
  readonly agent: string;
  /** ISO 8601. */
  readonly at: string;
  /** The kind of the event, such as `prompt` or `tool`. Absent when the hook could not read the event. */
  readonly event?: string;
  /** The session of the hook's conversation. Absent when the hook had no session. */
  readonly session?: string | undefined;
  readonly failure?: string;
}

const lastDirectory = (storage: string): string => join(hooksDirectory(storage), 'last');

/** Replaces a small file of the storage as a whole. Makes the file's directory if it is missing. */
export function replaceNote(file: string, note: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeAtomically(file, `${JSON.stringify(note, null, 1)}\n`);
}

/** Records the last hook of an agent. If the disk is full or the storage is read-only, the older note stays. */
export function writeLastHook(storage: string, hook: LastHook): void {
  attempt(isOfSystem, () => replaceNote(join(lastDirectory(storage), `${hook.agent}.json`), hook));
}

export function lastHooks(storage: string): LastHook[] {
  return namesIn(lastDirectory(storage))
    .filter((name) => name.endsWith('.json'))
    .map((name) => jsonIn(join(lastDirectory(storage), name)) as LastHook | undefined)
    .filter((noted) => noted !== undefined)
    .filter(({ at }) => !Number.isNaN(Date.parse(at)));
}
