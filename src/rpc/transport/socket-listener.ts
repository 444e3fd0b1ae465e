// Listens for further clients of the same user, on a unix socket in a private directory. Creates the directory, and
// removes the sockets of dead daemons from the directory. On Windows the daemon uses a named pipe (not tested). A
// daemon that cannot listen serves its first client anyway, and logs the reason.
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { directoryComplaint } from '../../wire/places.ts';

export interface SocketListener {
  /** The path to which clients connect. */
  readonly path: string;
  /**
   * Stops accepting clients, and removes the socket. The function is synchronous, so that it can run just before the
   * process exits.
   */
  close(): void;
}

/** The maximum length of a socket's path, without the terminating byte. BSD and macOS allow 103 bytes. */
const pathBytesMax = process.platform === 'linux' ? 107 : 103;

const socketName = /^\d+-[0-9a-f]{8}\.sock$/;
/**
 * The age in ms at which a socket may be removed. If a younger socket refuses connections, its daemon may be about to
 * listen.
 */
const youngMs = 60_000;

/** The error for a directory that cannot be used. The message is for the log. */
class UnusableSocketDirectory extends Error {}

/** Begins to listen. If listening is impossible, logs the reason and returns undefined. */
export async function listenForClients(
  directory: string,
  onClient: (socket: Socket) => void,
  log: Log,
): Promise<SocketListener | undefined> {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  if (process.platform === 'win32') return listen(`\\\\.\\pipe\\checkpointd-client-${name}`, onClient);
  const path = join(directory, `${name}.sock`);
  const bytes = Buffer.byteLength(path);
  if (bytes > pathBytesMax) {
    log.warn(
      `The daemon does not listen for further clients: ${path} has ${bytes} bytes, and the path of a socket has at most ${pathBytesMax}. Set XDG_RUNTIME_DIR to a shorter directory.`,
    );
    return undefined;
  }
  try {
    prepare(directory);
    const listener = await listen(path, onClient);
    files.chmodSync(path, 0o600);
    void sweepSockets(directory).catch((error: unknown) =>
      log.info(`the daemon could not remove old sockets in ${directory}: ${String(error)}`),
    );
    return listener;
  } catch (error) {
    if (!(error instanceof UnusableSocketDirectory) && systemCode(error) === undefined) throw error;
    const what = error instanceof Error ? error.message : String(error);
    log.warn(`The daemon does not listen for further clients: ${what}. Everything else works.`);
    return undefined;
  }
}

function listen(path: string, onClient: (socket: Socket) => void): Promise<SocketListener> {
  return new Promise((resolve, reject) => {
    // Keeps the socket open for responses after the client has finished writing.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, onClient);
    server.once('error', reject);
    server.listen({ path }, () => {
      server.off('error', reject);
      resolve({
        path,
        close: () => {
          server.close();
          if (process.platform !== 'win32') files.rmSync(path, { force: true });
        },
      });
    });
  });
}

/** Makes the directory, or checks an existing directory. @throws UnusableSocketDirectory */
function prepare(directory: string): void {
  try {
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UnusableSocketDirectory(`${directory} cannot be made (${code})`);
  }
  const complaint = directoryComplaint(directory);
  if (complaint !== undefined) throw new UnusableSocketDirectory(complaint);
}

/** Removes the sockets of ended daemons. */
async function sweepSockets(directory: string): Promise<void> {
  for (const name of files.readdirSync(directory)) {
    const path = join(directory, name);
    if (socketName.test(name) && isOld(path) && !(await answers(path))) files.rmSync(path, { force: true });
  }
}

function isOld(path: string): boolean {
  const stat = files.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isSocket() === true && Date.now() - stat.mtimeMs > youngMs;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    // Only a refused connection proves that no daemon listens. All other errors, such as a full queue, prove nothing.
    socket.once('error', (error) => resolve(systemCode(error) !== 'ECONNREFUSED'));
  });
}
