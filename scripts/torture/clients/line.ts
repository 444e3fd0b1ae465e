// The line to a daemon and the client on it: our own driver here, or one of the clients that users have (bridge.ts).
import { type Exit, WireClient, type WireOptions } from '../../../test/support/wire-client.ts';

export interface Line {
  /** The process that works for us: itself the daemon, or above it. */
  readonly pid: number;
  /** How the daemon ended. @throws Defect when its end was not told as it should */
  readonly exited: Promise<Exit>;
  /** The daemon is known to have ended. */
  readonly hasEnded: boolean;
  /** Messages that violate the protocol. */
  readonly violations: readonly string[];
  /** @throws WireFailure */
  initialize(): Promise<unknown>;
  /** @throws WireFailure; anything else when the daemon has ended */
  ask(method: string, params: object): Promise<unknown>;
  /** Takes the daemon's life, and waits until all that belongs to the line has ended. */
  kill(): Promise<void>;
  /** The orderly end. */
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
