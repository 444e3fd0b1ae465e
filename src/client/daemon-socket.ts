// A daemon that runs already, reached by its private socket. The socket must be this user's, in a directory that
// nobody else can write: whoever could put another one there would be told everything.
import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { CheckpointdGoneError } from './client-error.ts';
import type { DaemonLink } from './daemon-link.ts';

export class DaemonSocket implements DaemonLink {
  readonly ended: Promise<string>;
  readonly pid = undefined;
  readonly #socket: Socket;
  #holds = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.unref();
    // A daemon that was killed may reset the connection; `close` follows.
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once('close', () => resolve('the daemon closed the connection'));
    });
  }

  /** @throws CheckpointdGoneError when nobody listens there, or when the place is not private to this user */
  static async connect(path: string): Promise<DaemonSocket> {
    const socket = connecting(path);
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw new CheckpointdGoneError(`no daemon answers at ${path}`, { cause: error });
    }
    return new DaemonSocket(socket);
  }

  /** The same, and waits for nothing: where nobody listens, that is the end of the connection. */
  static connecting(path: string): DaemonSocket {
    return new DaemonSocket(connecting(path));
  }

  get input(): Socket {
    return this.#socket;
  }

  get output(): Socket {
    return this.#socket;
  }

  hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) this.#socket.ref();
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#socket.unref();
    };
  }

  kill(): void {
    this.#socket.destroy();
  }

  async end(patienceMs: number): Promise<null> {
    if (!this.#socket.closed) {
      const release = this.hold();
      const timer = setTimeout(() => this.kill(), patienceMs);
      this.#socket.end();
      await this.ended;
      clearTimeout(timer);
      release();
    }
    return null;
  }
}

/** @throws CheckpointdGoneError when the place is not private to this user */
function connecting(path: string): Socket {
  const complaint = process.platform === 'win32' ? undefined : complaintAbout(path);
  if (complaint !== undefined) throw new CheckpointdGoneError(`not connecting to ${path}: ${complaint}`);
  return connect({ path, noDelay: true });
}

/** Why this socket is not to be trusted; undefined: it is ours and so is its directory. */
export function complaintAbout(path: string): string | undefined {
  const socket = lstatSync(path, { throwIfNoEntry: false });
  const directory = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (socket === undefined || directory === undefined) return 'there is nothing';
  if (!socket.isSocket()) return 'it is no socket';
  if (!directory.isDirectory()) return 'its directory is a link';
  const user = process.getuid?.();
  if (socket.uid !== user || directory.uid !== user) return 'it belongs to another user';
  if ((directory.mode & 0o777) !== 0o700) return 'its directory is open to others';
  return undefined;
}
