// Defines the parts of a command, its input, and the exit codes. Every command has one file in commands/ and is a thin
// client of one method of the protocol.
import type { CheckpointdClient } from '../client/client.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { DaemonKind } from './reach.ts';
import { say } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';
import type { Where } from './used-sessions.ts';

/** The exit codes that the help documents. 0 means success. */
export const exits = { failed: 1, usage: 2, noSession: 3, incomplete: 4, cancelled: 130 } as const;

/** The last lines of every command's help. */
export const exitCodes = `
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 no session here, 4 the restore left files out,
130 interrupted.`;

export interface Given extends Where {
  readonly json: boolean;
  /** The words after `--`, as the user typed them. */
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
  /** The client. Commands use the client only to listen for events. They send requests through `ask`. */
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
  /** True when the user may give paths, either after the command's words or after `--`. */
  readonly paths?: true;
  /** The advice in the error about too many words. */
  readonly excess?: string;
  /** True when the command's output may be long. On a terminal, a pager then shows the output. */
  readonly paged?: true;
  /** True when the command has no result for --json. */
  readonly withoutJson?: true;
  readonly hidden?: true;
  readonly makesSession?: true;
  /**
   * True when the command only reads. If no daemon has the session open, a command that only reads does not open the
   * session, but reads the session's files.
   */
  readonly reads?: true;
  readonly changesFiles?: true;
  readonly daemon?: DaemonKind;
  /**
   * Prints the part of the output that needs no session. Called when the command finds no session, before the command
   * fails.
   */
  readonly withoutSession?: (given: Given) => Promise<void>;
  readonly run: (task: Task) => Promise<number>;
}

export function isPaged({ paged }: CliCommand, { pager, json }: Given): boolean {
  return paged === true && pager && !json && process.stdout.isTTY;
}

/** If the user gave --json, prints the result of the request unchanged and returns true. */
export function printed(given: Pick<Given, 'json'>, result: object): boolean {
  if (given.json) say(JSON.stringify(result, null, 2));
  return given.json;
}
