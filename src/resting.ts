// Answers read-only requests for a closed session. Runs the daemon's commands in the caller's process, on the files in
// the session's directory. Writes only below one temporary directory, which is removed at the end. If an answer would
// be uncertain, returns none; in this case, the caller lets a daemon open the session.
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, isOfSystem } from './base/attempt.ts';
import { confineWrites, files } from './base/files.ts';
import { checkpointGet, checkpointHasChanges, checkpointList } from './commands/checkpoint.ts';
import { checkpointDiff, checkpointFiles } from './commands/checkpoint-contents.ts';
import type { AnySessionCommand } from './commands/command.ts';
import { executeReading } from './commands/execute.ts';
import { sessionGet, sessionOptions } from './commands/session.ts';
import type { ParamsOf, RequestMethod, ResultOf } from './protocol/types.ts';
import { type RestingPlace, readAtRest, type SessionAtRest } from './session/at-rest.ts';

const commands = new Map<string, AnySessionCommand>(
  [checkpointDiff, checkpointFiles, checkpointGet, checkpointHasChanges, checkpointList, sessionGet].map(
    (command) => [command.method, command as AnySessionCommand],
  ),
);

/** A closed session whose files are read. */
export interface Resting {
  /**
   * Answers a request. Returns undefined when a daemon must open the session to answer the request or to report its
   * error.
   */
  answer<M extends RequestMethod>(
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
  ): Promise<ResultOf<M> | undefined>;
  close(): Promise<void>;
}

/** Reads the session. Returns undefined when a daemon has to open the session. */
export async function openAtRest(
  place: RestingPlace & { readonly storage: string },
): Promise<Resting | undefined> {
  const scratch = makeScratch(place.workspace);
  if (scratch === undefined) return undefined;
  const unconfine = confineWrites(scratch);
  const end = (): void => {
    unconfine();
    files.rmSync(scratch, { recursive: true, force: true });
  };
  try {
    const atRest = await readAtRest(place, sessionOptions({}, files.realpathSync(place.storage)), scratch);
    return {
      answer: (method, params, signal) => answered(atRest, method, params, signal),
      close: async () => {
        await atRest.close();
        end();
      },
    };
  } catch (error) {
    end();
    return undoubted(error);
  }
}

/**
 * Makes a private temporary directory. Returns undefined when the directory would be in the work tree or cannot be
 * made.
 */
function makeScratch(workspace: string): string | undefined {
  return attempt(isOfSystem, () => {
    const scratch = join(files.realpathSync(tmpdir()), `checkpointd-${randomBytes(9).toString('hex')}`);
    if (scratch.startsWith(`${workspace.replace(/\/$/, '')}/`)) return undefined;
    files.mkdirSync(scratch, { mode: 0o700 });
    return scratch;
  });
}

async function answered<M extends RequestMethod>(
  atRest: SessionAtRest,
  method: M,
  params: ParamsOf<M>,
  signal = new AbortController().signal,
): Promise<ResultOf<M> | undefined> {
  const command = commands.get(method);
  if (command === undefined) return undefined;
  const { session } = atRest;
  try {
    const named = { ...params, session: session.id };
    const answer = await executeReading(command, named, session, signal);
    // Removes undefined fields, because the daemon's answers do not contain them either.
    return atRest.isAtRest() ? (JSON.parse(JSON.stringify(answer)) as ResultOf<M>) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    return undoubted(error);
  }
}

/** Returns undefined for every error. A daemon then opens the session, gets the same error and reports it. */
function undoubted(error: unknown): undefined {
  if (!(error instanceof Error)) throw error;
  return undefined;
}
