// Shows long text on a terminal in the user's own pager, like git. Without a terminal there is no pager.
import { once } from 'node:events';
import { ended } from '../base/turns.ts';
import { within } from '../base/within.ts';
import { redirectSaying } from './terminal.ts';

/**
 * How long a request may still fail, or end, after the user has closed the pager. Afterwards the request is
 * abandoned.
 */
const endingMs = 1000;

/**
 * Runs `body` on a terminal, with its output in the pager if there is one. An error of the body is thrown
 * after the pager was closed. Returns undefined when the output is incomplete, because the user closed the
 * pager or pressed Ctrl-C. After Ctrl-C the pager stays open. Calls `giveUp` when the body continues for long
 * after the pager was closed.
 */
export async function paged<T>(body: () => Promise<T>, giveUp?: () => void): Promise<T | undefined> {
  const command = pagerOf(process.env);
  if (command === undefined) return body();
  // Loaded only here: most commands use no pager.
  const { spawn } = await import('node:child_process');
  // The value of LESS that git sets: no pager for text that fits on one screen, colours unchanged, the screen not
  // cleared.
  const env = { LESS: 'FRX', LV: '-c', ...process.env };
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  // The user has closed the pager, or the program does not exist: the rest of the output is not needed.
  pager.stdin.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    pager.on('error', () => resolve());
    pager.on('close', () => resolve());
  });
  let isCut = false;
  let isEnough = false;
  let cut: () => void = () => undefined;
  const enough = new Promise<false>((resolve) => {
    cut = () => {
      isEnough = true;
      resolve(false);
    };
  });
  void closed.then(cut);
  // The pager handles Ctrl-C while it runs. Here Ctrl-C ends further output.
  process.on('SIGINT', cut);
  const drained = (): Promise<boolean> =>
    once(pager.stdin, 'drain').then(
      () => true,
      () => false,
    );
  const back = redirectSaying({
    write: (text) => !isEnough && pager.stdin.write(text),
    ready: async () => {
      const isWanted = await Promise.race([enough, drained()]);
      isCut ||= !isWanted;
      return isWanted;
    },
  });
  try {
    const said = body();
    await Promise.race([said, closed]);
    if (!(await hasEnded(said))) giveUp?.();
    if (!(await hasEnded(said))) return undefined;
    const answer = await said;
    return isCut ? undefined : answer;
  } finally {
    back();
    pager.stdin.end();
    await closed;
    process.off('SIGINT', cut);
  }
}

/** True when it ends within a second, with or without an error. */
function hasEnded(said: Promise<unknown>): Promise<boolean> {
  return within(endingMs, ended(said));
}

/** Returns the pager, or undefined for none. Empty and `cat` mean none, as for git. */
export function pagerOf(environment: NodeJS.ProcessEnv): string | undefined {
  const { PAGER, TERM } = environment;
  const chosen = PAGER ?? 'less';
  return chosen === '' || chosen === 'cat' || TERM === 'dumb' ? undefined : chosen;
}
