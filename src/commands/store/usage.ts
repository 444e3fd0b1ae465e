// store/usage: what the checkpoints take.
import { defineCommand } from '../command.ts';

export const command = defineCommand('store/usage', async ({ session }) => {
  const { store, index } = session.requireCheckpoints();
  const { bytes, blobs } = await store.usage();
  return { bytes, blobs, checkpoints: index.size, path: session.parts.directory.root };
});
