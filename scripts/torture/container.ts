// A second machine as containers make one: it shares the files, and sees neither our processes nor our sockets.
import { spawnSync } from 'node:child_process';

/** Words before a program that give it processes, sockets and mounts of its own; it dies with them. */
export const containerPrefix = [
  'unshare',
  '--net',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--mount-proc',
] as const;

/** Returns why this machine can have no container; undefined when it can. */
export function containerRefusal(): string | undefined {
  const [program, ...words] = containerPrefix;
  const result = spawnSync(program, [...words, 'true'], { encoding: 'utf8' });
  return result.status === 0 ? undefined : (result.error?.message ?? result.stderr.trim());
}
