// How long conversations of agents are kept that nobody uses: a setting of the storage, because one keeper serves all
// agents of it. Deleting is the one thing that cannot be taken back, so a setting that is not understood keeps all.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooksDirectory } from './hook-log.ts';

const keptDaysDefault = 30;

const settingOf = (storage: string): string => join(hooksDirectory(storage), 'keep.json');

/** In days; undefined: for ever. */
export function keptDays(storage: string, log: (message: string) => void): number | undefined {
  const file = settingOf(storage);
  try {
    const { days } = JSON.parse(readFileSync(file, 'utf8')) as { readonly days?: unknown };
    if (days === null) return undefined;
    if (typeof days === 'number' && Number.isSafeInteger(days) && days > 0) return days;
    log(`${file} names no number of days: nothing is deleted`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return keptDaysDefault;
    log(`${file} cannot be read (${String(error)}): nothing is deleted`);
  }
  return undefined;
}

/** Takes the number that was given on the command line; undefined for one that is none. */
export function daysGiven(text: string): number | 'never' | undefined {
  if (text === 'never') return text;
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

export function setKeptDays(storage: string, days: number | 'never'): void {
  const file = settingOf(storage);
  mkdirSync(hooksDirectory(storage), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify({ days: days === 'never' ? null : days })}\n`, { mode: 0o600 });
  renameSync(next, file);
}
