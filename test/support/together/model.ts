// Runs random sessions with a conversation and checkpoints, and compares each session with plain copies of its states.
// The sessions use every method of conversation/*, checkpoint/* and ledger/*. After each step the daemon's session must
// equal its model. The tests call the daemon's handlers directly, without the wire.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { methods } from '../../../src/protocol/methods.ts';
import { InProcessDaemon, repository } from '../in-process-daemon.ts';
import { checkPropertyAsync, seed } from '../property.ts';
import { checkAll } from './checks.ts';
import { ModelledSession } from './modelled-session.ts';
import { step, take } from './steps.ts';

/** Methods that the sessions do not use, each with the reason. */
const notDriven: Readonly<Record<string, string>> = {};

/** The methods that the sessions must use. */
const expected = Object.entries(methods)
  .filter(([name, { kind }]) => kind === 'request' && /^(conversation|checkpoint|ledger)\//.test(name))
  .map(([name]) => name);

/** An in-process daemon that counts its requests. */
class CountingDaemon extends InProcessDaemon {
  readonly asked = new Map<string, number>();

  override call: InProcessDaemon['call'] = (method, params, context) => {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    return super.call(method, params, context);
  };
}

/** Checks the given number of random sessions. A failure names the seed and the shortest session. */
export async function checkLives(strategy: string, runs: number, stepsMax: number): Promise<void> {
  const reasons = Object.entries(notDriven).map(([name, reason]) => `${name} (${reason})`);
  console.log(
    `note: seed ${seed}; ${expected.length} methods to drive, left out: ${reasons.join(', ') || 'none'}`,
  );
  const daemon = new CountingDaemon();
  const root = repository({ 'kept.txt': 'k' });
  let sessions = 0;
  let steps = 0;
  try {
    await checkPropertyAsync(
      fc.array(step, { minLength: 1, maxLength: stepsMax, size: 'max' }),
      async (plan) => {
        sessions += 1;
        const modelled = new ModelledSession(daemon, root, `modelled ${sessions}`, strategy);
        await modelled.open();
        for (const next of plan) {
          await take(modelled, next);
          await modelled.compare();
          steps += 1;
        }
        await checkAll(modelled);
        // Checks that every checkpoint is unchanged. Copies the list first, because each restore adds a checkpoint.
        const ids = modelled.checkpoints.map(({ id }) => id);
        for (const id of ids) await restoreWhole(modelled, id);
        await daemon.call('session/delete', { session: modelled.session });
      },
      runs,
    );
  } finally {
    await daemon.close();
  }
  const asked = expected.filter((method) => daemon.asked.has(method));
  console.log(`note: ${steps} steps in ${sessions} sessions, ${asked.length} methods, ${strategy}`);
  if (runs < 500) return;
  assert.equal(
    expected.filter((method) => !(method in notDriven) && (daemon.asked.get(method) ?? 0) < 10),
    [],
    'methods that no modelled drove',
  );
}

async function restoreWhole(modelled: ModelledSession, id: string): Promise<void> {
  const to = modelled.checkpoints.findIndex((checkpoint) => checkpoint.id === id);
  const all = { only: 9, onConflict: 'overwrite', dryRun: false } as const;
  await take(modelled, { op: 'restore', to, scope: 'both', mode: 'hard', ...all });
  await modelled.compare();
}
