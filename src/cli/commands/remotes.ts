// checkpointd remote, fetch, import, and sessions --remote: list, fetch and import sessions from git remotes.
import { resolve } from 'node:path';
import { CheckpointdClient } from '../../client/client.ts';
import { repositoryAround } from '../../client/stored-sessions.ts';
import type { RefusedLine, RemoteLine } from '../../protocol/types.ts';
import { storageAt } from '../../wire/places.ts';
import { exits, type Given, printed } from '../command.ts';
import { explained } from '../explained.ts';
import { inCommands } from '../in-commands.ts';
import { misused } from '../refusal.ts';
import { fit, localTime, note, plain, say } from '../terminal.ts';
import { workDirectory } from '../tree-paths.ts';

type At = Pick<Given, 'json' | 'storage'>;

/** Starts a daemon that serves only this command, and calls `work` with the client. */
async function withDaemon(given: At, work: (client: CheckpointdClient) => Promise<number>): Promise<number> {
  const storage = storageAt(given.storage);
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`, '--no-listen'] });
  try {
    return await work(client);
  } catch (error) {
    return await explained(error, { json: given.json });
  } finally {
    await client.close();
  }
}

export function addRemote(
  given: At,
  name: string,
  url: string,
  leaveOut: readonly string[] | undefined,
): Promise<number> {
  return withDaemon(given, async (client) => {
    const result = await client.request('remote/add', {
      name,
      url,
      ...(leaveOut === undefined ? {} : { leaveOut: [...leaveOut] }),
    });
    if (!printed(given, result))
      say(
        `Added the remote ${plain(result.remote.name)}: ${plain(result.remote.url)}. "checkpointd push" sends a session there.`,
      );
    return 0;
  });
}

export function listRemotes(given: At): Promise<number> {
  return withDaemon(given, async (client) => {
    const result = await client.request('remote/list', {});
    if (printed(given, result)) return 0;
    if (result.remotes.length === 0)
      say('There are no remotes. "checkpointd remote add <name> <address>" adds one.');
    for (const { name, url } of result.remotes) say(fit(`${plain(name).padEnd(12)}  ${plain(url)}`));
    return 0;
  });
}

export function removeRemote(given: At, name: string): Promise<number> {
  return withDaemon(given, async (client) => {
    const result = await client.request('remote/remove', { name });
    if (!printed(given, result))
      say(`Removed the remote ${plain(name)} from the list. The sessions on the remote stay.`);
    return 0;
  });
}

export function fetchRemote(given: At, remote: string, session: string | undefined): Promise<number> {
  return withDaemon(given, async (client) => {
    const result = await client.request('remote/fetch', {
      remote,
      session,
    });
    if (printed(given, result)) return exitOf(result.refused);
    say(
      result.updated.length === 0
        ? 'Nothing new.'
        : `New or changed on the remote (${result.updated.length}):`,
    );
    for (const line of result.updated) say(fit(`  ${lineText(line)}`));
    sayRefused(result.refused);
    return exitOf(result.refused);
  });
}

export function sessionsThere(given: At, remote: string): Promise<number> {
  return withDaemon(given, async (client) => {
    const result = await client.request('remote/sessions', { remote });
    if (printed(given, result)) return exitOf(result.refused);
    if (result.lines.length === 0) say(`${plain(remote)} has no sessions.`);
    for (const line of result.lines) say(fit(lineText(line)));
    sayRefused(result.refused);
    return exitOf(result.refused);
  });
}

export interface ImportOptions {
  readonly writer?: string;
  readonly strategy?: string;
  readonly allowProtected?: true;
}

/** Imports a session from a remote for this directory. Accepts the beginning of the session id. */
export function importHere(
  given: At & Pick<Given, 'path'>,
  remote: string,
  session: string,
  { writer, strategy, allowProtected }: ImportOptions,
): Promise<number> {
  return withDaemon(given, async (client) => {
    const { lines } = await client.request('remote/sessions', { remote });
    const result = await client.request('session/import', {
      remote,
      session: theOne(lines, session),
      workspace: repositoryAround(workDirectory(resolve(given.path))),
      writer,
      strategy,
      allowProtected,
    });
    if (printed(given, result)) return 0;
    say(
      `Imported ${result.session} with ${result.checkpoints} checkpoints and the conversation. No file was changed.`,
    );
    say('"checkpointd list" shows the checkpoints; "checkpointd restore --hard <tag>" restores the files.');
    for (const warning of result.warnings ?? []) note(plain(inCommands(warning)));
    return 0;
  });
}

/**
 * Returns the only session whose id begins with the typed text. @throws CommandRefusal when no session or several
 * sessions match
 */
function theOne(lines: readonly RemoteLine[], wanted: string): string {
  const [first, second] = [...new Set(lines.map(({ session }) => session))].filter((id) =>
    id.startsWith(wanted),
  );
  if (first === undefined)
    throw misused(
      `no session of the remote has an id that begins with ${plain(wanted)}`,
      '"checkpointd sessions --remote <remote>" lists the sessions.',
    );
  if (second !== undefined)
    throw misused(
      `several sessions of the remote have ids that begin with ${plain(wanted)}`,
      'Give more characters of the id.',
    );
  return first;
}

/** Returns a line such as `ses_… 2026-11-25 14:03  wr_… (this machine)  12 checkpoints  app  "fix the parser"`. */
function lineText({ session, writer, own, updatedAt, checkpoints, workspace, title }: RemoteLine): string {
  const words = title === undefined ? '' : `  "${plain(title)}"`;
  const who = own ? 'this machine' : plain(writer);
  const count = `${checkpoints} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`;
  return `${plain(session)}  ${localTime(updatedAt).slice(0, 16)}  ${who.padEnd(23)}  ${count}  ${plain(workspace)}${words}`;
}

function sayRefused(refused: readonly RefusedLine[]): void {
  for (const { ref, message } of refused) note(`${plain(ref)} was refused: ${plain(message)}`);
}

const exitOf = (refused: readonly RefusedLine[]): number => (refused.length === 0 ? 0 : exits.failed);
