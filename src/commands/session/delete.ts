// session/delete: deletes a session with its checkpoints and its conversation, open here or kept.
import { placePath } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('session/delete', async ({ params, client, daemon, context }) => {
  const storage = params.storageDir == null ? undefined : placePath(params.storageDir, 'storageDir');
  const { bytesFreed } = await daemon.sessions.delete(params.session, context, storage, client);
  return { deleted: true, bytesFreed };
});
