// checkpoint/redo: forth again over a restore that was undone.
import { defineCommand } from '../command.ts';
import { checkStep, stepOverRestore } from '../restore-steps.ts';
import { restoredBefore } from '../restoring.ts';

export const command = defineCommand('checkpoint/redo', (call) => stepOverRestore('redo', call), {
  again: restoredBefore,
  check: checkStep,
});
