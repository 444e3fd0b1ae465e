// Keeps the line of an imported session in the session's directory, until the session's store has the contents of the
// line. The strategy `sqlite` names contents by other ids, so a store must read, hash and compress each content. The
// import itself does not wait for this. The daemon converts the line in the background (conversions.ts), and an opening
// converts it before it reads any other file of the session. So no reader ever sees a session that is partly converted.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { syncAll, syncDirectory } from '../base/atomic-file.ts';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files, filesAsync } from '../base/files.ts';
import { corrupt } from '../remote/carrier.ts';
import type { OpenLine } from '../remote/fetched-lines.ts';
import { type Line, readLine } from '../remote/line-reader.ts';
import { TravelObjects } from '../remote/travel-objects.ts';
import type { SessionMarker } from './description.ts';
import type { SessionDirectory } from './directory.ts';
import { type FillContext, fillSession } from './fill-session.ts';
import { openClosedStore } from './session-store.ts';

const keptRefs = 'refs/kept/';

/**
 * Keeps a verified line with all its contents. The session then does not need the repository of the remote.
 * @throws RemoteCorrupt when an object of the line is missing
 */
export async function keepLine(
  { importedDirectory }: Pick<SessionDirectory, 'importedDirectory'>,
  { line, objects }: OpenLine,
  signal: AbortSignal,
): Promise<void> {
  const { commit, manifest } = line;
  const kept = await TravelObjects.open(importedDirectory);
  try {
    await kept.addFrom(objects, commit, signal);
    if (!(await kept.isComplete(commit, signal))) throw corrupt('an object of the line is missing');
    await kept.moveRefs(new Map([[`${keptRefs}${manifest.session}/${manifest.writer}`, commit]]));
  } finally {
    await kept.close();
  }
  const names = files.readdirSync(importedDirectory, { recursive: true, encoding: 'utf8' });
  await syncAll([...names.map((name) => join(importedDirectory, name)), importedDirectory]);
}

/**
 * Writes the kept line into the session's store, and then removes the kept line. The caller owns the session. After a
 * failure or a kill the line stays, and the next call continues.
 * @throws StoreCorrupt when the kept line is damaged; NoSpace, AbortError and the errors of the store
 */
export async function convertLine(
  directory: SessionDirectory,
  marker: SessionMarker,
  context: FillContext,
): Promise<void> {
  try {
    await convert(directory, marker, context);
  } catch (error) {
    if (isKind('RemoteCorrupt', 'StoreCorrupt', 'DataCorrupt')(error)) throw damaged(directory, error);
    throw error;
  }
  // The commit: the line gets a path in the directory that each opening of the store empties. The new name must be on
  // the disk before the session changes. Otherwise a power cut could cause a second conversion, which would replace the
  // session's log.
  const spool = join(directory.root, 'spool');
  files.mkdirSync(spool, { recursive: true, mode: 0o700 });
  const old = join(spool, `imported-${randomBytes(6).toString('hex')}`);
  files.renameSync(directory.importedDirectory, old);
  syncDirectory(directory.own);
  await filesAsync.rm(old, { recursive: true, force: true });
}

async function convert(
  directory: SessionDirectory,
  marker: SessionMarker,
  context: FillContext,
): Promise<void> {
  const objects = await TravelObjects.open(directory.importedDirectory);
  try {
    const line = await keptLine(objects);
    // An interrupted conversion may have written this list. The line, not this list, says what the store must have.
    files.rmSync(directory.publishedFile, { force: true });
    const opened = await openClosedStore(directory, marker);
    if (opened === undefined) throw corrupt('its repository is gone');
    const { store } = opened;
    try {
      await fillSession({ directory, marker, store }, { line, objects }, context);
    } finally {
      await store.close();
    }
  } finally {
    await objects.close();
  }
  await directory.sync();
}

async function keptLine(objects: TravelObjects): Promise<Line> {
  const [[name, commit] = ['', '']] = await objects.refsBelow(keptRefs);
  const [session = '', writer = ''] = name.slice(keptRefs.length).split('/');
  return readLine(objects.reader, commit, { session, writer });
}

function damaged(
  { importedDirectory, session }: SessionDirectory,
  cause: CheckpointdError,
): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The imported data of this session is damaged (${importedDirectory}): ${cause.message} Delete the session, and import it again.`,
    { details: { session, path: importedDirectory }, cause },
  );
}
