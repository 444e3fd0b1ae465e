// checkpoint/hasChanges: whether the work tree differs from the checkpoint that the session stands on.
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/hasChanges', async ({ session, context }) => {
  const { capture, index } = session.requireCheckpoints();
  const { head } = index;
  if (head === undefined) return { hasChanges: true };
  return { hasChanges: await capture.isChanged(head.record.snapshot, context.signal) };
});
