// Joins a running daemon through its private socket.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { socketComplaint } from '../wire/places.ts';
import { CheckpointdGoneError } from './client-error.ts';
import type { DaemonLink } from './connection.ts';

/** The error for a socket to which other users have access. The client has sent nothing to this socket. */
export class UntrustedSocketError extends CheckpointdGoneError {}

export class DaemonSocket implements DaemonLink {
  readonly ended: Promise<string>;
  readonly pid = undefined;
  readonly #socket: Socket;

  /** Starts to connect and returns immediately. If no daemon listens, `ended` resolves. @throws UntrustedSocketError */
  constructor(path: string) {
    const complaint = socketComplaint(path);
    if (complaint !== undefined) throw new UntrustedSocketError(`not connecting to ${path}: ${complaint}`);
    this.#socket = connect({ path, noDelay: true }).unref();
    // When the daemon is killed, the connection may report an error. The event `close` follows.
    this.#socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.#socket.once('close', () => resolve('the daemon closed the connection'));
    });
  }

  /**
   * Connects to a daemon. @throws CheckpointdGoneError when no daemon listens at `path`, or when the socket is not
   * private to this user
   */
  static async connect(path: string): Promise<DaemonSocket> {
    const link = new DaemonSocket(path);
    link.keepAlive(true);
    try {
      await once(link.#socket, 'connect');
    } catch (error) {
      throw new CheckpointdGoneError(`no daemon answers at ${path}`, { cause: error });
    }
    link.keepAlive(false);
    return link;
  }

  get input(): Socket {
    return this.#socket;
  }

  get output(): Socket {
    return this.#socket;
  }

  keepAlive(isWanted: boolean): void {
    if (isWanted) this.#socket.ref();
    else this.#socket.unref();
  }

  kill(): void {
    this.#socket.destroy();
  }

  async end(patienceMs: number): Promise<null> {
    if (!this.#socket.closed) {
      this.keepAlive(true);
      const timer = setTimeout(() => this.kill(), patienceMs);
      this.#socket.end();
      await this.ended;
      clearTimeout(timer);
    }
    return null;
  }
}
