// Sends one line to the keeper of a storage. Starts a keeper when no keeper answers.
import { programFile } from '../../wire/places.ts';
import { askKeeper, keeperSocket, NoKeeper } from './keeper-socket.ts';
import { writtenEvents } from './written-events.ts';

/** A message from a hook or a command to the keeper. */
export interface KeeperLine {
  /**
   * The id of the event whose answer the hook needs. When absent, the keeper processes all written events before it
   * answers.
   */
  readonly event?: string;
  /**
   * True to end the keeper. The keeper first captures the last changes of its conversations and closes their sessions.
   */
  readonly end?: boolean;
}

export interface KeeperAnswer {
  /** The text for the agent's model. */
  readonly forModel?: string | undefined;
  /** True when the keeper has closed all sessions and ends. */
  readonly ended?: boolean;
}

/** Sends the line and returns the answer. Returns an empty answer when a newly started keeper has died. */
export async function handOver(storage: string, line: KeeperLine): Promise<KeeperAnswer> {
  const text = JSON.stringify(line);
  let answer: string;
  try {
    answer = await askKeeper(keeperSocket(storage), text);
  } catch (error) {
    if (!(error instanceof NoKeeper)) throw error;
    answer = await startKeeper(storage, text);
  }
  return answer === '' ? {} : (JSON.parse(answer) as KeeperAnswer);
}

/** Asks the keeper to process all written events. Returns true if the keeper finishes within `msMax` milliseconds. */
export async function takeWrittenEvents(storage: string, msMax: number): Promise<boolean> {
  if (writtenEvents(storage).length === 0) return true;
  return (await inTime(msMax, handOver(storage, {}))) !== undefined;
}

/**
 * Ends the keeper of a storage. Returns true when the keeper has ended within `msMax` milliseconds, and undefined when
 * no keeper runs. The next hook starts another keeper, which continues the conversations.
 */
export async function endKeeper(storage: string, msMax: number): Promise<boolean | undefined> {
  const line: KeeperLine = { end: true };
  try {
    const answer = await inTime(msMax, askKeeper(keeperSocket(storage), JSON.stringify(line)));
    // A keeper of an earlier version ignores the field, and keeps running.
    return answer !== undefined && (JSON.parse(answer) as KeeperAnswer).ended === true;
  } catch (error) {
    if (error instanceof NoKeeper) return undefined;
    throw error;
  }
}

/** Resolves with the result of `work`, or with undefined after `msMax` milliseconds. */
async function inTime<T>(msMax: number, work: Promise<T>): Promise<T | undefined> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => (late = setTimeout(() => resolve(undefined), msMax)));
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(late);
  }
}

/** Starts a keeper and writes the line to the keeper's standard input. So the line is not lost if the start is slow. */
async function startKeeper(storage: string, line: string): Promise<string> {
  // Loads the module only here, because a hook that finds a running keeper starts no process.
  const { spawn } = await import('node:child_process');
  // The keeper must not inherit the hook's open files, because some agents wait until every process has closed the
  // hook's output.
  const child = spawn(process.execPath, [programFile(), 'hook-keeper', `--storage=${storage}`], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
    cwd: '/',
  });
  child.unref();
  child.stdin.end(line);
  let answer = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) answer += chunk as string;
  return answer;
}
