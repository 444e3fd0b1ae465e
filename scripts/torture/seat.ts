// A seat runs a daemon with one session on the work tree, and sends requests to this daemon. The seat waits only a
// limited time for each answer. The seat distinguishes a daemon that the torture test killed from a daemon that died
// by itself.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WireFailure } from '../../test/support/frames.ts';
import type { FaultPlan } from '../../test/support/programs/planned-fault.ts';
import { testProgram } from '../../test/support/wire-client.ts';
import { AnswerTimeout, longestWait, processorWaitOf, withinRunningTime } from './answer-time.ts';
import { Bridge } from './clients/bridge.ts';
import { bridgeTo, type ClientName } from './clients/bridges.ts';
import { InProcessLine } from './clients/in-process.ts';
import { type Line, OwnLine } from './clients/line.ts';
import { Defect, type Tally } from './tally.ts';

/** The program of a daemon for tests. Unlike the shipped daemon, this program supports planned faults. */
const faultyEntry = testProgram('planned-daemon');

export interface SeatOptions {
  readonly top: string;
  readonly storage: string;
  readonly name: string;
  /** The conversation id of the seat's session. */
  readonly conversation: string;
  readonly work: string;
  readonly strategy: string;
  readonly durability: 'process' | 'power';
  readonly patienceMs: number;
  /** The client that starts the daemon and sends the requests. */
  readonly client: ClientName | 'inProcess';
  readonly tally: Tally;
  /**
   * The beginning of the command line, before `node`. With a suitable prefix, the daemon believes that the machine was
   * started again.
   */
  readonly prefix: () => readonly string[];
  /** A deliberate defect in the daemon, in order to test that the checker finds it. */
  readonly planted?: FaultPlan | undefined;
}

export type Outcome =
  | { readonly is: 'answered'; readonly result: Record<string, unknown> }
  | { readonly is: 'failed'; readonly kind: string; readonly effects: string; readonly message: string }
  | { readonly is: 'killed' };

export class Seat {
  readonly options: SeatOptions;
  readonly #plan: string;
  #line: Line | undefined;
  #isCondemned = false;
  session = '';
  shadow: string | undefined;
  isEnabled = true;
  /** How many milliseconds the daemon's clock is ahead of the machine's clock. */
  shiftMs = 0;

  constructor(options: SeatOptions) {
    this.options = options;
    this.#plan = join(options.top, `${options.name}.plan`);
  }

  get isRunning(): boolean {
    return this.#line !== undefined;
  }

  /**
   * Starts a daemon and opens the session. For a planned fault, the daemon's calls are counted from its first call on.
   */
  async open(trouble?: FaultPlan): Promise<Outcome> {
    const { top, storage, name, prefix } = this.options;
    rmSync(`${this.#plan}.told`, { force: true });
    this.plan(trouble);
    const words = [
      ...prefix(),
      process.execPath,
      faultyEntry,
      `--plan=${this.#plan}`,
      `--storage-dir=${storage}`,
      `--log-file=${join(top, `${name}.log`)}`,
      '--log-level=debug',
      '--orphan-grace-hours=24',
      '--no-listen',
      '--pack=2',
    ];
    this.#line = this.#start(words);
    this.#isCondemned = trouble?.act === 'killAll';
    const hello = await this.#wait('initialize', (line) => line.initialize());
    if (hello.is !== 'answered') return hello;
    const outcome = await this.#ask('session/open', {
      workspace: this.options.work,
      conversationId: this.options.conversation,
      strategy: this.options.strategy,
      retention: 'keep',
      durability: this.options.durability,
    });
    if (outcome.is === 'answered') {
      this.session = String(outcome.result['session']);
      this.shadow = outcome.result['shadowRepoPath'] as string | undefined;
      this.isEnabled = (outcome.result['checkpoints'] as { enabled: boolean }).enabled;
    }
    return outcome;
  }

  #start(words: readonly string[]): Line {
    const { top, storage, client, patienceMs } = this.options;
    if (client === 'inProcess') return new InProcessLine(storage);
    const env = { PATH: process.env['PATH'], HOME: join(top, 'home'), XDG_RUNTIME_DIR: join(top, 'run') };
    const [program = '', ...args] = words;
    if (client === 'own')
      return new OwnLine({ command: [program, ...args], env, timeoutMs: longestWait(patienceMs) });
    const bridge = bridgeTo(client);
    if ('refusal' in bridge) throw new Error(`no ${client} client: ${bridge.refusal}`);
    return new Bridge({ words: bridge.words, daemon: words, env: { ...env, ...bridge.env }, patienceMs });
  }

  /** Sends a request about the session. `condemned` is true when a kill is planned. */
  async ask(method: string, params: object = {}, condemned = false): Promise<Outcome> {
    this.#isCondemned = condemned;
    return this.#ask(method, { session: this.session, ...params });
  }

  /** Sends a request that only reads. The request must succeed. */
  async read<T>(method: string, params: object = {}): Promise<T> {
    const outcome = await this.ask(method, params);
    if (outcome.is !== 'answered')
      throw new Defect(`${method} ${JSON.stringify(params)}: ${JSON.stringify(outcome)}`);
    return outcome.result as T;
  }

  plan(plan: FaultPlan | undefined): void {
    writeFileSync(
      `${this.#plan}.new`,
      JSON.stringify({ shiftMs: this.shiftMs, ...(plan ?? this.options.planted ?? { act: 'none', at: 0 }) }),
    );
    renameSync(`${this.#plan}.new`, this.#plan);
  }

  /** Returns a line for each effect of the fault since this function was last called. */
  told(): string[] {
    const file = `${this.#plan}.told`;
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    rmSync(file);
    appendFileSync(join(this.options.top, 'told.log'), `${lines.join('\n')}\n`);
    return lines;
  }

  async killIn(ms: number): Promise<void> {
    this.#isCondemned = true;
    const line = this.#line;
    await wait(ms);
    await line?.kill();
    this.#line = undefined;
  }

  async kill(): Promise<void> {
    await this.#line?.kill();
    this.#line = undefined;
  }

  async close(): Promise<void> {
    if (this.#line === undefined) return;
    const closed = await this.ask('session/close');
    if (closed.is !== 'answered') throw new Defect(`session/close: ${JSON.stringify(closed)}`);
    await this.#line.close();
    this.#assertFrames(this.#line);
    this.#line = undefined;
  }

  async #ask(method: string, params: object): Promise<Outcome> {
    const outcome = await this.#wait(method, (line) => line.ask(method, params));
    this.options.tally.heard?.(method, outcome, this.options.work);
    return outcome;
  }

  async #wait(method: string, asked: (line: Line) => Promise<unknown>): Promise<Outcome> {
    const line = this.#line;
    if (line === undefined) throw new Error('no daemon runs');
    if (line.hasEnded) return this.#ended(line, method);
    try {
      const waitedMs = processorWaitOf(line.pid);
      const result = (await withinRunningTime(asked(line), this.options.patienceMs, waitedMs)) as Record<
        string,
        unknown
      >;
      this.#assertFrames(line);
      return { is: 'answered', result };
    } catch (error) {
      if (error instanceof WireFailure) {
        const { kind = '', effects = '' } = error.data ?? {};
        if (kind === 'InternalError' || kind === '' || error.code === -32603)
          throw new Defect(`${method} ended with InternalError: ${error.message}${this.#lastWords()}`);
        this.options.tally.failed(kind);
        return { is: 'failed', kind, effects, message: error.message };
      }
      if (error instanceof AnswerTimeout) throw new Defect(`${method}: ${error.message}${this.#lastWords()}`);
      if (error instanceof Defect) throw error;
      return this.#ended(line, method);
    }
  }

  async #ended(line: Line, method: string): Promise<Outcome> {
    const { code, signal } = await line.exited;
    this.#line = undefined;
    // A daemon that cannot open its log file reports this and ends with code 2.
    if (code === 2 && this.#hasFailedAt(`${this.options.name}.log`)) return { is: 'killed' };
    if (!this.#isCondemned || signal !== 'SIGKILL')
      throw new Defect(`${method}: the daemon died by itself (${code ?? signal})${this.#lastWords()}`);
    return { is: 'killed' };
  }

  #hasFailedAt(target: string): boolean {
    const file = `${this.#plan}.told`;
    return existsSync(file) && readFileSync(file, 'utf8').includes(`${target}\n`);
  }

  #assertFrames(line: Line): void {
    if (line.violations.length > 0)
      throw new Defect(`the daemon violated the protocol: ${line.violations.join('; ')}`);
  }

  #lastWords(): string {
    const log = join(this.options.top, `${this.options.name}.log`);
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-6) : [];
    return `; told: ${this.told().join(' | ')}; log: ${lines.join(' | ').slice(0, 2500)}`;
  }
}
