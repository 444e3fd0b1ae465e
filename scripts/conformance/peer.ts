// Starts the program under test, writes to its input, parses its frames strictly, and reports how it ended. This module
// checks only the framing; frame-rules.ts checks the contents of frames.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from './match.ts';

export interface PeerOptions {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly over: 'stdio' | 'tcp' | 'pipe';
  /** The directory for socket files. The path of this directory also identifies the processes that the peer started. */
  readonly directory: string;
  /** False when the program does not send frames to stdout. */
  readonly frames: boolean;
  /** The longest wait for a frame or for the end of the program. */
  readonly waitMsMax: number;
  readonly onFrame: (frame: Json) => void;
  readonly onViolation: (what: string) => void;
}

export class Peer {
  readonly frames: Json[] = [];
  stdout = '';
  stderr = '';
  readonly #options: PeerOptions;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  readonly #socket: Promise<Socket> | undefined;
  #listener: Server | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;
  #stirred: () => void = () => undefined;

  private constructor(options: PeerOptions, listener: Server | undefined, words: readonly string[]) {
    this.#options = options;
    this.#listener = listener;
    const [program = '', ...args] = words;
    if (listener !== undefined)
      this.#socket = new Promise((resolve) =>
        listener.once('connection', (socket) => {
          socket.on('data', (chunk: Buffer) => this.#receive(chunk));
          socket.on('error', () => undefined); // the end of the process is reported elsewhere
          resolve(socket);
        }),
      );
    this.#child = spawn(program, args, { stdio: 'pipe', env: options.env, detached: true });
    this.#child.stdin?.on('error', () => undefined); // fails when the program has ended
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      if (!options.frames) this.stdout += chunk.toString();
      else if (listener === undefined) this.#receive(chunk);
      else options.onViolation('the daemon wrote to stdout, although it does not serve on stdio');
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(String(error)));
      this.#child.once('close', (code, signal) => {
        resolve(signal ?? String(code));
        this.#stirred();
      });
    });
  }

  static async start(options: PeerOptions): Promise<Peer> {
    if (options.over === 'stdio') return new Peer(options, undefined, options.command);
    const listener = createServer();
    const pipe = `${options.directory}/wire.sock`;
    await new Promise<void>((resolve) => {
      if (options.over === 'pipe') listener.listen(pipe, resolve);
      else listener.listen(0, '127.0.0.1', resolve);
    });
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const words = options.command.map((word) => word.replace('${port}', port).replace('${pipe}', pipe));
    return new Peer(options, listener, words);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const target = this.#socket === undefined ? this.#child.stdin : await this.#socket;
    target?.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async closeInput(): Promise<void> {
    (this.#socket === undefined ? this.#child.stdin : await this.#socket)?.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /**
   * Returns the next frame that is not skipped. Returns undefined when no such frame arrives in time, or when the
   * program ends.
   */
  async next(passOver: (frame: Json) => boolean): Promise<Json | undefined> {
    const deadline = performance.now() + this.#options.waitMsMax;
    let hasEnded = false;
    void this.#ended.then(() => (hasEnded = true));
    for (;;) {
      while (this.#taken < this.frames.length) {
        const frame = this.frames[this.#taken];
        this.#taken += 1;
        if (frame !== undefined && !passOver(frame)) return frame;
      }
      const restMs = deadline - performance.now();
      if (restMs <= 0 || hasEnded) return undefined;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#stirred = resolve;
        timer = setTimeout(resolve, restMs);
      });
      clearTimeout(timer);
    }
  }

  /** The received frames that no step has used. */
  get untaken(): readonly Json[] {
    return this.frames.slice(this.#taken);
  }

  /** Returns how the program ended: its exit code or its signal, as text. */
  async exit(): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('still running'), this.#options.waitMsMax);
    });
    const end = await Promise.race([this.#ended, late]);
    clearTimeout(timer);
    return end;
  }

  /** Ends the program, whatever its state. Returns the child processes that the program left behind. */
  async destroy(): Promise<string[]> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    await this.#ended;
    this.#listener?.close();
    if (this.#socket !== undefined) void this.#socket.then((socket) => socket.destroy());
    return survivors(this.#options.directory);
  }

  #receive(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const head = this.#rest.toString('latin1', at, at + 64);
      const match = /^Content-Length: (\d+)\r\n\r\n/.exec(head);
      if (match === null) {
        if (head.length < 64 && /^(Content-Length: ?[\d\r\n]*)?$/.test(head.padEnd(0))) break;
        if (head.length < 16 && 'Content-Length: '.startsWith(head)) break;
        this.#options.onViolation(`the daemon wrote something that is not a frame: ${JSON.stringify(head)}`);
        at = this.#rest.length;
        break;
      }
      const from = at + match[0].length;
      const to = from + Number(match[1]);
      if (this.#rest.length < to) break;
      this.#take(this.#rest.subarray(from, to));
      at = to;
    }
    this.#rest = this.#rest.subarray(at);
    this.#stirred();
  }

  #take(body: Buffer): void {
    try {
      const frame = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json;
      this.frames.push(frame);
      this.#options.onFrame(frame);
    } catch (error) {
      this.#options.onViolation(`the daemon wrote a body that cannot be parsed: ${String(error)}`);
    }
  }
}

/** Returns the processes that still use the peer's directory after the program has ended. Works on Linux only. */
async function survivors(directory: string): Promise<string[]> {
  if (!existsSync('/proc/self/cmdline')) return [];
  let found: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map((name) => describe(name))
      .filter((text) => text.includes(directory));
    if (found.length === 0) return found;
    await sleep(50); // a killed process takes a moment to end
  }
  return found;
}

function describe(pid: string): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
    return words === '' ? '' : `${words} in ${readlinkSync(`/proc/${pid}/cwd`)}`;
  } catch {
    return ''; // the process ended meanwhile
  }
}
