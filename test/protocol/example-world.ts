// The surroundings ("world") of an example of protocol.json: a daemon, a new work tree, and the steps before the
// request. One daemon serves many worlds in turn, but some examples need their own daemon. The `placeholders` of the
// document describe the notation.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Json, Names } from '../../scripts/conformance/match.ts';
import { type Frame, frameOf } from '../support/frames.ts';
import { WireClient, type WireOptions } from '../support/wire-client.ts';
import { protocol } from './document.ts';
import { worldFaults } from './example-faults.ts';
import { faultyOptions, switchSeam } from './example-surroundings.ts';

const eventMsMax = 20_000;
const eventNames = protocol.methods
  .filter(({ name, direction }) => direction === 'serverToClient' && /^\w+\/did/.test(name))
  .map(({ name }) => name);

/** A temporary directory with the repository that each world copies. */
let template: string | undefined;

function repositoryTemplate(): string {
  if (template !== undefined) return template;
  const made = mkdtempSync(join(tmpdir(), 'checkpointd-template-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
      cwd: made,
      stdio: 'ignore',
    });
  // The repository has no sample hooks, because each world would copy them.
  git('init', '-b', 'main', '--template=');
  writeFileSync(join(made, 'README.md'), '# demo\n');
  mkdirSync(join(made, 'src'));
  writeFileSync(join(made, 'src/a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-m', 'Start');
  template = made;
  return made;
}

/** A daemon with its storage, for one world or for many. */
export class ExampleHost {
  readonly client: WireClient;
  readonly directory: string;
  #initialized = false;

  /** If `faults` is given, the daemon runs with switchable faults, which are all off. */
  constructor(faults?: { readonly env?: NodeJS.ProcessEnv | undefined }) {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-example-')));
    mkdirSync(this.storage);
    const { env, ...rest }: WireOptions =
      faults === undefined ? {} : faultyOptions(this.directory, faults.env);
    const surroundings = { XDG_STATE_HOME: this.storage, GIT_CEILING_DIRECTORIES: this.directory };
    this.client = new WireClient({
      ...rest,
      env: { ...process.env, ...surroundings, ...env },
      timeoutMs: 60_000,
    });
  }

  get storage(): string {
    return join(this.directory, 'storage');
  }

  async initialize(): Promise<void> {
    if (this.#initialized) return;
    this.#initialized = true;
    const events = { checkpointd: { events: eventNames } };
    await this.client.initialize({ processId: process.pid, capabilities: events });
  }

  /** Opens a session that stays open, so that the daemon keeps the threads that all its sessions share. */
  async keepThreads(): Promise<void> {
    const workspace = join(this.directory, 'kept');
    mkdirSync(workspace);
    await this.initialize();
    await this.client.send('session/open', { workspace, conversationId: 'kept' }).answer;
  }

  /** Ends the daemon and removes its files. Returns the faults in the daemon's frames. */
  async end(): Promise<readonly string[]> {
    await this.client.kill();
    rmSync(this.directory, { recursive: true, force: true });
    return [...this.client.violations, ...this.client.undeclared];
  }
}

/** The surroundings of one example. */
export class World {
  readonly names = new Names();
  readonly host: ExampleHost;
  readonly #directory: string;
  readonly #after: (() => unknown)[] = [];
  /** The number of the first frame that belongs to this world. */
  readonly #from: number;

  constructor(host: ExampleHost) {
    this.host = host;
    this.#from = host.client.frames.length;
    this.#directory = mkdtempSync(join(host.directory, 'world-'));
    for (const name of ['workspace', 'outside']) {
      this.names.values[name] = join(this.#directory, name);
      mkdirSync(join(this.#directory, name));
    }
    this.names.values.storage = host.storage;
  }

  get workspace(): string {
    return join(this.#directory, 'workspace');
  }

  async enter(name: string): Promise<void> {
    cpSync(repositoryTemplate(), this.workspace, { recursive: true });
    if (name === 'directory') rmSync(join(this.workspace, '.git'), { recursive: true });
    if (name === 'raw') return;
    await this.host.initialize();
    if (name === 'connection') return;
    const opened = (await this.request('session/open', {
      workspace: this.workspace,
      conversationId: 'example',
    })) as Json;
    this.names.values.session = opened.session;
  }

  request(method: string, params: unknown): Promise<unknown> {
    return this.host.client.send(method, params).answer;
  }

  /** Sends a request and further frames in one write. */
  requestWith(method: string, params: unknown, behind: (id: number) => readonly object[]): Promise<unknown> {
    const { client } = this.host;
    client.process.stdin.cork();
    const { id, answer } = client.send(method, params);
    for (const frame of behind(id)) client.write(frameOf(frame));
    client.process.stdin.uncork();
    return answer;
  }

  /** Registers a step to run at the end of the world. */
  after(undo: () => unknown): void {
    this.#after.push(undo);
  }

  notify(method: string, params: unknown): void {
    this.host.client.notify(method, params);
  }

  /** Waits for a notification that `accept` accepts. Returns false if no such notification arrives in time. */
  async event(accept: (frame: Frame) => boolean): Promise<boolean> {
    const { client } = this.host;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), eventMsMax);
    });
    const came = client.next(accept, this.#from).then(
      () => true,
      () => false,
    );
    const result = await Promise.race([came, late]);
    clearTimeout(timer);
    return result;
  }

  /** The notifications about this world's session that the daemon has sent since the world began. */
  get notifications(): readonly Frame[] {
    return this.host.client.frames.slice(this.#from).filter(({ method }) => method !== undefined);
  }

  /** False for a notification about the session of the previous example, which may arrive late. */
  #isOurs({ params }: Frame): boolean {
    const told =
      typeof params === 'object' && params !== null && 'session' in params ? params.session : undefined;
    const ours = this.names.values.session;
    return told === undefined || ours === undefined || told === ours;
  }

  async step(given: Json): Promise<void> {
    const step = this.names.put(given) as Json;
    if (typeof step.fault === 'string') await worldFaults[step.fault]?.make?.(this);
    else if (typeof step.call === 'string') {
      const result = await this.request(step.call, step.params);
      if (typeof step.as === 'string') this.names.values[step.as] = result;
    } else if (typeof step.fail === 'string') {
      const answer = await this.request(step.fail, step.params).catch((error: unknown) => error);
      if (!(answer instanceof Error)) throw new Error(`${step.fail} was to fail`);
    } else if (typeof step.notify === 'string') this.notify(step.notify, step.params);
    else if (typeof step.wait === 'string') {
      if (!(await this.event((frame) => frame.method === step.wait && this.#isOurs(frame)))) {
        throw new Error(`no ${step.wait} came`);
      }
    } else if (typeof step.start === 'string') {
      const { start: method, params, id } = step;
      this.host.client.write(frameOf({ jsonrpc: '2.0', id, method, params }));
    } else this.#fileStep(step);
  }

  #fileStep(step: Json): void {
    const path = (name: unknown): string => join(this.workspace, String(name));
    if (typeof step.write === 'string') {
      const content =
        typeof step.base64 === 'string' ? Buffer.from(step.base64, 'base64') : String(step.text);
      this.#write(path(step.write), step.pathBytes, content);
    } else if (typeof step.fill === 'string') {
      for (let i = 0; i < Number(step.files); i += 1)
        this.#write(path(`${step.fill}/${i}.txt`), undefined, `${i}\n`);
    } else if (typeof step.remove === 'string') rmSync(path(step.remove), { recursive: true });
    else if (typeof step.link === 'string') symlinkSync(String(step.to), path(step.link));
    else if (typeof step.fifo === 'string') execFileSync('mkfifo', [path(step.fifo)]);
    else throw new Error(`cannot take the step ${JSON.stringify(step)}`);
  }

  #write(path: string, pathBytes: unknown, content: string | Uint8Array): void {
    if (typeof pathBytes === 'string') {
      const name = Buffer.from(pathBytes, 'base64');
      writeFileSync(Buffer.concat([Buffer.from(`${this.workspace}/`), name]), content);
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Closes sessions that are still open, so that a shared daemon stays small. */
  async leave(): Promise<void> {
    switchSeam(this.host, '');
    for (const undo of this.#after.reverse()) await undo();
    const { session } = this.names.values;
    if (session !== undefined && this.host.client.process.exitCode === null) {
      // The example may have closed the session already.
      await this.request('session/close', { session }).catch(() => undefined);
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
