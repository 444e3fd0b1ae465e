// Opens the socket of the keeper (keeper.ts), and sends queries to the keeper. A query is one line of JSON, and so is
// its answer. This module is independent of agents and sessions.
import { chmodSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { socketComplaint, socketDirectory } from '../../wire/places.ts';
import { hooksDirectory } from './hook-notes.ts';

/** The longest line that a keeper reads. Hooks cut long prompts, so that no hook sends a longer line. */
const lineCharactersMax = 4 * 1024 * 1024;

/**
 * Returns the path of the socket. Each user has one keeper per storage. The number in the file name is the version of
 * the keeper's protocol.
 */
export function keeperSocket(storage: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = `hooks-2-${hashOf(storage)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\checkpointd-${userInfo().username}-${name}`;
  // The daemons' sockets are in the same directory. A daemon removes only files that are named like daemon sockets, so
  // it does not remove this socket.
  return join(socketDirectory(hooksDirectory(storage), environment), `${name}.sock`);
}

/** Computes the hash FNV-1a. FNV-1a needs no library, and is good enough to distinguish storages. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** The error when no keeper listens, or when the keeper has ended without an answer. */
export class NoKeeper extends Error {
  override readonly name = 'NoKeeper';
}

/**
 * The error codes that show that no keeper runs. The system reports the last two codes when the keeper is killed before
 * it answers.
 */
const noKeeperCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Sends one line and returns the answer. @throws NoKeeper; Error when other users can write to the socket */
export function askKeeper(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const complaint = socketComplaint(path);
    if (complaint !== undefined) throw new Error(`${path}: ${complaint}`);
    let answer = '';
    const socket = connect({ path, noDelay: true }, () => socket.write(`${line}\n`));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (answer += text));
    socket.once('error', (error) =>
      reject(noKeeperCodes.has(systemCode(error) ?? '') ? new NoKeeper(error.message) : error),
    );
    socket.once('close', () =>
      answer.endsWith('\n') ? resolve(answer) : reject(new NoKeeper('the keeper closed the connection')),
    );
  });
}

interface KeeperListener {
  readonly server: Server;
  /** Stops accepting lines. Removes the socket file if the file still belongs to this keeper. */
  close(): void;
}

/**
 * Starts to listen. Returns undefined when a different keeper already listens. `onLine` returns the answer to a line.
 */
export async function listenAsKeeper(
  path: string,
  onLine: (line: string) => Promise<string>,
): Promise<KeeperListener | undefined> {
  const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, onLine));
  if (process.platform === 'win32')
    return (await listens(server, path)) ? { server, close: () => server.close() } : undefined;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}`;
  rmSync(own, { force: true });
  if (!(await listens(server, own))) return undefined;
  chmodSync(own, 0o600);
  const complaint = socketComplaint(own);
  if (complaint !== undefined) throw new Error(`${path}: ${complaint}`);
  const { ino } = lstatSync(own);
  const isOurs = await takePlace(own, path);
  rmSync(own, { force: true });
  const close = (): void => {
    server.close();
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
  if (isOurs) return { server, close };
  server.close();
  return undefined;
}

/**
 * Moves our socket to the path that hooks use, unless a different keeper answers at this path. When two keepers start
 * at the same time, exactly one of them succeeds.
 */
async function takePlace(own: string, path: string): Promise<boolean> {
  for (;;) {
    if (linked(own, path)) return true;
    const dead = lstatSync(path, { throwIfNoEntry: false });
    if (dead === undefined) continue;
    if (await answers(path)) return false;
    // Moves the socket of a dead keeper away. Then checks which socket was moved, because a new keeper may have
    // replaced the dead keeper's socket meanwhile.
    const aside = `${own}.aside`;
    if (!moved(path, aside)) continue;
    if (lstatSync(aside).ino !== dead.ino) linked(aside, path);
    rmSync(aside, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  return succeeds('EEXIST', () => linkSync(from, to));
}

function moved(from: string, to: string): boolean {
  return succeeds('ENOENT', () => renameSync(from, to));
}

/** Calls `act`. Returns false if `act` fails with the error `code`. */
function succeeds(code: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (systemCode(error) === code) return false;
    throw error;
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (systemCode(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(path, () => resolve(true));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function serve(socket: Socket, onLine: (line: string) => Promise<string>): void {
  let text = '';
  socket.setEncoding('utf8');
  // A hook waits for one second, and then breaks the connection. The keeper still processes the hook's event.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end === -1) {
      if (text.length > lineCharactersMax) socket.destroy();
      return;
    }
    socket.removeAllListeners('data');
    void onLine(text.slice(0, end)).then((answer) => socket.end(`${answer}\n`));
  });
  socket.on('end', () => text.includes('\n') || socket.destroy());
}
