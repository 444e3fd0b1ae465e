// For tests of the inspector's page: a repository, a daemon with a session, and `checkpointd inspect` for this session.
import type { ParamsOf, RequestMethod, ResultOf } from '../../../src/protocol/types.ts';
import { DaemonRig } from '../daemon-rig.ts';
import { until } from '../until.ts';
import type { WireClient } from '../wire-client.ts';

export class Inspected {
  readonly rig = new DaemonRig();
  client: WireClient | undefined;
  session = '';

  /** Starts a daemon and opens the session. After a kill, starts another daemon. */
  async open(conversationId = 'conversation'): Promise<void> {
    this.client = await this.rig.start();
    const { session } = await this.rig.open(this.client, {
      retention: 'keep',
      conversationId,
    });
    this.session = session;
  }

  /** Sends a request to the daemon as an agent would. */
  ask<M extends RequestMethod>(method: M, params: Omit<ParamsOf<M>, 'session'>): Promise<ResultOf<M>> {
    if (this.client === undefined) throw new Error('no daemon was started');
    return this.client.request(method, { session: this.session, ...params });
  }

  /** Makes the checkpoint of a turn. Returns its id. */
  async turn(message: string): Promise<string> {
    return idOf(await this.ask('checkpoint/create', { kind: 'turn', message }));
  }

  /** Makes the checkpoint of a tool. Returns its id. */
  async tool(toolName: string, message?: string): Promise<string> {
    const said = message === undefined ? {} : { message };
    return idOf(await this.ask('checkpoint/create', { kind: 'tool', toolName, ...said }));
  }

  /** Runs `checkpointd inspect` and returns the link that it prints. */
  async inspect(...words: string[]): Promise<string> {
    const program = this.rig.run(['inspect', `--storage=${this.rig.storage}`, ...words]);
    await until('the inspector prints a link', () => {
      if (program.stderr.includes('checkpointd:')) throw new Error(program.stderr);
      return program.stdout.includes('\n');
    });
    return program.stdout.trim();
  }

  /**
   * Ends the inspectors first and then the daemon. A daemon still writes for a moment after its inspector has ended.
   */
  async dispose(): Promise<void> {
    await this.rig.endPrograms();
    await this.rig.dispose();
  }
}

function idOf({ checkpoint }: ResultOf<'checkpoint/create'>): string {
  if (checkpoint === undefined) throw new Error('no checkpoint was made');
  return checkpoint.id;
}
