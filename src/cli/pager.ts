// Shows long text on a terminal in the user's own pager, as git does. Without a terminal there is no pager.
import { once } from 'node:events';
import { ended } from '../base/turns.ts';
import { within } from '../base/within.ts';
import { redirectSaying } from './terminal.ts';

/**
 * After the user has closed the pager, a running request may continue for this time. After this time, the request is
 * cancelled.
 */
const endingMs = 1000;

/**
 * Runs `body` and shows the output in the pager, if there is one. If `body` fails, throws the error after the pager was
 * closed. Returns undefined if the user closed the pager or pressed Ctrl-C before the output was complete. After
 * Ctrl-C, the pager stays open. Calls `giveUp` when `body` still runs one second after the pager was closed.
 */
export async function paged<T>(body: () => Promise<T>, giveUp?: () => void): Promise<T | undefined> {
  const command = pagerOf(process.env);
  if (command === undefined) return body();
  // Loads the module only here, because most commands use no pager.
  const { spawn } = await import('node:child_process');
  // The value that git gives to the variable LESS. With this value, the pager `less` shows colours, does not clear the
  // screen, and exits if the text fits on one screen.
  const env = { LESS: 'FRX', LV: '-c', ...process.env };
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  // Discards the rest of the output when the user has closed the pager, or when the pager does not exist.
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
  // Ctrl-C does not end this process while the pager runs. Ctrl-C only stops further output.
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

/** True when the promise resolves or rejects within a second. */
function hasEnded(said: Promise<unknown>): Promise<boolean> {
  return within(endingMs, ended(said));
}

/**
 * Returns the command of the pager, or undefined when the user wants no pager. As in git, an empty value and `cat` mean
 * no pager.
 */
export function pagerOf(environment: NodeJS.ProcessEnv): string | undefined {
  const { PAGER, TERM } = environment;
  const chosen = PAGER ?? 'less';
  return chosen === '' || chosen === 'cat' || TERM === 'dumb' ? undefined : chosen;
}
