// Runs one command on its session. Finds the session, sends requests, shows their progress, cancels them at Ctrl-C, and
// returns the exit code.
import { type CheckpointdClient, CheckpointdRequestError } from '../client/client.ts';
import type { ParamsOf, ProgressValue, RequestMethod, ResultOf } from '../protocol/types.ts';
import { type Asked, reachedAtRest } from './at-rest.ts';
import { type CliCommand, exits, type Given, isPaged, type Task } from './command.ts';
import { explained, sayFailure } from './explained.ts';
import { allCheckpoints } from './pages.ts';
import { reach } from './reach.ts';
import { NoSession } from './refusal.ts';
import { cutTo, note, plain } from './terminal.ts';
import { TreePaths, workDirectory } from './tree-paths.ts';

const eraseLine = '\r\u001b[K';

export async function perform(
  command: CliCommand,
  wanted: Given,
  parsed: Pick<Task, 'options' | 'words'>,
): Promise<number> {
  const directory = workDirectory(wanted.path);
  const { client, session, workspace } = await reachedFor(command, wanted, parsed);
  const interrupt = new AbortController();
  /** A signal that is aborted when the user has closed the pager and needs no more output. */
  const unread = new AbortController();
  const signal = AbortSignal.any([interrupt.signal, unread.signal]);
  const onSignal = (): void => interrupt.abort();
  process.on('SIGINT', onSignal);
  const task: Task = {
    ask: (method, params) => send(client, method, { session, ...params } as never, signal),
    client,
    given: wanted,
    session,
    paths: new TreePaths(workspace, directory),
    ...parsed,
  };
  const body = (): Promise<number> => command.run(task);
  try {
    if (!isPaged(command, wanted)) return await body();
    const { paged } = await import('./pager.ts');
    const code = await paged(body, () => unread.abort());
    return code ?? (interrupt.signal.aborted ? interrupted(wanted) : 0);
  } catch (error) {
    if (interrupt.signal.aborted) return interrupted(wanted);
    if (unread.signal.aborted && isCancelled(error)) return 0;
    return await explained(error, { json: wanted.json, meant: await meantBy(task, error) });
  } finally {
    process.off('SIGINT', onSignal);
    await client.close();
  }
}

/**
 * Finds the session and connects to it. Without a session, the command first prints the part of its output that needs
 * no session. @throws NoSession
 */
async function reachedFor(
  command: CliCommand,
  wanted: Given,
  { options }: Pick<Task, 'options'>,
): Promise<Asked> {
  try {
    const resting = command.reads === true ? await reachedAtRest(wanted) : undefined;
    if (resting !== undefined) return resting;
    return await reach(wanted, {
      make: command.makesSession === true,
      changesFiles: command.changesFiles === true,
      daemon: command.daemon,
      allowProtected: options['allowProtected'] === true,
    });
  } catch (error) {
    if (error instanceof NoSession && !wanted.json) await command.withoutSession?.(wanted);
    throw error;
  }
}

function interrupted({ json }: Given): number {
  const message = 'the command was interrupted; a change that was not finished has no effect';
  if (json) sayFailure({ kind: 'RequestCancelled', message, remedy: 'Run the command again.' });
  else note(message);
  return exits.cancelled;
}

function isCancelled(error: unknown): boolean {
  return error instanceof CheckpointdRequestError && error.kind === 'RequestCancelled';
}

async function send<M extends RequestMethod>(
  client: Pick<CheckpointdClient, 'request'>,
  method: M,
  params: ParamsOf<M>,
  signal: AbortSignal,
): Promise<ResultOf<M>> {
  let isShown = false;
  const onProgress = (value: ProgressValue): void => {
    isShown = true;
    showProgress(value);
  };
  try {
    return await client.request(method, params, {
      signal,
      ...(process.stderr.isTTY ? { onProgress } : {}),
    });
  } finally {
    if (isShown) process.stderr.write(eraseLine);
  }
}

function showProgress(value: ProgressValue): void {
  if (value.kind === 'end') return;
  const done = value.percentage === undefined ? '' : ` ${value.percentage} %`;
  const figures = value.message === undefined ? '' : `: ${plain(value.message)}`;
  const line = `${plain(value.phase ?? 'working')}${figures}${done}`;
  process.stderr.write(`${eraseLine}${cutTo(line, Math.max(1, process.stderr.columns - 1))}`);
}

async function meantBy(task: Task, error: unknown): Promise<string[]> {
  if (!(error instanceof CheckpointdRequestError) || error.kind !== 'UnknownCheckpoint') return [];
  const [{ nearestReferences }, checkpoints] = await Promise.all([
    import('./nearest.ts'),
    allCheckpoints(task),
  ]);
  return nearestReferences(task.words, checkpoints);
}
