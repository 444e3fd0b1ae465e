// The last hook of each agent, and how it ended: a small file an agent in hooks/last of the storage, for "status",
// "doctor" and the choice of a session. Nothing rests on it.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksDirectory } from './hook-log.ts';

export interface LastHook {
  readonly agent: string;
  /** ISO 8601. */
  readonly at: string;
  /** `prompt`, `tool` and so on. Absent: the event could not be read. */
  readonly event?: string;
  /** The session that the hook was about. Absent: it came to none. */
  readonly session?: string;
  /** What went wrong. Absent: it did what it should. */
  readonly failure?: string;
}

const directoryOf = (storage: string): string => join(hooksDirectory(storage), 'last');

/** Notes a hook. A full disk or a storage that cannot be written leaves the older note. */
export function noteLastHook(storage: string, hook: LastHook): void {
  try {
    mkdirSync(directoryOf(storage), { recursive: true, mode: 0o700 });
    const file = join(directoryOf(storage), `${hook.agent}.json`);
    const next = `${file}.${process.pid}`;
    writeFileSync(next, JSON.stringify(hook), { mode: 0o600 });
    renameSync(next, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Returns the last hook of each agent that ever ran one. */
export function lastHooks(storage: string): LastHook[] {
  return namesIn(directoryOf(storage)).flatMap((name) => {
    const noted = name.endsWith('.json') ? read(join(directoryOf(storage), name)) : undefined;
    return noted === undefined ? [] : [noted];
  });
}

function read(file: string): LastHook | undefined {
  try {
    const noted = JSON.parse(readFileSync(file, 'utf8')) as LastHook;
    return Number.isNaN(Date.parse(noted.at)) ? undefined : noted;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
