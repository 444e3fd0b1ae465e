// The form of a command: its input and its answer, an exit code. Every command is one file of commands/, a thin client
// of one method of the wire.
import type { CheckpointdClient } from '../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { Where } from './reach.ts';
import { say } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';

/** 0: done. Documented in the help. */
export const exits = { failed: 1, usage: 2, noSession: 3, incomplete: 4, cancelled: 130 } as const;

/** Stands under the help of every command. */
export const exitCodes = `
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 no session here, 4 the restore left files out,
130 interrupted.`;

export interface Given extends Where {
  readonly json: boolean;
  /** The words as the user typed them. */
  readonly paths: readonly string[];
  readonly pager: boolean;
}

/** Sends one request; progress is shown, and Ctrl-C gives it up. */
export type Ask = <M extends RequestMethod>(
  method: M,
  params: Omit<ParamsOf<M>, 'session'>,
) => Promise<ResultOf<M>>;

export interface Task {
  readonly ask: Ask;
  /** For listeners; requests go by `ask`. */
  readonly client: Pick<CheckpointdClient, 'on'>;
  readonly given: Given;
  readonly session: string;
  readonly paths: TreePaths;
  readonly options: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  /** The arguments in commander's notation: `<must>`, `[may]`. */
  readonly words?: readonly (readonly [name: string, description: string])[];
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Paths may stand behind its words, or behind `--`. */
  readonly paths?: true;
  /** Says where a word belongs that stands where the command takes none. */
  readonly excess?: string;
  /** Its text may be long: it goes through a pager on a terminal. */
  readonly paged?: true;
  /** It has no result for --json to print. */
  readonly withoutJson?: true;
  readonly hidden?: true;
  readonly makesSession?: true;
  /** Only reads: a session that no daemon has open is read from its files, and not opened. */
  readonly reads?: true;
  readonly changesFiles?: true;
  /** Runs until the user leaves it. */
  readonly stays?: true;
  /** Prints the facts that need no session, before the command is refused because there is none. */
  readonly withoutSession?: (given: Given) => Promise<void>;
  readonly run: (task: Task) => Promise<number>;
}

export function isPaged({ paged }: CliCommand, { pager, json }: Given): boolean {
  return paged === true && pager && !json && process.stdout.isTTY;
}

/** Prints the wire's result as it came, if that was asked for. */
export function printed(given: Pick<Given, 'json'>, result: object): boolean {
  if (given.json) say(JSON.stringify(result, null, 2));
  return given.json;
}
