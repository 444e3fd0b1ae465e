// Executes examples of protocol.json against a real daemon: builds the world, takes the steps, sends the request,
// compares. The notation is told in the document's `placeholders`. Faults are the caller's: an example that needs
// one is refused here, because only the fault seam can make it.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Example, Method } from '../../scripts/generate/dialect.ts';
import { root } from './document.ts';

type Json = Record<string, unknown>;
type Bytes = ReturnType<typeof Buffer.from>;

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

const answerMsMax = 20_000;

/** The least client that can be: frames out, frames in, replies by id. */
class Wire {
  readonly events: { readonly method: string; readonly params: unknown }[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number | string, (reply: Reply) => void>();
  #buffer: Bytes = Buffer.alloc(0);
  #id = 1000;
  #stirred: (() => void) | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on('data', (chunk: Bytes) => this.#read(chunk));
  }

  #read(chunk: Bytes): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.#buffer.toString('latin1', 0, end))?.[1]);
      if (this.#buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.#buffer.toString('utf8', end + 4, end + 4 + length)) as Json;
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      if (typeof message.method === 'string')
        this.events.push({ method: message.method, params: message.params });
      else this.#waiting.get(message.id as number)?.(message);
      this.#stirred?.();
    }
  }

  send(message: Json): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  request(method: string, params: unknown, id: number | string = (this.#id += 1)): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), answerMsMax);
      this.#waiting.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      this.send({ id, method, params });
    });
  }

  /** Waits until an event that is accepted has come. */
  async event(accept: (event: { method: string; params: unknown }) => boolean): Promise<boolean> {
    const end = Date.now() + 5000;
    while (Date.now() < end) {
      if (this.events.some(accept)) return true;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.#stirred = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.events.some(accept);
  }
}

const wildcards: Readonly<Record<string, (value: unknown) => boolean>> = {
  '${any}': (value) => value !== undefined,
  '${string}': (value) => typeof value === 'string',
  '${integer}': (value) => Number.isSafeInteger(value),
  '${boolean}': (value) => typeof value === 'boolean',
  '${array}': (value) => Array.isArray(value),
  '${object}': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  '${timestamp}': (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  '${absent}': (value) => value === undefined,
};

/** Where `value` does not match the example, or undefined when it does. */
export function mismatch(expected: unknown, value: unknown, at = ''): string | undefined {
  if (typeof expected === 'string' && Object.hasOwn(wildcards, expected))
    return wildcards[expected]?.(value) ? undefined : `${at}: ${JSON.stringify(value)} is not ${expected}`;
  const differs = `${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(value)?.slice(0, 300)}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return differs;
    return firstOf(expected.map((item, i) => mismatch(item, value[i], `${at}/${i}`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof value !== 'object' || value === null) return differs;
    return firstOf(
      Object.entries(expected).map(([name, item]) => mismatch(item, (value as Json)[name], `${at}/${name}`)),
    );
  }
  return Object.is(expected, value) ? undefined : differs;
}

const firstOf = (list: readonly (string | undefined)[]): string | undefined =>
  list.find((item) => item !== undefined);

/** One world: a daemon, a work tree, and the values that placeholders stand for. */
class World {
  readonly values: Json = {};
  readonly wire: Wire;
  readonly #directory: string;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor() {
    this.#directory = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-example-')));
    for (const name of ['workspace', 'outside', 'storage']) {
      this.values[name] = join(this.#directory, name);
      mkdirSync(join(this.#directory, name));
    }
    this.#child = spawn(process.execPath, [join(root, 'dist/src/main.js')], {
      env: {
        ...process.env,
        XDG_STATE_HOME: join(this.#directory, 'storage'),
        GIT_CEILING_DIRECTORIES: this.#directory,
      },
      stdio: 'pipe',
    });
    this.wire = new Wire(this.#child);
  }

  get workspace(): string {
    return join(this.#directory, 'workspace');
  }

  async enter(name: string, eventNames: readonly string[]): Promise<void> {
    this.#write('README.md', '# demo\n');
    this.#write('src/a.txt', 'one\n');
    if (name !== 'directory') {
      const git = (...args: string[]): unknown =>
        execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
          cwd: this.workspace,
          stdio: 'ignore',
        });
      git('init');
      git('add', '-A');
      git('commit', '-m', 'Start');
    }
    if (name === 'raw') return;
    const events = { checkpointd: { events: eventNames } };
    await this.#succeed('initialize', { processId: process.pid, capabilities: events });
    this.wire.send({ method: 'initialized', params: {} });
    if (name === 'connection') return;
    const opened = await this.#succeed('session/open', {
      workspace: this.workspace,
      conversationId: 'example',
    });
    this.values.session = (opened as Json).session;
  }

  async #succeed(method: string, params: unknown): Promise<unknown> {
    const reply = await this.wire.request(method, params);
    if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`);
    return reply.result;
  }

  /** The bytes of a step's path, inside the work tree. */
  #place(path: unknown, step: Json): Bytes {
    const name =
      typeof step.pathBytes === 'string' ? Buffer.from(step.pathBytes, 'base64') : Buffer.from(String(path));
    return Buffer.concat([Buffer.from(`${this.workspace}/`), name]);
  }

  #write(path: string, content: string | Bytes): void {
    mkdirSync(dirname(join(this.workspace, path)), { recursive: true });
    writeFileSync(join(this.workspace, path), content);
  }

  async step(given: Json): Promise<void> {
    const step = this.fill(given) as Json;
    if (typeof step.call === 'string') {
      const result = await this.#succeed(step.call, step.params);
      if (typeof step.as === 'string') this.values[step.as] = result;
    } else if (typeof step.fail === 'string') await this.wire.request(step.fail, step.params);
    else if (typeof step.notify === 'string') this.wire.send({ method: step.notify, params: step.params });
    else if (typeof step.write === 'string') {
      const content =
        typeof step.base64 === 'string' ? Buffer.from(step.base64, 'base64') : String(step.text);
      if (typeof step.pathBytes === 'string') writeFileSync(this.#place('', step), content);
      else this.#write(step.write, content);
    } else if (typeof step.fill === 'string') {
      for (let i = 0; i < Number(step.files); i += 1) this.#write(`${step.fill}/${i}.txt`, `${i}\n`);
    } else if (typeof step.remove === 'string')
      rmSync(join(this.workspace, step.remove), { recursive: true });
    else if (typeof step.link === 'string') symlinkSync(String(step.to), join(this.workspace, step.link));
    else if (typeof step.fifo === 'string') execFileSync('mkfifo', [join(this.workspace, step.fifo)]);
    else throw new Error(`cannot take the step ${JSON.stringify(step)}`);
  }

  /** Puts values in the place of placeholders; wildcards of results stay. */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.fill(item)]));
    if (typeof value !== 'string' || Object.hasOwn(wildcards, value)) return value;
    const whole = /^\$\{([^}]+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return this.#value(whole);
    return value.replaceAll(/\$\{([^}]+)\}/g, (_all, name: string) => String(this.#value(name)));
  }

  #value(name: string): unknown {
    const length = /^text:(\d+)$/.exec(name)?.[1];
    if (length !== undefined) return 'x'.repeat(Number(length));
    let at: unknown = this.values;
    for (const key of name.split('.')) at = (at as Json | undefined)?.[key];
    if (at === undefined) throw new Error(`nothing stands for \${${name}}`);
    return at;
  }

  async leave(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    if (this.#child.exitCode === null) {
      this.#child.stdin.end();
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Whether an example needs the fault seam. */
export function needsFault(example: Example): boolean {
  return example.fault !== undefined || (example.before ?? []).some((step) => Object.hasOwn(step, 'fault'));
}

/** Executes one example; returns what is not as it says, or undefined. */
export async function runExample(
  method: Method,
  example: Example,
  eventNames: readonly string[],
): Promise<string | undefined> {
  const world = new World();
  try {
    await world.enter(example.world, eventNames);
    for (const step of example.before ?? []) await world.step(step);
    const params = world.fill(example.params ?? {});
    if (method.direction === 'serverToClient') {
      const fits = (event: { method: string; params: unknown }): boolean =>
        event.method === method.name && mismatch(params, event.params) === undefined;
      if (await world.wire.event(fits)) return undefined;
      return `the event has not come; came ${JSON.stringify(world.wire.events).slice(0, 600)}`;
    }
    if (method.kind === 'notification') {
      world.wire.send({ method: method.name, params });
      return undefined;
    }
    const reply = await world.wire.request(method.name, params);
    if (example.error === undefined) {
      if (reply.error !== undefined) return `refused: ${JSON.stringify(reply.error)}`;
      return mismatch(world.fill(example.result), reply.result);
    }
    if (reply.error === undefined)
      return `expected ${example.error.kind}, got ${JSON.stringify(reply.result)?.slice(0, 300)}`;
    const { code, message, data } = reply.error;
    return mismatch(world.fill(example.error), { code, message, ...data });
  } finally {
    await world.leave();
  }
}
