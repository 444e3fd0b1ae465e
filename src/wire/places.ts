// Computes the paths that a daemon and its clients share: the files of this package, the storage, and the private
// directory of sockets. This module creates no file.
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { files } from '../base/files.ts';

/**
 * Returns the path of a file of this package. `name` is relative to the root of the package. Searches for the root from
 * directory to parent directory, because compiled files and bundled files (scripts/bundle.ts) are at different depths.
 */
export function packageFile(name: string): string {
  let root = dirname(fileURLToPath(import.meta.url));
  while (!files.existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return join(root, name);
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(files.readFileSync(packageFile('package.json'), 'utf8'));
  return String((manifest as { readonly version?: unknown }).version);
}

/** Returns the text of protocol.json, or of its OpenRPC projection. */
export function protocolDocument(name: 'protocol.json' | 'openrpc.json'): string {
  return files.readFileSync(packageFile(`protocol/${name}`), 'utf8');
}

/** Returns the path of the program `checkpointd`. All files that the program needs are in the same directory. */
export const programFile = (): string => packageFile('dist/program/main.cjs');

/** Returns `$XDG_STATE_HOME/checkpointd`, or `~/.local/state/checkpointd` when the variable is not set. */
export function defaultStorage(environment: NodeJS.ProcessEnv = process.env): string {
  const state = environment['XDG_STATE_HOME'];
  const root = state?.startsWith('/') === true ? state : join(homedir(), '.local', 'state');
  return join(root, 'checkpointd');
}

/** Returns the storage that the user named, or the default storage. */
export function storageAt(typed: string | undefined): string {
  return typed === undefined ? defaultStorage() : resolve(typed);
}

/**
 * Returns the directory for sockets: `$XDG_RUNTIME_DIR/checkpointd`, or `otherwise` if this user has no such directory.
 */
export function socketDirectory(otherwise: string, environment: NodeJS.ProcessEnv = process.env): string {
  const runtime = environment['XDG_RUNTIME_DIR'];
  const stat =
    runtime?.startsWith('/') === true ? files.statSync(runtime, { throwIfNoEntry: false }) : undefined;
  // Checks the owner of the directory, because `sudo` keeps the variable. Without this check, root would make the
  // socket directory in the user's directory, and the user could not use this socket directory.
  const isOwn =
    stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
  return isOwn && runtime !== undefined ? join(runtime, 'checkpointd') : otherwise;
}

/**
 * Returns the reason why a process must not listen or connect in this directory. Returns undefined when the directory
 * is private to this user.
 */
export function directoryComplaint(directory: string): string | undefined {
  const stat = files.lstatSync(directory);
  if (stat.isSymbolicLink()) return `${directory} is a link`;
  if (!stat.isDirectory()) return `${directory} is no directory`;
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return `${directory} belongs to another user`;
  const mode = stat.mode & 0o777;
  if (mode === 0o700) return undefined;
  return `${directory} is open to other users (mode ${mode.toString(8).padStart(4, '0')}; it must be 0700)`;
}

/**
 * Returns the reason why this socket is not trusted. Returns undefined when the socket and its directory belong to this
 * user, or when there is no socket. If another user could put a socket at this path, this user would receive all
 * messages of a client.
 */
export function socketComplaint(path: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const socket = files.lstatSync(path, { throwIfNoEntry: false });
  if (socket === undefined) return undefined;
  if (!socket.isSocket()) return 'it is no socket';
  return socket.uid === process.getuid?.() ? directoryComplaint(dirname(path)) : 'it belongs to another user';
}
