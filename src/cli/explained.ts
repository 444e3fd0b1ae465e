// Reports a failure to a person or a script, and chooses the exit code.
import { systemCode } from '../base/errors.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from '../client/client-error.ts';
import type { JsonObject } from '../protocol/types.ts';
import { exits } from './command.ts';
import { inCommands } from './in-commands.ts';
import { CommandRefusal } from './refusal.ts';
import { note, say } from './terminal.ts';

/** A failure in the form that --json prints. */
interface FailureData {
  /** The name of the error: either a name from the protocol's reference, or a name that only the command line uses. */
  readonly kind: string;
  readonly message: string;
  readonly remedy: string;
  /** Data from the daemon's error, such as paths, ids or sizes. */
  readonly details?: JsonObject;
}

interface FailureOutput {
  /** True to print the failure as data on standard output. */
  readonly json: boolean;
  /** Known words that are similar to the unknown word that the user typed. */
  readonly meant?: readonly string[];
}

/** Reports a failure, and returns the exit code. @throws an error that shows a defect of the program */
export async function explained(error: unknown, { json, meant = [] }: FailureOutput): Promise<number> {
  if (json) {
    const failure = await failureOf(error);
    const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`;
    sayFailure({ ...failure, remedy: `${failure.remedy}${hint}` });
  } else {
    note(messageOf(error));
    if (meant.length > 0) note(`did you mean ${meant.join(', ')}?`);
  }
  return error instanceof CommandRefusal ? error.code : exits.failed;
}

/** Prints a failure instead of the result. */
export function sayFailure(error: FailureData): void {
  say(JSON.stringify({ error }, null, 2));
}

function messageOf(error: unknown): string {
  if (error instanceof CheckpointdRequestError || error instanceof CheckpointdGoneError)
    return inCommands(error.message);
  if (error instanceof CommandRefusal) return error.message;
  if (error instanceof Error && systemCode(error) !== undefined) return error.message;
  throw error;
}

async function failureOf(error: unknown): Promise<FailureData> {
  if (error instanceof CommandRefusal)
    return { kind: error.kind, message: `${error.fact}.`, remedy: error.remedy };
  const message = messageOf(error);
  if (error instanceof CheckpointdRequestError) {
    const { errorRemedies } = await import('../protocol/error-remedies.ts');
    const { kind } = error;
    const known = Object.hasOwn(errorRemedies, kind)
      ? errorRemedies[kind as keyof typeof errorRemedies]
      : undefined;
    const details = Object.keys(error.details).length === 0 ? {} : { details: error.details };
    return { kind, message, remedy: inCommands(known ?? 'See the message.'), ...details };
  }
  if (error instanceof CheckpointdGoneError)
    return {
      kind: 'DaemonGone',
      message,
      remedy: 'Look at the result with "checkpointd list", then try again.',
    };
  return { kind: 'SystemError', message, remedy: 'Check that the path exists, and check its permissions.' };
}
