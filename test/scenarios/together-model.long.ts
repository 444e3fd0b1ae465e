// Runs random sessions that have a conversation and checkpoints. Compares each session with plain copies of its states.
// Runs more and longer sessions than together-model.test.ts.
import { test } from 'uvu';
import { checkLives } from '../support/together/model.ts';

for (const [strategy, sessions] of [
  ['sqlite', 400],
  ['shadow', 24],
] as const) {
  test(`${sessions} random sessions with checkpoints (${strategy}) behave like plain copies of the state (C10, C12, C13, C15, C16, C18, C19, C24, C29, C31, C33, C34, C35)`, () =>
    checkLives(strategy, sessions, 20));
}

test.run();
