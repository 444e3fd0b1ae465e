// Hooks start keepers: processes that continue after the hook has ended. This module finds keepers by their command
// line, and ends them after a test.
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../until.ts';

/** Returns the process ids of the keepers of this storage. */
export function keepersOf(storage: string): number[] {
  return processesWith('hook-keeper', `--storage=${storage}`);
}

/** Returns the process ids of the daemons that keepers have started for a storage. */
export function daemonsOf(storage: string): number[] {
  return processesWith(`--storage-dir=${storage}`);
}

function processesWith(...wanted: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return wanted.every((word) => words.includes(word));
      } catch {
        return false; // the process has ended meanwhile
      }
    })
    .map(Number);
}

export async function endKeepers(storage: string): Promise<void> {
  for (const pid of keepersOf(storage)) process.kill(pid, 'SIGTERM');
  await until('no keeper is running', () => keepersOf(storage).length === 0);
}
