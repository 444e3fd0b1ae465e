// Fetches lines of a remote into this storage, either whole lines or, for a list, only their heads. A line gets its ref
// only after it was completely fetched and verified. A failure therefore leaves no new ref and keeps the earlier
// version of the line.
import { join } from 'node:path';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { emptyTree } from '../git/objects/tree-format.ts';
import { identity as committer } from '../git/process/environment.ts';
import { Carrier, corrupt, type RemoteRef, refRoots, tombstoneName } from './carrier.ts';
import { type FetchedHeads, fetchHeads } from './fetched-heads.ts';
import type { Manifest } from './line-format.ts';
import { checkTrees, type Line, readConversation, readHead, readLine } from './line-reader.ts';
import { type Remote, type Remotes, underLock } from './remotes.ts';
import { TravelObjects } from './travel-objects.ts';

/** A line as the list of lines shows it. */
export interface ListedLine {
  readonly ref: RemoteRef & { readonly writer: string };
  readonly manifest: Manifest;
}

/** A line that was refused, with the reason. */
export interface RefusedLine {
  readonly ref: string;
  readonly kind: string;
  readonly message: string;
}

export interface Listed {
  /** The lines, newest first. The times of a line come from the clock of the machine that wrote the line. */
  readonly lines: readonly ListedLine[];
  readonly refused: readonly RefusedLine[];
  /** The sessions that were deleted on the remote. */
  readonly deleted: readonly string[];
}

/**
 * The maximum size in bytes of a line's records and conversation. The contents count separately, because the manifest
 * announces their size.
 */
const extraBytes = 256 << 20;
/** The contents may exceed the announced size by at most this number of bytes. */
const unsaidBytes = 16 << 20;
/**
 * The maximum number of packs of heads. Each listing fetches the changed heads as a new pack. If there are more packs,
 * the next listing fetches all heads again as one pack.
 */
const headPacksMax = 50;
const lockMs = 120_000;

interface Job {
  readonly remotes: Remotes;
  readonly remote: Remote;
  readonly signal?: AbortSignal | undefined;
}

/** Lists the lines of a remote. Fetches only their heads, without contents. @throws RemoteUnreachable, RemoteRefused */
export function listLines(job: Job, session?: string): Promise<Listed> {
  return withObjects(job, 'heads', async (objects, carrier) =>
    readHeads(objects, await fetchHeads(carrier, objects, session)),
  );
}

async function readHeads(objects: TravelObjects, { refs, broken }: FetchedHeads): Promise<Listed> {
  const lines: ListedLine[] = [];
  const refused = broken.map(({ ref, error }) => refusal(ref, error));
  const deleted = new Set(refs.filter(({ writer }) => writer === undefined).map(({ session }) => session));
  for (const ref of linesOf(refs)) {
    if (deleted.has(ref.session)) continue;
    try {
      const { manifest } = await readHead(objects.reader, ref.commit, ref);
      lines.push({ ref, manifest });
    } catch (error) {
      refused.push(refusal(ref, error));
    }
  }
  lines.sort((a, b) => Date.parse(b.manifest.updated) - Date.parse(a.manifest.updated));
  return { lines, refused, deleted: [...deleted] };
}

/**
 * Returns one ref for each line. If a host once accepted only branches, it may have both a hidden ref and a branch for
 * a line.
 */
function linesOf(refs: readonly RemoteRef[]): (RemoteRef & { readonly writer: string })[] {
  const lines = new Map<string, RemoteRef & { readonly writer: string }>();
  for (const ref of refs) {
    const { writer, session, place } = ref;
    if (writer === undefined) continue;
    const key = `${session}/${writer}`;
    if (place === 'hidden' || !lines.has(key)) lines.set(key, { ...ref, writer });
  }
  return [...lines.values()];
}

/** If the remote's data caused the error, returns the line as refused. @throws every other error */
function refusal({ ref }: Pick<RemoteRef, 'ref'>, error: unknown): RefusedLine {
  if (!isKind('RemoteCorrupt')(error)) throw error;
  return { ref, kind: error.kind, message: error.message };
}

interface Fetched extends Listed {
  /** The lines that have changed and were therefore fetched. */
  readonly updated: readonly ListedLine[];
}

/** Fetches whole lines, either of one session or of all sessions. If a line is refused, its earlier version is kept. */
export async function fetchLines(
  job: Job,
  session: string | undefined,
  onLine: (done: number, total: number) => void,
): Promise<Fetched> {
  const { signal } = job;
  const listed = await listLines(job, session);
  return withObjects(job, 'lines', async (objects, carrier) => {
    const refused = [...listed.refused];
    const updated: ListedLine[] = [];
    const here = await objects.refsBelow(linesHere);
    const wanted = listed.lines.filter(({ ref }) => here.get(nameHere(ref)) !== ref.commit);
    for (const [index, line] of wanted.entries()) {
      signal?.throwIfAborted();
      try {
        await takeLine(objects, carrier, line, here.get(nameHere(line.ref)), signal);
        updated.push(line);
      } catch (error) {
        refused.push(refusal(line.ref, error));
      }
      onLine(index + 1, wanted.length);
    }
    if (updated.length > 0) await objects.pack();
    return { ...listed, refused, updated };
  });
}

const linesHere = 'refs/lines/';
const nameHere = ({ session, writer = '' }: RemoteRef): string => `${linesHere}${session}/${writer}`;

/** Fetches one line. Moves the line's ref only after the line is completely verified. */
async function takeLine(
  objects: TravelObjects,
  carrier: Carrier,
  { ref, manifest }: ListedLine,
  before: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const place = `refs/incoming/${ref.session}/`;
  const incoming = `${place}${ref.writer}`;
  const packs = objects.packs();
  try {
    await carrier.fetch({ refspecs: [`+${ref.ref}:${incoming}`], bytesMax: manifest.bytes + extraBytes });
    const commit = (await objects.refsBelow(place)).get(incoming);
    if (commit === undefined) throw corrupt('a listed ref does not exist');
    if (before !== undefined && !(await objects.isBefore(before, commit)))
      throw corrupt('a line was reset, or replaced by another line', { ref: ref.ref });
    await verifyLine(objects, commit, ref, signal);
    await objects.moveRefs(new Map([[nameHere(ref), commit]]));
  } catch (error) {
    await objects.removePacks((name) => !packs.has(name));
    throw error;
  } finally {
    await objects.moveRefs(new Map([[incoming, undefined]])); // if the fetch failed, this ref may be missing
  }
}

async function verifyLine(
  objects: TravelObjects,
  commit: string,
  of: { readonly session: string; readonly writer: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const line = await readLine(objects.reader, commit, of);
  const bytesMax = line.manifest.bytes + unsaidBytes;
  await checkTrees(objects.reader, line.checkpoints, { bytesMax, signal });
  for await (const _ of readConversation(objects.reader, line, signal)) continue;
}

/** A fetched line, and the repository that contains the objects of the line. */
export interface OpenLine {
  readonly line: Line;
  readonly objects: TravelObjects;
}

/**
 * Reads a fetched line and calls `use` with it. If the session has lines of several writers, reads the line that was
 * pushed last. @throws UnknownSession when no line of the session was fetched
 */
export function withFetchedLine<T>(
  job: Job,
  { session, writer }: { readonly session: string; readonly writer?: string | undefined },
  use: (open: OpenLine) => Promise<T>,
): Promise<T> {
  return withObjects(job, 'lines', async (objects) => {
    const lines: Line[] = [];
    for (const [name, commit] of await objects.refsBelow(`${linesHere}${session}/`)) {
      job.signal?.throwIfAborted();
      const of = name.slice(linesHere.length + session.length + 1);
      if (writer === undefined || writer === of)
        lines.push(await readLine(objects.reader, commit, { session, writer: of }));
    }
    lines.sort((a, b) => Date.parse(b.manifest.updated) - Date.parse(a.manifest.updated));
    const [line] = lines;
    if (line === undefined) throw unknownThere(job.remote, session, writer);
    return use({ line, objects });
  });
}

function unknownThere({ name }: Remote, session: string, writer: string | undefined): CheckpointdError {
  const whose = writer === undefined ? '' : ` of the writer ${writer.slice(0, 64)}`;
  return new CheckpointdError(
    'UnknownSession',
    `"${name}" has no session ${session.slice(0, 64)}${whose}. Use remote/sessions to list its sessions.`,
    { details: { remote: name, session: session.slice(0, 64) } },
  );
}

/**
 * Removes every line of a session from a remote. Leaves a tombstone, so that no machine pushes the session again.
 * Returns the removed refs. @throws UnknownSession when the remote has no line of the session
 */
export function deleteLines(job: Job, session: string): Promise<readonly string[]> {
  const { remote } = job;
  return withObjects(job, 'heads', async (objects, carrier) => {
    const refs = await carrier.list(session);
    if (refs.length === 0) throw unknownThere(remote, session, undefined);
    const lines = refs.filter(({ writer }) => writer !== undefined);
    if (lines.length === refs.length) {
      const to = await writeTombstone(objects, session);
      const root = refRoots[lines[0]?.place ?? remote.refs];
      await carrier.push([{ ref: `${root}${session}/${tombstoneName}`, from: undefined, to }]);
    }
    if (lines.length > 0) {
      const outcome = await carrier.push(
        lines.map(({ ref, commit }) => ({ ref, from: commit, to: undefined })),
      );
      if (outcome === 'moved')
        throw new CheckpointdError(
          'RemoteRefused',
          'Another machine pushed the session while the daemon deleted it. Delete the session again.',
          { details: { reason: 'moved' }, retryable: true, effects: 'unknown' },
        );
    }
    return lines.map(({ ref }) => ref);
  });
}

async function writeTombstone(objects: TravelObjects, session: string): Promise<string> {
  await objects.write('tree', Buffer.alloc(0));
  const seconds = Math.max(0, Math.floor(Date.now() / 1000)); // some git hosts refuse a date before 1970
  const who = `${committer.name} <${committer.email}> ${seconds} +0000`;
  const text = `tree ${emptyTree}\nauthor ${who}\ncommitter ${who}\n\nSession ${session} was deleted\n\ncheckpointd-deleted-1\n`;
  return objects.write('commit', Buffer.from(text));
}

/** Runs work on a repository that all daemons of a storage share. A lock allows only one process at a time. */
async function withObjects<T>(
  { remotes, remote, signal }: Job,
  place: 'heads' | 'lines',
  work: (objects: TravelObjects, carrier: Carrier) => Promise<T>,
): Promise<T> {
  const directory = join(remotes.directoryOf(remote.name), place);
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = { name: 'travel', directory, file: `${directory}.lock`, waitMs: lockMs };
  return underLock({ ...lock, busy: 'Another process is using this remote. Try again.' }, async () => {
    const objects = await TravelObjects.open(
      directory,
      place === 'heads' ? { renewsAbovePacks: headPacksMax } : {},
    );
    try {
      return await work(objects, new Carrier(objects.gitDir, remote.url, { signal }));
    } finally {
      await objects.close();
    }
  });
}
