// Runs one case against a program. Prepares the scene, performs the steps, and checks the rules that every conforming
// server must follow. Returns the first fault as one line, or undefined.
import { type ChildProcess, spawn } from 'node:child_process';
import type { ConformanceCase, Step } from './conformance-case.ts';
import { FrameRules } from './frame-rules.ts';
import { type Json, mismatch, Names } from './match.ts';
import { Peer } from './peer.ts';
import { contentOf, Scene } from './scene.ts';

/**
 * Notifications that the server may send at any time. The runner skips these notifications, unless a step expects one
 * of them.
 */
const unasked: ReadonlySet<unknown> = new Set([
  'window/logMessage',
  '$/logTrace',
  '$/progress',
  'worktree/didChange',
]);

class Failure extends Error {}

/** Returns the bytes of one frame. */
export function frameOf(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

class CaseRun {
  readonly #case: ConformanceCase;
  readonly #command: readonly string[];
  readonly #names = new Names();
  readonly #secret = `secret-${Math.random().toString(36).slice(2)}`;
  readonly #scene: Scene;
  readonly #rules = new FrameRules(this.#secret);
  readonly #violations: string[] = [];
  readonly #helpers: ChildProcess[] = [];
  readonly #waitMsMax: number;
  #peer: Peer | undefined;
  #lastId = 0;
  #wantsStderr = false;
  #orderly = true;

  constructor(given: ConformanceCase, command: readonly string[], waitMsMax: number) {
    this.#waitMsMax = waitMsMax;
    this.#case = given;
    this.#command = command;
    this.#scene = new Scene(given.world ?? 'repository', given.open?.strategy === 'local');
    const { workspace, outside, storage } = this.#scene;
    // The peer inserts the port and the path of the pipe, because only the peer knows them.
    Object.assign(this.#names.values, { workspace, outside, storage, port: '${port}', pipe: '${pipe}' });
    if ((given.args ?? []).some((word) => word.includes('${pid}'))) this.#helper('start');
  }

  async run(): Promise<string | undefined> {
    try {
      await this.#start();
      await this.#begin();
      for (const [number, step] of this.#case.steps.entries()) {
        await this.#take(step).catch((error: unknown) => {
          const what = error instanceof Error ? error.message : String(error);
          throw new Failure(`step ${number + 1} ${JSON.stringify(step).slice(0, 200)}: ${what}`);
        });
      }
      return await this.#verdict();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message, ...this.#violations, ...this.#rules.violations].join('\n      ');
    } finally {
      for (const helper of this.#helpers) helper.kill('SIGKILL');
      await this.#peer?.destroy();
      this.#scene.destroy();
    }
  }

  async #verdict(): Promise<string | undefined> {
    const peer = this.#currentPeer();
    const problems = [...this.#violations, ...this.#rules.violations];
    // If the case stopped before the last step, the server may still answer pending requests.
    const rest = peer.untaken.filter(
      ({ method }) => !unasked.has(method) && (this.#orderly || method !== undefined),
    );
    if (rest.length > 0)
      problems.push(
        `the daemon sent a message that no step expected: ${JSON.stringify(rest[0]).slice(0, 300)}`,
      );
    if (this.#orderly && this.#rules.unanswered.length > 0)
      problems.push(`the daemon did not answer: ${this.#rules.unanswered.join(', ')}`);
    if (!this.#wantsStderr && peer.stderr !== '') problems.push(`stderr: ${peer.stderr.slice(0, 300)}`);
    const survivors = await peer.destroy();
    if (survivors.length > 0)
      problems.push(`processes are still running after the daemon: ${survivors.join('; ').slice(0, 300)}`);
    if (this.#scene.harm !== undefined) problems.push(this.#scene.harm);
    return problems.length === 0 ? undefined : problems.join('\n      ');
  }

  #currentPeer(): Peer {
    if (this.#peer === undefined) throw new Failure('no daemon was started');
    return this.#peer;
  }

  async #start(args: readonly string[] = this.#case.args ?? []): Promise<void> {
    const { fault, over = 'stdio', frames = true } = this.#case;
    const faultArgs = fault === undefined ? [] : [`--fault=${fault}`];
    const { directory, storage } = this.#scene;
    this.#peer = await Peer.start({
      command: [...this.#command, ...(this.#names.put([...args, ...faultArgs]) as string[])],
      env: {
        ...process.env,
        XDG_STATE_HOME: storage,
        GIT_CEILING_DIRECTORIES: directory,
        CHECKPOINTD_TEST_SECRET: this.#secret,
      },
      over,
      directory,
      waitMsMax: this.#waitMsMax,
      frames,
      onFrame: (frame) => this.#rules.received(frame),
      onViolation: (what) => this.#violations.push(what),
    });
  }

  async #begin(): Promise<void> {
    const { begin = 'open', frames = true, events = [], open = {} } = this.#case;
    if (begin === 'nothing' || !frames) return;
    const capabilities = { checkpointd: { events } };
    this.#names.values.initialized = await this.#ask('initialize', { capabilities });
    await this.#send({ notify: 'initialized', params: {} });
    if (begin === 'initialize') return;
    const params = { workspace: '${workspace}', conversationId: 'conformance', ...open };
    const opened = (await this.#ask('session/open', this.#names.put(params))) as Json;
    this.#names.values.session = opened.session;
    this.#names.values.opened = opened;
  }

  /**
   * Sends a request that the runner needs, but that is not a step of the case. The request must succeed, and its events
   * are skipped.
   */
  async #ask(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = `runner-${this.#lastId}`;
    await this.#send({ call: method, params, id });
    const frame = await this.#currentPeer().next((frame) => frame.method !== undefined);
    if (frame?.id !== id || frame.error !== undefined)
      throw new Failure(`${method}: ${JSON.stringify(frame)?.slice(0, 400)}`);
    return frame.result;
  }

  async #take(given: Step): Promise<void> {
    const step = this.#names.put(given) as Step;
    if (isSending(step)) return this.#send(step);
    if (this.#scene.take(step)) return undefined;
    if (Array.isArray(step.write)) return this.#write(step.write as Json[], step.cut);
    if ('have' in step || 'haveNot' in step) return refuse(this.#scene.lack(step));
    if ('expect' in step) return this.#expect(step);
    if (Array.isArray(step.expectAll)) return this.#expectAll(step.expectAll);
    if ('fence' in step) return this.#fence();
    if ('flood' in step) return this.#flood(step);
    if ('closeInput' in step) return this.#currentPeer().closeInput();
    if (typeof step.signal === 'string') return this.#signal(step.signal as NodeJS.Signals);
    if ('exit' in step) return this.#exit(String(step.exit));
    if ('restart' in step) return this.#restart(step);
    if (typeof step.helper === 'string') return this.#helper(step.helper);
    if ('stdout' in step) return refuse(containsAll('stdout', this.#currentPeer().stdout, step.stdout));
    if ('stderr' in step) {
      this.#wantsStderr = true;
      return refuse(containsAll('stderr', this.#currentPeer().stderr, step.stderr));
    }
    throw new Failure('the step has an unknown form');
  }

  async #send(step: Json): Promise<void> {
    await this.#currentPeer().write(this.#bytesOf(step));
  }

  #bytesOf(step: Json): Buffer {
    if ('text' in step || 'base64' in step) {
      if ('asks' in step) this.#rules.sent({ id: step.asks, method: 'session/list' });
      return contentOf(step);
    }
    const { call, notify, params, id } = step;
    const message =
      'frame' in step
        ? step.frame
        : { jsonrpc: '2.0', ...(call === undefined ? {} : { id }), method: call ?? notify, params };
    this.#rules.sent(message);
    return frameOf(message);
  }

  async #write(parts: readonly Json[], cut: unknown): Promise<void> {
    const bytes = Buffer.concat(parts.map((part) => this.#bytesOf(part)));
    const size = typeof cut === 'number' ? cut : bytes.length;
    for (let at = 0; at < bytes.length; at += size)
      await this.#currentPeer().write(bytes.subarray(at, at + size));
  }

  async #expect(step: Step): Promise<void> {
    const expected = step.expect as Json;
    const frame = await this.#currentPeer().next(
      ({ method }) => unasked.has(method) && method !== expected.method,
    );
    if (frame === undefined) throw new Failure(`no message arrived; ${await this.#ended()}`);
    refuse(mismatch(expected, frame));
    if (typeof step.as === 'string')
      this.#names.values[step.as] = frame.result ?? frame.params ?? frame.error;
  }

  async #expectAll(expected: readonly unknown[]): Promise<void> {
    const missing = [...expected];
    while (missing.length > 0) {
      const frame = await this.#currentPeer().next(({ method }) => unasked.has(method));
      if (frame === undefined) throw new Failure(`this message did not arrive: ${JSON.stringify(missing)}`);
      const index = missing.findIndex((one) => mismatch(one, frame) === undefined);
      if (index < 0) throw new Failure(`unexpected ${JSON.stringify(frame).slice(0, 300)}`);
      missing.splice(index, 1);
    }
  }

  async #ended(): Promise<string> {
    const { stderr, frames } = this.#currentPeer();
    return `after ${frames.length} frames; ${stderr}`;
  }

  /** Sends a request and checks that the next frame is its response. Any other frame is a fault. */
  async #fence(): Promise<void> {
    this.#lastId += 1;
    const id = `fence-${this.#lastId}`;
    await this.#send({ call: 'rpc.discover', id });
    const frame = await this.#currentPeer().next(({ method }) => unasked.has(method));
    if (frame?.id !== id)
      throw new Failure(`the daemon should send nothing, but sent ${JSON.stringify(frame)?.slice(0, 300)}`);
  }

  /** Sends many requests at once. Each request must get one response: a result, or an error of an allowed kind. */
  async #flood(step: Step): Promise<void> {
    const { flood, allow = [], call, params, atLeast = [] } = step;
    const count = Number(flood);
    const parts = Array.from({ length: count }, (_, i) => ({ call, params, id: `flood-${i}` }));
    await this.#write(parts, undefined);
    const kinds = new Set<unknown>();
    for (let i = 0; i < count; i += 1) {
      const frame = await this.#currentPeer().next(({ method }) => method !== undefined);
      if (frame === undefined) throw new Failure(`only ${i} of ${count} answers arrived`);
      const kind = ((frame.error as Json | undefined)?.data as Json | undefined)?.kind;
      kinds.add(kind ?? 'result');
      if (kind !== undefined && !(allow as unknown[]).includes(kind))
        throw new Failure(`refused as ${JSON.stringify(kind)}`);
    }
    for (const kind of atLeast as unknown[])
      if (!kinds.has(kind)) throw new Failure(`none was ${JSON.stringify(kind)}`);
  }

  #signal(name: NodeJS.Signals): void {
    this.#orderly = false;
    this.#currentPeer().signal(name);
  }

  async #exit(code: string): Promise<void> {
    if (code !== '0') this.#orderly = false;
    const end = await this.#currentPeer().exit();
    if (end !== code) throw new Failure(`ended with ${end}`);
  }

  async #restart(step: Step): Promise<void> {
    await this.#peer?.destroy();
    await this.#start();
    if (step.restart === 'nothing') return;
    await this.#begin();
  }

  #helper(what: string): void {
    if (what === 'kill') {
      for (const helper of this.#helpers) helper.kill('SIGKILL');
      return;
    }
    const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    this.#helpers.push(helper);
    this.#names.values.pid = helper.pid;
  }
}

const sendings = ['frame', 'call', 'notify', 'base64', 'text'];

function isSending(step: Step): boolean {
  const [first = ''] = Object.keys(step);
  return sendings.includes(first);
}

function refuse(what: string | undefined): void {
  if (what !== undefined) throw new Failure(what);
}

function containsAll(where: string, text: string, wanted: unknown): string | undefined {
  const missing = [wanted].flat().find((part) => !text.includes(String(part)));
  return missing === undefined
    ? undefined
    : `${where} lacks ${JSON.stringify(missing)}: ${text.slice(0, 200)}`;
}

/** Runs a case. Returns the fault, or undefined. */
export function runCase(
  given: ConformanceCase,
  command: readonly string[],
  waitMsMax = 20_000,
): Promise<string | undefined> {
  return new CaseRun(given, command, waitMsMax).run();
}
