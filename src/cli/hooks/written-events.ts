// The agents' events that were written to disk and not yet processed: one file each in hooks/events of the storage. A
// hook writes it before it waits for anything, and the keeper removes it after processing the event. So a killed hook
// or keeper loses no event.
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory, writeAtomically } from '../../base/atomic-file.ts';
import { attempt, isMissing } from '../../base/attempt.ts';
import { namesIn } from '../../client/stored-sessions.ts';
import { hooksDirectory } from './hook-notes.ts';
import type { AgentEvent } from './payloads.ts';

/** A running hook needs a second to finish its file. */
const unfinishedMs = 60_000;

const eventsDirectory = (storage: string): string => join(hooksDirectory(storage), 'events');
const fileOf = (storage: string, id: string): string => join(eventsDirectory(storage), `${id}.json`);

/** Writes an event to the disk and returns its id. Ids sort by the start of the hook's process. */
export function writeEvent(storage: string, event: AgentEvent, id = newId()): string {
  const directory = eventsDirectory(storage);
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeAtomically(fileOf(storage, id), JSON.stringify(event), { durable: true });
  if (made !== undefined)
    for (let at = directory; at.length >= made.length; at = dirname(at)) syncDirectory(dirname(at));
  return id;
}

/** Returns the ids of the waiting events, oldest first. */
export function writtenEvents(storage: string): string[] {
  return namesIn(eventsDirectory(storage))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/**
 * Reads an event. Returns undefined when another keeper has removed it. @throws SyntaxError when the file is damaged
 */
export function readWrittenEvent(storage: string, id: string): AgentEvent | undefined {
  return attempt(isMissing, () => JSON.parse(readFileSync(fileOf(storage, id), 'utf8')) as AgentEvent);
}

export function removeEvent(storage: string, id: string): void {
  rmSync(fileOf(storage, id), { force: true });
}

/** Removes the files of hooks that were killed while they wrote: such an event was never complete. */
export function removeUnfinished(storage: string, nowMs = Date.now()): void {
  for (const name of namesIn(eventsDirectory(storage))) {
    if (!name.endsWith('.tmp')) continue;
    const file = join(eventsDirectory(storage), name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && nowMs - stats.mtimeMs > unfinishedMs) rmSync(file, { force: true });
  }
}

function newId(): string {
  const startedMicros = Math.round(performance.timeOrigin * 1000 + performance.now() * 1000);
  return `${String(startedMicros).padStart(17, '0')}-${process.pid}`;
}
