// Sends one line to the keeper of a storage. Starts a keeper when no keeper answers.
import { programFile } from '../../wire/places.ts';
import { askKeeper, keeperSocket, NoKeeper } from './keeper-socket.ts';
import { writtenEvents } from './written-events.ts';

/** A message of a hook or a command to the keeper. */
export interface KeeperLine {
  /**
   * The id of the event whose answer the hook awaits. When absent, the keeper processes all written events before it
   * answers.
   */
  readonly event?: string;
}

export interface KeeperAnswer {
  /** The text for the agent's model. */
  readonly forModel?: string;
}

/** Sends the line and resolves with the answer. The answer is empty when a newly started keeper died. */
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

/**
 * Makes the keeper process all written events, and waits up to `msMax`. Returns true when the keeper finished in time.
 */
export async function takeWrittenEvents(storage: string, msMax: number): Promise<boolean> {
  if (writtenEvents(storage).length === 0) return true;
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => (late = setTimeout(() => resolve(false), msMax)));
  try {
    return await Promise.race([handOver(storage, {}).then(() => true), tooLate]);
  } finally {
    clearTimeout(late);
  }
}

/**
 * Starts a keeper and passes the line on the keeper's standard input. The line is not lost even if the start takes
 * long.
 */
async function startKeeper(storage: string, line: string): Promise<string> {
  // The module is loaded only here, because a hook that finds a keeper starts no process.
  const { spawn } = await import('node:child_process');
  // The keeper inherits no open file of the hook, because some agents wait until every process has closed the hook's
  // output.
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
