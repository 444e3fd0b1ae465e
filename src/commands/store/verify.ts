// store/verify: whether every content that a checkpoint needs is there and whole.
import { defineCommand } from '../command.ts';

export const command = defineCommand('store/verify', async ({ session, context }) => {
  const { store, index } = session.requireCheckpoints();
  const started = performance.now();
  const problems = await store.verify(context.signal);
  return {
    ok: problems.length === 0,
    problems,
    checked: index.size,
    ms: Math.round(performance.now() - started),
  };
});
