// What a person is told when something failed, and the exit code of it.
import { CheckpointdGoneError, CheckpointdRequestError } from '../client/client-error.ts';
import { exits } from './command.ts';
import { inCommands } from './in-commands.ts';
import { CommandRefusal } from './refusal.ts';
import { note } from './terminal.ts';

/** Says it. @throws what is no failure that a person can meet */
export function explained(error: unknown): number {
  if (error instanceof CommandRefusal) {
    note(error.message);
    return error.code;
  }
  if (error instanceof CheckpointdRequestError || error instanceof CheckpointdGoneError) {
    note(inCommands(error.message));
    return exits.failed;
  }
  if (error instanceof Error && 'code' in error) {
    note(error.message);
    return exits.failed;
  }
  throw error;
}
