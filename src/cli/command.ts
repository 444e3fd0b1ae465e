// The form of a command: its input, and its exit code. Every command is one file of commands/, a thin client of one
// method of the wire.
import type { CheckpointdClient } from '../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { Where } from './reach.ts';
import { say } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';

/** The exit codes, as the help documents them. 0 means success. */
export const exits = { failed: 1, usage: 2, noSession: 3, incomplete: 4, cancelled: 130 } as const;

/** The end of the help of every command. */
export const exitCodes = `
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 no session here, 4 the restore left files out,
130 interrupted.`;

export interface Given extends Where {
  readonly json: boolean;
  /** The words as the user typed them. */
  readonly paths: readonly string[];
  readonly pager: boolean;
}

/** Sends one request and shows its progress. Ctrl-C cancels the request. */
export type Ask = <M extends RequestMethod>(
  method: M,
  params: Omit<ParamsOf<M>, 'session'>,
) => Promise<ResultOf<M>>;

export interface Task {
  readonly ask: Ask;
  /** The client, only for listeners. Requests go through `ask`. */
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
  /** True when paths may follow its words, or `--`. */
  readonly paths?: true;
  /** The remedy for a word too many. */
  readonly excess?: string;
  /** True when its text may be long: then a terminal shows it in a pager. */
  readonly paged?: true;
  /** True when it has no result for --json. */
  readonly withoutJson?: true;
  readonly hidden?: true;
  readonly makesSession?: true;
  /** True when it only reads: a session that no daemon has open is then read from its files, and not opened. */
  readonly reads?: true;
  readonly changesFiles?: true;
  /** True when it runs until the user ends it. */
  readonly stays?: true;
  /** Prints the facts that need no session, before the command fails because there is none. */
  readonly withoutSession?: (given: Given) => Promise<void>;
  readonly run: (task: Task) => Promise<number>;
}

export function isPaged({ paged }: CliCommand, { pager, json }: Given): boolean {
  return paged === true && pager && !json && process.stdout.isTTY;
}

/** Prints the unchanged result of the wire, if the user asked for it. */
export function printed(given: Pick<Given, 'json'>, result: object): boolean {
  if (given.json) say(JSON.stringify(result, null, 2));
  return given.json;
}
