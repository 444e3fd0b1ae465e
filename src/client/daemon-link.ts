// How a client reaches its daemon, whether it started it or came to one that runs: two streams and an end.
import type { Readable, Writable } from 'node:stream';

export interface DaemonLink {
  /** What the daemon reads. */
  readonly input: Writable;
  /** What the daemon writes. */
  readonly output: Readable;
  /** Resolves when the daemon cannot be reached any more, with the reason in words. Never rejects. */
  readonly ended: Promise<string>;
  /** The daemon's process id, where we started it. */
  readonly pid: number | undefined;
  /** Keeps this process alive for the daemon's sake until the returned function is called. */
  hold(): () => void;
  /** Ends it at once. */
  kill(): void;
  /** Waits so long for the end, then forces it. Returns the exit code of a daemon that we started. */
  end(patienceMs: number): Promise<number | null>;
}
