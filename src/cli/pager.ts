// Long text on a terminal, by the person's own pager, as git shows it. Without a terminal nothing of this happens.
import { once } from 'node:events';
import { redirectSaying } from './terminal.ts';

/**
 * Runs `body` on a terminal; what it says goes through the pager, where there is one. Undefined: the pager was closed
 * before all was said.
 */
export async function paged<T>(body: () => Promise<T>): Promise<T | undefined> {
  const command = pagerOf(process.env);
  if (command === undefined) return body();
  // Loaded here: most commands show nothing through a pager.
  const { spawn } = await import('node:child_process');
  // LESS as git sets it: no pager for what fits on one screen, colours as they are, the screen left as it was.
  const env = { LESS: 'FRX', LV: '-c', ...process.env };
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const closed = once(pager, 'close');
  // Somebody has seen enough, or there is no such program: the rest is not wanted.
  pager.stdin.on('error', () => undefined);
  pager.on('error', () => undefined);
  // Ctrl-C is the pager's while it shows.
  const stay = (): void => undefined;
  process.on('SIGINT', stay);
  const gone = closed.then(
    () => false,
    () => false,
  );
  const back = redirectSaying({
    write: (text) => pager.stdin.write(text),
    ready: () =>
      Promise.race([
        gone,
        once(pager.stdin, 'drain').then(
          () => true,
          () => false,
        ),
      ]),
  });
  const said = body();
  try {
    // Whoever has closed the pager waits for nothing more.
    return await Promise.race([said, gone.then(() => undefined)]);
  } finally {
    said.catch(() => undefined);
    back();
    pager.stdin.end();
    await closed;
    process.off('SIGINT', stay);
  }
}

/** The pager; undefined for none. Empty and `cat` mean none, as for git. */
export function pagerOf(environment: NodeJS.ProcessEnv): string | undefined {
  const { PAGER, TERM } = environment;
  const chosen = PAGER ?? 'less';
  return chosen === '' || chosen === 'cat' || TERM === 'dumb' ? undefined : chosen;
}
