// Stores the agents' events until the keeper has processed them. Each event is a file in hooks/events of the storage. A
// hook writes the file before it contacts the keeper, and the keeper removes the file after processing the event. A
// killed hook or keeper therefore loses no event.
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory, writeAtomically } from '../../base/atomic-file.ts';
import { attempt, isMissing } from '../../base/attempt.ts';
import { namesIn } from '../../client/stored-sessions.ts';
import { hooksDirectory } from './hook-notes.ts';
import type { AgentEvent } from './payloads.ts';

/** An unfinished file that is older than this is removed. A running hook finishes its file within a second. */
const unfinishedMs = 60_000;

const eventsDirectory = (storage: string): string => join(hooksDirectory(storage), 'events');
const fileOf = (storage: string, id: string): string => join(eventsDirectory(storage), `${id}.json`);

/**
 * Writes an event to the disk and returns the event's id. Sorting the ids gives the order in which the processes of
 * the hooks started.
 */
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
 * Reads an event. Returns undefined when a different keeper has removed the event. @throws SyntaxError when the file is
 * damaged
 */
export function readWrittenEvent(storage: string, id: string): AgentEvent | undefined {
  return attempt(isMissing, () => JSON.parse(readFileSync(fileOf(storage, id), 'utf8')) as AgentEvent);
}

export function removeEvent(storage: string, id: string): void {
  rmSync(fileOf(storage, id), { force: true });
}

/** Removes the unfinished files of hooks that were killed while writing. These files contain no complete event. */
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
