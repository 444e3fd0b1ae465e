// One line to the keeper of a storage, which is started where none answers.
import { programFile } from '../../wire/places.ts';
import { askKeeper, keeperSocket, NoKeeper } from './keeper-socket.ts';
import { writtenEvents } from './written-events.ts';

/** A message of a hook or a command to the keeper. */
export interface KeeperLine {
  /** The id of the event whose answer is waited for. Absent: all events that were written down. */
  readonly event?: string;
}

export interface KeeperAnswer {
  /** The text for the agent's model. */
  readonly told?: string;
}

/** Sends the line and resolves with the answer; it is empty when a keeper that was just started has died. */
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

/** Has the keeper carry out what agents reported so far, and waits for that. True when it is done in time. */
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

/** The line goes with the start, so that it is not lost however long that takes. */
async function startKeeper(storage: string, line: string): Promise<string> {
  // Loaded here: a hook that finds its keeper starts nothing.
  const { spawn } = await import('node:child_process');
  // Nothing of ours stays open in it: some agents wait until everybody has closed the hook's output.
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
