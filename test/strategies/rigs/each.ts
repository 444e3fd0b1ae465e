// Runs a test for each strategy, with its own daemon and session.
import * as assert from 'uvu/assert';
import { strategies } from '../../../src/store/strategies.ts';
import { InProcessDaemon, repository } from '../../support/in-process-daemon.ts';

export const names = Object.keys(strategies);

/** Runs a body with a session of each strategy. Each session has its own repository. */
export async function each(
  body: (at: { daemon: InProcessDaemon; strategy: string; root: string; session: string }) => Promise<void>,
  files?: Record<string, string>,
): Promise<void> {
  for (const strategy of names) {
    const daemon = new InProcessDaemon();
    const root = repository(files);
    const { session, checkpoints } = await daemon.open(root, { strategy, conversationId: 'c' });
    assert.ok(checkpoints.enabled, checkpoints.message);
    await body({ daemon, strategy, root, session });
    await daemon.close();
  }
}
