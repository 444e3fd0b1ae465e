// A line connects the torture test to a daemon through a client: the test's own driver, or one of the users'
// clients (bridge.ts).
import { type Exit, WireClient, type WireOptions } from '../../../test/support/wire-client.ts';

export interface Line {
  /** The process id of the daemon, or of one of its ancestors. */
  readonly pid: number;
  /**
   * Resolves with exit code and signal when the daemon has ended. @throws Defect when the client reported the end
   * wrongly
   */
  readonly exited: Promise<Exit>;
  /** True when the daemon has ended. */
  readonly hasEnded: boolean;
  /** The received messages that violate the protocol. */
  readonly violations: readonly string[];
  /** Sends `initialize`. @throws WireFailure */
  initialize(): Promise<unknown>;
  /** Sends a request. @throws WireFailure; any other error when the daemon has ended */
  ask(method: string, params: object): Promise<unknown>;
  /** Kills the daemon. Waits until the daemon and all processes between test and daemon have ended. */
  kill(): Promise<void>;
  /** Ends in order. */
  close(): Promise<void>;
}

/** Our own driver. */
export class OwnLine implements Line {
  readonly #client: WireClient;

  constructor(options: WireOptions) {
    this.#client = new WireClient(options);
  }

  get pid(): number {
    return this.#client.process.pid ?? 0;
  }

  get exited(): Promise<Exit> {
    return this.#client.exited;
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.#client.process;
    return exitCode !== null || signalCode !== null;
  }

  get violations(): readonly string[] {
    return this.#client.violations;
  }

  async initialize(): Promise<unknown> {
    const result = await this.ask('initialize', {});
    this.#client.notify('initialized', {});
    return result;
  }

  async ask(method: string, params: object): Promise<unknown> {
    const result = await this.#client.send(method, params).answer;
    this.#client.frames.length = 0;
    return result;
  }

  async kill(): Promise<void> {
    await this.#client.kill();
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
