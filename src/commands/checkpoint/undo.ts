// checkpoint/undo: back over the newest restore.
import { defineCommand } from '../command.ts';
import { checkStep, stepOverRestore } from '../restore-steps.ts';
import { restoredBefore } from '../restoring.ts';

export const command = defineCommand('checkpoint/undo', (call) => stepOverRestore('undo', call), {
  again: restoredBefore,
  check: checkStep,
});
