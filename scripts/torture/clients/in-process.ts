// A line that connects the torture test to a daemon in this process. There are no process starts, frames or kills, so
// many episodes run in a second.
import { CheckpointdError } from '../../../src/base/errors.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { RequestMethod } from '../../../src/protocol/types.ts';
import { toWireError } from '../../../src/rpc/error-response.ts';
import { WireFailure } from '../../../test/support/frames.ts';
import { InProcessDaemon } from '../../../test/support/in-process-daemon.ts';
import type { Exit } from '../../../test/support/wire-client.ts';
import { Defect } from '../tally.ts';
import type { Line } from './line.ts';

export class InProcessLine implements Line {
  readonly pid = process.pid;
  readonly exited = new Promise<Exit>(() => undefined);
  readonly hasEnded = false;
  readonly violations: readonly string[] = [];
  readonly #daemon: InProcessDaemon;

  constructor(storage: string) {
    this.#daemon = new InProcessDaemon(storage);
  }

  initialize(): Promise<unknown> {
    return Promise.resolve({});
  }

  async ask(method: string, params: object): Promise<unknown> {
    try {
      return await this.#daemon.call(method as RequestMethod, params);
    } catch (error) {
      if (!(error instanceof CheckpointdError)) throw new Defect(`${method}: ${(error as Error).stack}`);
      throw new WireFailure(method, toWireError(error, { method, mutates: true, log: silentLog }));
    }
  }

  kill(): Promise<void> {
    return this.#daemon.close();
  }

  close(): Promise<void> {
    return this.#daemon.close();
  }
}
