// store/verify: whether every content that a checkpoint needs is there and whole.
import { defineCommand } from '../command.ts';

export const command = defineCommand('store/verify', async ({ session, context }) => {
  const { store } = session.requireCheckpoints();
  const started = performance.now();
  let checked = 0;
  const problems = await store.verify(context.signal, (contents) => {
    checked = contents;
  });
  return {
    ok: problems.length === 0,
    problems,
    checked,
    ms: Math.round(performance.now() - started),
  };
});
