// Deletes old sessions of agents' conversations. Hooks opened these sessions, so people do not know that they exist and
// would not delete them. One keeper serves all agents of a storage. The storage therefore has one setting that says how
// long sessions are kept. If the setting is invalid, nothing is deleted, because a deletion cannot be undone. Sessions
// that a person opened with the command line are never deleted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import type { CheckpointdClient } from '../../client/client.ts';
import { CheckpointdRequestError } from '../../client/client-error.ts';
import { pagesOf } from '../pages.ts';
import { hooksDirectory, replaceNote } from './hook-notes.ts';
import { agentNames } from './payloads.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Deletes the sessions that neither an agent nor a person has used for `keptDays` days. Returns the number of deleted
 * sessions.
 */
export async function deleteOldSessions(
  client: CheckpointdClient,
  keptDays: number,
  log: (message: string) => void,
  nowMs = Date.now(),
): Promise<number> {
  const old: string[] = [];
  for await (const { sessions } of pagesOf((from) => client.request('session/list', from)))
    for (const { session, conversationId = '', open, lastUsedAt } of sessions)
      if (
        !open &&
        agentNames.some((agent) => conversationId.startsWith(`${agent}:`)) &&
        nowMs - Date.parse(lastUsedAt) > keptDays * dayMs
      )
        old.push(session);
  let deleted = 0;
  for (const session of old) {
    try {
      await client.request('session/delete', { session });
      deleted += 1;
      log(
        `the keeper deletes ${session}, which was not used for ${keptDays} ${keptDays === 1 ? 'day' : 'days'}`,
      );
    } catch (error) {
      // The deletion fails if a client has just opened the session.
      if (!(error instanceof CheckpointdRequestError)) throw error;
      log(`the keeper could not delete the old session ${session}: ${error.message}`);
    }
  }
  return deleted;
}

const keptDaysDefault = 30;

const settingOf = (storage: string): string => join(hooksDirectory(storage), 'keep.json');

/** Returns the number of days from the setting, or undefined to keep sessions for ever. */
export function keptDays(storage: string, log: (message: string) => void): number | undefined {
  const file = settingOf(storage);
  try {
    const { days } = JSON.parse(readFileSync(file, 'utf8')) as { readonly days?: unknown };
    if (days === null) return undefined;
    if (typeof days === 'number' && Number.isSafeInteger(days) && days > 0) return days;
    log(`${file} does not contain a number of days, so the keeper deletes nothing`);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return keptDaysDefault;
    log(`the keeper cannot read ${file} (${String(error)}), so it deletes nothing`);
  }
  return undefined;
}

/** Parses the number of days from the command line. Returns undefined for an invalid number. */
export function daysGiven(text: string): number | 'never' | undefined {
  if (text === 'never') return text;
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

export function setKeptDays(storage: string, days: number | 'never'): void {
  replaceNote(settingOf(storage), { days: days === 'never' ? null : days });
}
