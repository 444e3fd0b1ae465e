// checkpoint/hasChanges: whether the work tree differs from the checkpoint that the session stands on.
import { comparable, presentSide, sideOf } from '../../session/index/compared.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/hasChanges', async ({ session, context }) => {
  const checkpoints = session.requireCheckpoints();
  const { capture, index } = checkpoints;
  const { head } = index;
  if (head === undefined) return { hasChanges: true };
  const { snapshot, skipped } = head.record;
  const isChanged = await capture.isChanged(snapshot, context.signal, skipped);
  if (isChanged !== 'unsure') return { hasChanges: isChanged };
  // What cannot be seen now, or could not then, is no change.
  const present = await capture.capture({ previous: snapshot, signal: context.signal });
  const { from, to } = await comparable(checkpoints.store, sideOf(index, head), presentSide(index, present));
  return { hasChanges: from !== to };
});
