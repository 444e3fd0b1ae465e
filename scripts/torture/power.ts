// Cuts the power after a request was answered, and starts the machine again. Data must still exist if it was synced
// before the request, or if the answer promised that it will survive.
import { setTimeout as wait } from 'node:timers/promises';
import type { Episode } from './episode.ts';
import { describe, type Manifest, refOf } from './manifest.ts';
import { list } from './oracle.ts';
import type { Step } from './steps.ts';
import { Defect } from './tally.ts';

export async function cutPower(
  episode: Episode,
  step: Extract<Step, { readonly op: 'power' }>,
): Promise<void> {
  const { world, seat, oracle } = episode;
  const { disk } = world;
  if (disk === undefined) return;
  const before = world.look();
  oracle.learn(before);
  // Syncs all data that the user and the daemon have written so far.
  disk.sync();
  const durable = (await list(seat)).filter(({ id }) => oracle.targetOf(seat, id) !== undefined);
  const [answered, id] = await askFor(episode, step.after, durable.at(-2)?.id ?? durable.at(0)?.id);
  const asked = world.look();
  oracle.learn(asked);
  await wait(step.ms);
  disk.cut();
  await seat.kill();
  for (const other of world.running) await other.kill();
  await disk.restart();
  world.tally.powerCuts += 1;
  const found = world.look();
  // An earlier request may have left a restore half-way. The opening then finishes this restore.
  const { isUnfinished } = episode;
  const opened = await episode.open();
  episode.isUnfinished = false;
  const after = world.look();
  const where = `power cut ${step.ms} ms after ${step.after} (${answered})`;
  if (!seat.isEnabled) throw new Defect(`${where}: ${JSON.stringify(opened['checkpoints'])}`);
  if (!isUnfinished) assertEither(where, [before, asked], after, found);
  oracle.took(before, after, where);
  if (id !== undefined && world.circumstances.durability === 'power') oracle.claim(seat, id, asked);
  if (id !== undefined && world.circumstances.durability === 'process') {
    const isThere = (await list(seat)).some((each) => each.id === id);
    if (!isThere) await oracle.forget([seat], after, (each) => each === id);
  }
  await oracle.assertNothingLost([seat], after, where);
  await oracle.assertHeld(
    seat,
    where,
    durable.map((each) => each.id),
  );
  world.assertRepository(where);
  const created = await seat.ask('checkpoint/create', { kind: 'turn' });
  if (created.is !== 'answered')
    throw new Defect(`${where}: no checkpoint can be made: ${JSON.stringify(created)}`);
  const { checkpoint, skipped } = created.result as unknown as { checkpoint: { id: string }; skipped: [] };
  await episode.assertMade(checkpoint.id, after, skipped, `${where}, then create`);
  for (const path of (await oracle.holding(seat, checkpoint.id)).keys())
    await seat.read('checkpoint/readFile', { tag: checkpoint.id, ...refOf(path) });
}

/** Sends the request. Returns the answer, and the checkpoint that the request made. */
async function askFor(
  { seat }: Episode,
  after: Extract<Step, { readonly op: 'power' }>['after'],
  target: string | undefined,
): Promise<readonly [string, string | undefined]> {
  if (after === 'none') return ['nothing asked', undefined];
  const hard = { mode: 'hard', onConflict: 'overwrite', confirm: true };
  const outcome =
    after === 'create'
      ? await seat.ask('checkpoint/create', { kind: 'turn' })
      : after === 'undo'
        ? await seat.ask('checkpoint/undo', hard)
        : await seat.ask('checkpoint/restore', { tag: target ?? '0', ...hard });
  if (outcome.is !== 'answered') return [JSON.stringify(outcome), undefined];
  const made = outcome.result['checkpoint'] as { readonly id: string } | undefined;
  return ['answered', after === 'create' ? made?.id : undefined];
}

/** Checks that every file has its content from before or after the request, and is not empty or torn. */
function assertEither(
  where: string,
  [one, other]: readonly [Manifest, Manifest],
  after: Manifest,
  found: Manifest,
): void {
  const wrong: string[] = [];
  for (const path of new Set([...one.keys(), ...other.keys(), ...after.keys()])) {
    const git = after.get(path)?.git;
    if (git === one.get(path)?.git || git === other.get(path)?.git) continue;
    wrong.push(
      `${path}: ${describe(one.get(path))}, then ${describe(other.get(path))}, found ${describe(found.get(path))}, opened ${describe(after.get(path))}`,
    );
  }
  if (wrong.length > 0) throw new Defect(`${where}: ${wrong.join('; ')}`);
}
