// One line of the log for a request that has been answered: at the default level what changed something, and whatever
// failed; at debug all else. It quotes ids, tags, numbers and our own words, never what a message or a file says.
import type { Log } from '../base/log.ts';
import type { CheckpointCreateResult, RestoreResult, SessionOpenResult } from '../protocol/types.ts';
import type { RequestOutcome } from './transport/connection.ts';

export interface AnsweredRequest {
  readonly method: string;
  readonly params: unknown;
  readonly outcome: RequestOutcome;
  /** From its arrival to its answer, the time in the session's queue included. */
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

/** Summaries of results, by method. */
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

/** The session that a request is about; an opening tells it in its result. */
function sessionOf(params: unknown, outcome: RequestOutcome): string {
  for (const place of ['result' in outcome ? outcome.result : undefined, params]) {
    if (typeof place !== 'object' || place === null || !('session' in place)) continue;
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

/** An error's message without what it quotes of the request or of a file: that may be a secret. */
function ourWords(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
