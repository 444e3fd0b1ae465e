// The commands for git remotes: list remotes, push, fetch, and import a session from a line. These commands do not wait
// in a session's queue, so they find sessions themselves.
import { stopwatch } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type * as Wire from '../protocol/types.ts';
import {
  deleteLines,
  fetchLines,
  type Listed,
  type ListedLine,
  listLines,
  withFetchedLine,
} from '../remote/fetched-lines.ts';
import type { LeftPath } from '../remote/left-behind.ts';
import type { Line } from '../remote/line-reader.ts';
import type { Pushed } from '../remote/push-line.ts';
import { parseRemoteUrl, remoteUrlText } from '../remote/remote-url.ts';
import { type Remote, Remotes } from '../remote/remotes.ts';
import type { SessionMarker } from '../session/description.ts';
import { importSession, prepareImport } from '../session/import-session.ts';
import { defaultStrategy } from '../session/offered-strategies.ts';
import type { OperationRecords } from '../session/operations.ts';
import { prepareStorage } from '../session/storage.ts';
import { pushSession } from '../session/travel.ts';
import { checkPatterns } from '../tree/globs.ts';
import { type InStorage, pathRef, placePath, storageOf } from './answers/paths.ts';
import { type Call, defineDaemonCommand } from './command.ts';
import { once } from './once.ts';
import { sessionFields } from './session.ts';

const leftMax = 1000;
const linesMax = 10_000;

/**
 * Adds a remote. If a remote with this name and address exists, updates only the list of paths that are not pushed to
 * it.
 */
export const remoteAdd = defineDaemonCommand('remote/add', (call) => {
  const { params, daemon } = call;
  return once(operationsFor(call), 'remote/add', call, () =>
    daemon.alone(async () => {
      const url = parseRemoteUrl(params.url);
      checkName(params.name);
      checkPatterns(params.leaveOut ?? [], 'leaveOut');
      const isDefault = params.storageDir == null;
      const remotes = new Remotes(prepareStorage(storageOf(params, daemon.storage), { isDefault }));
      const earlier = remotes.list().find(({ name }) => name === params.name);
      if (earlier !== undefined && remoteUrlText(earlier.url) !== remoteUrlText(url))
        throw takenName(earlier);
      const remote: Remote = {
        name: params.name,
        url,
        leaveOut: params.leaveOut ?? [],
        added: earlier?.added ?? new Date().toISOString(),
        refs: earlier?.refs ?? 'hidden',
      };
      await remotes.put(remote);
      return { remote: remoteAnswer(remote) };
    }),
  );
});

/** Checks the name of a remote, because the daemon uses this name for a directory and in refs. */
function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/.test(name) && !name.endsWith('.lock')) return;
  throw new CheckpointdError(
    'InvalidName',
    'The name of a remote has letters, digits, ".", "_" and "-", and begins with a letter or digit.',
    { details: { name: name.slice(0, 64) } },
  );
}

function takenName({ name, url }: Remote): CheckpointdError {
  return new CheckpointdError(
    'DuplicateName',
    `A remote "${name}" exists already, at ${remoteUrlText(url)}. Choose another name, or remove that remote first.`,
    { details: { remote: name, url: remoteUrlText(url) } },
  );
}

/** Lists the remotes of a storage. */
export const remoteList = defineDaemonCommand('remote/list', (call) => {
  const remotes = remotesOf(call);
  return { remotes: remotes.list().map(remoteAnswer), writer: remotes.writer };
});

/** Removes a remote and all data that was fetched from the remote. */
export const remoteRemove = defineDaemonCommand('remote/remove', (call) => {
  const { params, daemon } = call;
  return once(operationsFor(call), 'remote/remove', call, () =>
    daemon.alone(async () => {
      const remotes = remotesOf(call);
      remotes.get(params.name);
      return { removed: await remotes.remove(params.name) };
    }),
  );
});

/** Pushes an open session. */
export const remotePush = defineDaemonCommand('remote/push', (call) => {
  const { params, context, daemon } = call;
  const session = daemon.sessions.get(params.session);
  return once(session.parts.operations, 'remote/push', call, async () => {
    const elapsed = stopwatch();
    checkPatterns(params.leaveOut ?? [], 'leaveOut');
    checkPatterns(params.send ?? [], 'send');
    const remotes = new Remotes(session.parts.directory.storage);
    const remote = remotes.get(params.remote);
    const progress = context.progress('push');
    const pushed = await pushSession(
      session,
      remote.name,
      {
        choices: { send: params.send ?? [], leaveOut: [...remote.leaveOut, ...(params.leaveOut ?? [])] },
        dryRun: params.dryRun === true,
        signal: context.signal,
        onCheckpoint: (filesDone, filesTotal) => progress({ filesDone, filesTotal, bytesDone: 0 }),
        warn: (text) => context.warn(text),
      },
      context.client,
    );
    return pushAnswer(pushed, elapsed());
  });
});

function pushAnswer(
  { pushed, session, writer, ref, written, bytes, others }: Pushed,
  ms: number,
): Wire.RemotePushResult {
  const { line, left } = written;
  const { manifest } = line;
  return {
    pushed,
    session,
    writer,
    ref,
    head: line.commit,
    checkpoints: manifest.checkpoints,
    added: written.added,
    bytes,
    left: left.slice(0, leftMax).map(leftAnswer),
    leftCount: left.length,
    others: others.flatMap((other) =>
      other.writer === undefined ? [] : [{ writer: other.writer, head: other.commit }],
    ),
    ms,
  };
}

function leftAnswer({ path, because, rule }: LeftPath): Wire.LeftPath {
  return { ...pathRef(path), because, rule };
}

/** Fetches whole lines. */
export const remoteFetch = defineDaemonCommand('remote/fetch', (call) => {
  const { params, context } = call;
  return once(operationsFor(call), 'remote/fetch', call, async () => {
    const elapsed = stopwatch();
    const { remotes, remote } = named(call);
    const progress = context.progress('fetch');
    const fetched = await fetchLines(
      { remotes, remote, signal: context.signal },
      params.session ?? undefined,
      (filesDone, filesTotal) => progress({ filesDone, filesTotal, bytesDone: 0 }),
    );
    return {
      updated: fetched.updated.map((line) => lineAnswer(line, remotes)),
      refused: fetched.refused,
      deleted: fetched.deleted,
      ms: elapsed(),
    };
  });
});

/** Lists the lines of a remote. */
export const remoteSessions = defineDaemonCommand('remote/sessions', async (call) => {
  const { remotes, remote } = named(call);
  const { lines, refused, deleted } = await listLines({ remotes, remote, signal: call.context.signal });
  return { lines: lines.slice(0, linesMax).map((line) => lineAnswer(line, remotes)), refused, deleted };
});

/** Deletes a session from a remote. */
export const remoteDelete = defineDaemonCommand('remote/delete', (call) =>
  once(operationsFor(call), 'remote/delete', call, async () => ({
    deleted: await deleteLines(named(call), call.params.session),
  })),
);

/** Makes a session from a line that was fetched from a remote. */
export const sessionImport = defineDaemonCommand('session/import', (call) =>
  once(operationsFor(call), 'session/import', call, (stamp) => importLine(call, stamp)),
);

async function importLine(
  call: Call<Wire.SessionImportParams>,
  stamp: OperationContext['stamp'],
): Promise<Wire.SessionImportResult> {
  const { params, context, daemon } = call;
  const storage = storageOf(params, daemon.storage);
  const elapsed = stopwatch();
  // Checks the directory into which the session is imported, before the daemon contacts the remote.
  const place = await prepareImport({
    workTree: placePath(params.workspace, 'workspace'),
    strategy: params.strategy ?? defaultStrategy,
    retention: params.retention ?? 'keep',
    allowProtected: params.allowProtected ?? false,
    storage,
    isDefaultStorage: storage === daemon.storage,
  });
  const { remotes, remote } = named(call);
  const { signal } = context;
  const progress = context.progress('import');
  const listed = await fetchLines({ remotes, remote, signal }, params.session, () => undefined);
  refuseRefused(listed, params.writer ?? undefined);
  const wanted = { session: params.session, writer: params.writer };
  const { conversions } = daemon.sessions;
  return withFetchedLine({ remotes, remote, signal }, wanted, (open) =>
    daemon.alone(async () => {
      const answerOf = (marker: SessionMarker): Wire.SessionImportResult => ({
        ...importAnswer(marker, open.line, remote),
        ms: elapsed(),
      });
      const imported = await importSession(
        open,
        { ...place, origin: { remote: remote.name } },
        {
          signal,
          log: daemon.log,
          terms: conversions.terms,
          onCheckpoint: (filesDone, filesTotal) => progress({ filesDone, filesTotal, bytesDone: 0 }),
          beforeCommit: (marker) =>
            daemon.operationsOf(storage).recordImport(stamp, marker, answerOf(marker)),
        },
      );
      conversions.begin(imported);
      return answerOf(imported.marker);
    }),
  );
}

function importAnswer(
  marker: SessionMarker,
  { manifest, commit, checkpoints }: Line,
  { name }: Remote,
): Omit<Wire.SessionImportResult, 'ms'> {
  return {
    ...sessionFields(marker),
    origin: { remote: name, session: manifest.session, writer: manifest.writer, head: commit },
    checkpoints: checkpoints.length,
    head: manifest.head,
  };
}

/**
 * Refuses an import when the daemon has just refused every fetched line of the session. Otherwise the import would use
 * data from an earlier fetch.
 */
function refuseRefused({ lines, refused }: Listed, writer: string | undefined): void {
  const wanted = refused.find(({ ref }) => writer === undefined || ref.endsWith(`/${writer}`));
  const isOther =
    writer === undefined && lines.some(({ ref }) => refused.every((each) => each.ref !== ref.ref));
  if (wanted === undefined || isOther) return;
  throw new CheckpointdError('RemoteCorrupt', wanted.message, { details: { ref: wanted.ref } });
}

/** Returns the remote that a request names. @throws UnknownRemote */
function named(call: Call<InStorage & { readonly remote: string }>): {
  readonly remotes: Remotes;
  readonly remote: Remote;
} {
  const remotes = remotesOf(call);
  return { remotes, remote: remotes.get(call.params.remote) };
}

/** Returns the recorded operations of the storage that a request names. */
function operationsFor({ params, daemon }: Call<InStorage>): OperationRecords {
  return daemon.operationsOf(storageOf(params, daemon.storage)).current();
}

function remotesOf({ params, daemon }: Call<InStorage>): Remotes {
  return new Remotes(storageOf(params, daemon.storage));
}

function remoteAnswer({ name, url, leaveOut, refs, added }: Remote): Wire.Remote {
  return { name, url: remoteUrlText(url), leaveOut: [...leaveOut], refs, addedAt: added };
}

function lineAnswer({ ref, manifest }: ListedLine, remotes: Remotes): Wire.RemoteLine {
  const { title, origin } = manifest;
  return {
    session: manifest.session,
    writer: manifest.writer,
    own: manifest.writer === remotes.writer,
    ref: ref.ref,
    head: ref.commit,
    generation: manifest.generation,
    checkpoints: manifest.checkpoints,
    historyLength: manifest.historyLength,
    bytes: manifest.bytes,
    workspace: manifest.workspace,
    conversationId: manifest.conversationId,
    strategy: manifest.strategy,
    createdAt: manifest.created,
    updatedAt: manifest.updated,
    title,
    origin: origin && { session: origin.session, writer: origin.writer, head: origin.commit },
  };
}
