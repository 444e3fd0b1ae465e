// Long text on a terminal, by the person's own pager, as git shows it. Without a terminal nothing of this happens.
import { once } from 'node:events';
import { ended } from '../base/turns.ts';
import { within } from '../base/within.ts';
import { redirectSaying } from './terminal.ts';

/** How long what was asked may still fail, or end, after the reader has gone; then it is abandoned. */
const endingMs = 1000;

/**
 * Runs `body` on a terminal; what it says goes through the pager, where there is one. A failure of the body is thrown
 * when the pager is closed. Undefined: not all was said, because the pager was closed (`giveUp` is called when the body
 * goes on for long after that), or because of Ctrl-C, which leaves the pager to the person.
 */
export async function paged<T>(body: () => Promise<T>, giveUp?: () => void): Promise<T | undefined> {
  const command = pagerOf(process.env);
  if (command === undefined) return body();
  // Loaded here: most commands show nothing through a pager.
  const { spawn } = await import('node:child_process');
  // LESS as git sets it: no pager for what fits on one screen, colours as they are, the screen left as it was.
  const env = { LESS: 'FRX', LV: '-c', ...process.env };
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  // The user has seen enough, or the program does not exist: the rest is not needed.
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
  // Ctrl-C is the pager's while it shows; here it ends what is still to be said.
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

/** True when it is over within a second, well or not. */
function hasEnded(said: Promise<unknown>): Promise<boolean> {
  return within(endingMs, ended(said));
}

/** The pager; undefined for none. Empty and `cat` mean none, as for git. */
export function pagerOf(environment: NodeJS.ProcessEnv): string | undefined {
  const { PAGER, TERM } = environment;
  const chosen = PAGER ?? 'less';
  return chosen === '' || chosen === 'cat' || TERM === 'dumb' ? undefined : chosen;
}
