// What a person is told when something failed, and the exit code of it.
import { CheckpointdGoneError, CheckpointdRequestError } from '../client/client-error.ts';
import { exits } from './command.ts';
import { inCommands } from './in-commands.ts';
import { NoSession } from './no-session.ts';
import { note } from './terminal.ts';

/** Says it. @throws what is no failure that a person can meet */
export function explained(error: unknown): number {
  if (error instanceof NoSession) {
    note(error.message);
    return exits.noSession;
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
