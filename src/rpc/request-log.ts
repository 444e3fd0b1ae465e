// Logs one line per answered request: changes and failures at the default level, all other requests at the level debug.
// The lines contain ids, tags, numbers and the daemon's own words, but never the text of a message or a file.

import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { CheckpointCreateResult, RestoreResult, SessionOpenResult } from '../protocol/types.ts';
import type { RequestOutcome } from './transport/connection.ts';

interface AnsweredRequest {
  readonly method: string;
  readonly params: unknown;
  readonly outcome: RequestOutcome;
  /** The time from the arrival of the request to its answer, including the time in the session's queue. */
  readonly ms: number;
}

const nameCharactersMax = 100;

function gistOfRestore({ checkpoint, counts, dryRun }: RestoreResult): string {
  const words = [
    dryRun === true ? 'a dry run' : checkpoint?.id,
    `restored ${counts.restored}`,
    `deleted ${counts.deleted}`,
    `failed ${counts.failed}`,
  ];
  return words.filter((word) => word !== undefined).join(', ');
}

/** The functions that summarise results, by method. */
const gists: Readonly<Record<string, (result: never) => string>> = {
  'session/open': ({ workspace, strategy, resumed, checkpoints }: SessionOpenResult) =>
    [
      `${workspace} ${strategy}`,
      ...(resumed ? ['resumed'] : []),
      ...(checkpoints.enabled ? [] : [`checkpoints disabled (${checkpoints.reason ?? ''})`]),
    ].join(', '),
  'checkpoint/create': ({ created, checkpoint: { id, tag, stats } }: CheckpointCreateResult) =>
    `[${tag ?? ''}] ${id} +${stats.added} ~${stats.modified} -${stats.deleted}${created ? '' : ', not a new one'}`,
  'checkpoint/restore': gistOfRestore,
  'checkpoint/revert': gistOfRestore,
  'checkpoint/undo': gistOfRestore,
  'checkpoint/redo': gistOfRestore,
  'checkpoint/delete': () => 'done',
  'checkpoint/clean': () => 'done',
  'checkpoint/init': () => 'done',
  'session/close': () => 'done',
  'session/delete': () => 'done',
};

/** Returns the session of a request. For `session/open` the session is in the result. */
function sessionOf(params: unknown, outcome: RequestOutcome): string {
  for (const place of ['result' in outcome ? outcome.result : undefined, params]) {
    if (!isObject(place) || !('session' in place)) continue;
    if (typeof place.session === 'string') return ` ${place.session.slice(0, nameCharactersMax)}`;
  }
  return '';
}

export function logRequest(log: Log, { method, params, outcome, ms }: AnsweredRequest): void {
  const what = `${method.slice(0, nameCharactersMax)}${sessionOf(params, outcome)}`;
  const time = `${Math.round(ms)} ms`;
  if ('error' in outcome) {
    const { message, data } = outcome.error;
    const effects = data.effects === 'none' ? '' : ` (effects: ${data.effects})`;
    log.info(`${what} failed after ${time}: ${data.kind}: ${ourWords(message)}${effects}`);
    return;
  }
  const gist = Object.hasOwn(gists, method) ? gists[method] : undefined;
  if (gist === undefined) log.debug(`${what}: answered, ${time}`);
  else log.info(`${what}: ${gist(outcome.result as never)}, ${time}`);
}

/** Returns an error's message without quotations, because text quoted from the request or a file may be secret. */
function ourWords(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
