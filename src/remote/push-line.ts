// Pushes the line of one session. Lists the refs of the remote, makes the next head, and moves the ref only if the
// remote still has the expected commit. Before the push, records the new head in a local ref. After an interruption,
// the next push recognises this head. If the remote has a head that this storage never made, then another storage uses
// the same writer id.
import { dirname, join } from 'node:path';
import { attemptAsync } from '../base/attempt.ts';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { Carrier, isHiddenRefRefused, type RemoteRef, refRoots } from './carrier.ts';
import type { SendChoices } from './left-behind.ts';
import type { LineOrigin } from './line-format.ts';
import { type Line, type LineIdentity, readLine } from './line-reader.ts';
import { type LineSource, type WrittenLine, writeLine } from './line-writer.ts';
import type { Remote, Remotes } from './remotes.ts';
import { TravelObjects } from './travel-objects.ts';

export interface PushRequest {
  readonly remotes: Remotes;
  readonly remote: string;
  /** The directory that contains this session's repository of lines. */
  readonly directory: string;
  /** The id of the session in this storage. */
  readonly session: string;
  readonly origin?: LineOrigin | undefined;
  readonly source: (identity: LineIdentity) => LineSource;
  readonly choices: SendChoices;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
  readonly onCheckpoint?: (done: number, total: number) => void;
  readonly warn: (text: string) => void;
  /** The heads of this session that this process has already read, by commit. */
  readonly heads: Map<string, Line>;
}

export interface Pushed extends LineIdentity {
  /** False after a dry run, and when the remote already had all data. */
  readonly pushed: boolean;
  readonly ref: string;
  readonly written: WrittenLine;
  /** The total size in bytes of the contents that the remote did not have. */
  readonly bytes: number;
  /** The refs of the lines that other writers have pushed for the same session. */
  readonly others: readonly RemoteRef[];
}

const attemptsMax = 5;
/**
 * The number of pushes from one packing to the next. Counting loose objects after each push would cost more than it
 * saves.
 */
const pushesPerPacking = 16;

/**
 * Pushes the current state of a session.
 *
 * @throws RemoteUnreachable, RemoteRefused (also for a session that was deleted on the remote), and errors of the
 * store. After a failure the session is unchanged.
 */
export async function pushLine(request: PushRequest): Promise<Pushed> {
  const { store } = request.source({ session: request.session, writer: '' });
  const objects = await TravelObjects.open(request.directory, { alternates: store.gitObjects ?? [] });
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const pushed = await pushOnce(request, objects);
      if (pushed !== undefined) return pushed;
    }
    throw new CheckpointdError(
      'RemoteRefused',
      'Another process changed the remote during each attempt to push. Try again later.',
      { details: { reason: 'moved' }, retryable: true },
    );
  } finally {
    await objects.close();
  }
}

/**
 * Pushes once. Returns undefined when the remote changed meanwhile, or when this process had outdated data about the
 * remote. If the result is undefined, the caller tries again.
 */
async function pushOnce(request: PushRequest, objects: TravelObjects): Promise<Pushed | undefined> {
  const { remotes, signal, choices, dryRun } = request;
  const remote = remotes.get(request.remote);
  const identity = await remotes.lineOf(request.session, request.origin?.session);
  // The fetched objects show git which objects the remote already has. If the session was imported, git therefore sends
  // only its new objects.
  const fetched = join(remotes.directoryOf(remote.name), 'lines', 'objects.git', 'objects');
  const known = files.existsSync(fetched) ? [fetched] : [];
  const carrier = new Carrier(objects.gitDir, remote.url, {
    alternates: [...objects.alternates, ...known],
    signal,
  });
  const [refs, noted] = await Promise.all([
    carrier.list(identity.session),
    notedHeads(objects, remote.name, identity),
  ]);
  if (refs.some(({ writer }) => writer === undefined)) throw deletedThere(remote, identity.session);
  const there = refs.find(({ writer }) => writer === identity.writer);
  const others = refs.filter(({ writer }) => writer !== identity.writer);
  const previous = await lastHead(objects, identity, noted, there?.commit, request.heads);
  if (previous === 'foreign') {
    await remotes.renewWriter(identity.writer);
    request.warn(
      `Another storage, probably in a copy of this container, uses the writer id of this storage on "${remote.name}". This storage now has a new id, and its sessions continue as separate lines.`,
    );
    return undefined;
  }
  const imported = previous === undefined ? await importedLine(request, objects, others) : undefined;
  const written = await writeLine({
    source: request.source(identity),
    choices,
    objects,
    now: new Date(),
    previous,
    imported,
    signal,
    onCheckpoint: request.onCheckpoint,
  });
  const place = there?.place ?? remote.refs;
  const ref = `${refRoots[place]}${identity.session}/${identity.writer}`;
  const bytes = written.line.manifest.bytes - ((previous ?? imported)?.manifest.bytes ?? 0);
  const answer = { ...identity, ref, written, bytes, others };
  if (dryRun || written.line.commit === there?.commit) return { ...answer, pushed: false };
  const notes = notesOf(remote.name, identity);
  // Records that the last head was pushed, and that the push of the new head is pending.
  const confirmed = previous === undefined ? [] : [[notes.pushed, previous.commit] as const];
  await objects.writeRefs(new Map([...confirmed, [notes.pending, written.line.commit]]));
  try {
    const outcome = await carrier.push([{ ref, from: there?.commit, to: written.line.commit }]);
    if (outcome === 'moved') return undefined;
    request.heads.clear();
    request.heads.set(written.line.commit, written.line);
    if (written.line.manifest.generation % pushesPerPacking === 0) await objects.pack();
  } catch (error) {
    if (!isHiddenRefRefused(error) || place === 'heads') throw error;
    await remotes.put({ ...remote, refs: 'heads' });
    request.warn(
      `"${remote.name}" accepts only branches. The session is stored below refs/heads/checkpointd/, so it is visible among the branches.`,
    );
    return undefined;
  }
  return { ...answer, pushed: true };
}

/** Returns the names of two local refs: the ref for the last pushed head, and the ref for the head of the next push. */
function notesOf(remote: string, { session, writer }: LineIdentity): { pushed: string; pending: string } {
  const of = `${remote}/${session}/${writer}`;
  return { pushed: `refs/pushed/${of}`, pending: `refs/pending/${of}` };
}

interface NotedHeads {
  readonly pushed: string | undefined;
  readonly pending: string | undefined;
}

async function notedHeads(
  objects: TravelObjects,
  remote: string,
  identity: LineIdentity,
): Promise<NotedHeads> {
  const { pushed, pending } = notesOf(remote, identity);
  const refs = await objects.refsBelow(`${dirname(pushed)}/`, `${dirname(pending)}/`);
  return { pushed: refs.get(pushed), pending: refs.get(pending) };
}

/**
 * Returns the parent for the next head. Returns `foreign` when the remote has a head that this storage did not make.
 */
async function lastHead(
  objects: TravelObjects,
  identity: LineIdentity,
  { pushed, pending }: NotedHeads,
  there: string | undefined,
  heads: Map<string, Line>,
): Promise<Line | 'foreign' | undefined> {
  // If the remote has no head, the parent is the last head that this storage made. The next head then also descends
  // from all heads that other machines have fetched.
  let last = there === undefined ? (pending ?? pushed) : pushed;
  // If the remote has the pending head, the earlier push succeeded, even if its answer was lost.
  if (there !== undefined && there === pending) last = pending;
  // A person may have reset the remote to an earlier head of this storage. In this case, the next head also descends
  // from that earlier head.
  else if (there !== undefined && there !== pushed) {
    const made = pending ?? pushed;
    if (made === undefined || !(await objects.isBefore(there, made))) return 'foreign';
    last = made;
  }
  if (last === undefined) return undefined;
  const known = heads.get(last);
  if (known !== undefined) return known;
  try {
    const line = await readLine(objects.reader, last, identity);
    heads.set(last, line);
    return line;
  } catch (error) {
    if (isKind('RemoteCorrupt')(error)) return 'foreign'; // the head is damaged
    throw error;
  }
}

/**
 * Returns the line from which the session was imported, if this remote has the line and the store has its objects. With
 * this line, the first push of an imported session sends only the session's new data.
 */
async function importedLine(
  { origin }: PushRequest,
  { reader }: TravelObjects,
  others: readonly RemoteRef[],
): Promise<Line | undefined> {
  if (origin === undefined || !others.some(({ writer }) => writer === origin.writer)) return undefined;
  return attemptAsync(isKind('RemoteCorrupt'), () => readLine(reader, origin.commit, origin));
}

function deletedThere({ name }: Remote, session: string): CheckpointdError {
  return new CheckpointdError(
    'RemoteRefused',
    `The session was deleted from the remote "${name}", so it cannot be pushed there again. Push the session to another remote, or import it with another conversation id.`,
    { details: { reason: 'deleted', session } },
  );
}
