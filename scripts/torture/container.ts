// Simulates a container. The programs in the container share the test's files, but do not see the test's processes and
// sockets.
import { spawnSync } from 'node:child_process';

/**
 * The beginning of a command line that gives a program its own processes, sockets and mounts. The program dies when the
 * container's process dies.
 */
export const containerPrefix = [
  'unshare',
  '--net',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--mount-proc',
] as const;

/** Returns the reason why this machine cannot run a container. Returns undefined when containers work. */
export function containerRefusal(): string | undefined {
  const [program, ...words] = containerPrefix;
  const result = spawnSync(program, [...words, 'true'], { encoding: 'utf8' });
  return result.status === 0 ? undefined : (result.error?.message ?? result.stderr.trim());
}
