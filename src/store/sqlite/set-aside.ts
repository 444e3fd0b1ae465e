// Begins anew for one session whose part of the database is damaged or gone: the others' checkpoints stay where they
// are as long as the database can be opened at all. Removes nothing.
import { basename } from 'node:path';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { StoreOptions } from '../snapshot-store.ts';
import { SqliteDatabase } from './database/database.ts';
import { prepareSchema } from './database/schema.ts';
import { databaseFile, isThere } from './sqlite-store.ts';

/** Gives this session's rows another session's name, or, where that cannot be done, the whole file another name. */
export async function setSqliteAside(options: StoreOptions, to: string): Promise<void> {
  const file = databaseFile(options.storageDirectory);
  const suffix = basename(to);
  if (isThere(file) && (await renameRows(file, options, suffix))) return;
  // The journal first: without it the file is old, and with another database's it would be wrong.
  for (const end of ['-wal', '-shm', '']) {
    if (files.existsSync(`${file}${end}`)) files.renameSync(`${file}${end}`, `${file}.${suffix}${end}`);
  }
}

/** False when the database cannot be used as a whole. */
async function renameRows(file: string, options: StoreOptions, suffix: string): Promise<boolean> {
  const { session, durability } = options;
  let database: SqliteDatabase | undefined;
  try {
    const open = await SqliteDatabase.open(file, { durability });
    database = open;
    await prepareSchema(open);
    await open.transaction(() =>
      open.run('UPDATE conversations SET session = ? WHERE session = ?', `${session} ${suffix}`, session),
    );
    return true;
  } catch (error) {
    if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
    return false;
  } finally {
    database?.close();
  }
}
