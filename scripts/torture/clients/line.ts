// The line to a daemon through a client. The client is either the driver of this script, or one of the users' clients
// (bridge.ts).
import { type Exit, WireClient, type WireOptions } from '../../../test/support/wire-client.ts';

export interface Line {
  /** The id of the daemon's process, or of one of its parent processes. */
  readonly pid: number;
  /**
   * Resolves when the daemon has ended, with a text that says how. @throws Defect when the client reported the end
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
  /** Kills the daemon, and waits until every process of the line has ended. */
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
