// Unpacks the files of a daemon of format 1 from a small archive that never changes. A session contains the path and
// identity of its work tree, so packing and unpacking replace the path and the identity. The rule for the name of a
// session is part of the format, and is repeated here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from './stores/sqlite.ts';

/** The strategies of format 1. */
export const strategiesOfFormat1 = ['shadow', 'local', 'sqlite'] as const;

export const conversationOfFormat1 = 'kept since format 1';

/** The path of the archive in the sources, from `dist/test/support`. */
export const archiveOfFormat1 = fileURLToPath(
  new URL('../../../test/fixtures/format-1.tar.gz', import.meta.url),
);

/**
 * A directory that contains `work` and `storage`. The path of this directory is `top`. Files in the directory contain
 * the path `as` instead of `top`.
 */
export interface Place {
  readonly top: string;
  readonly as: string;
}

/** Returns the name of a session in format 1: 130 bits of a SHA-256, with five bits in each letter. */
export function sessionOfFormat1(workTree: string, strategy: string): string {
  const text = JSON.stringify([workTree, conversationOfFormat1, strategy]);
  let bits = '';
  for (const byte of createHash('sha256').update(text).digest()) bits += byte.toString(2).padStart(8, '0');
  const letters = Array.from({ length: 26 }, (_, i) => Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2));
  return `ses_${letters.map((letter) => '0123456789abcdefghjkmnpqrstvwxyz'[letter]).join('')}`;
}

/** In all files, replaces the path of the work tree and all values that are derived from the path. */
export function retarget({ top, as: from }: Place, strategy: string, to: string, identity: string): void {
  const [oldWork, newWork] = [`${from}/work`, `${to}/work`];
  const [old, now] = [sessionOfFormat1(oldWork, strategy), sessionOfFormat1(newWork, strategy)];
  const renamed = (text: string): string => text.replaceAll(`${from}/`, `${to}/`).replaceAll(old, now);
  const root = join(top, 'storage', old);
  rewrite(root, renamed);
  const seen = join(top, 'seen.json');
  writeFileSync(seen, renamed(readFileSync(seen, 'utf8')));
  const marker = join(root, 'checkpointd', 'session.json');
  const { sum: _, ...facts } = JSON.parse(readFileSync(marker, 'utf8')) as { readonly sum?: string };
  writeFileSync(marker, `${JSON.stringify({ ...facts, workTreeIdentity: identity }, null, 2)}\n`);
  renameSync(root, join(top, 'storage', now));
  if (strategy === 'local') {
    const refs = join(top, 'work', '.git', 'refs', 'checkpointd');
    renameSync(join(refs, old), join(refs, now));
  }
  if (strategy === 'sqlite') {
    const storage = join(top, 'storage');
    sql(storage, 'UPDATE conversations SET session = ?, work_tree = ?', now, newWork);
    sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

/** Rewrites the content of every file and the target of every link below a directory. */
function rewrite(path: string, renamed: (text: string) => string): void {
  const stat = lstatSync(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) rewrite(join(path, name), renamed);
  else if (stat.isSymbolicLink()) {
    const target = readlinkSync(path);
    rmSync(path);
    symlinkSync(renamed(target), path);
  } else if (stat.isFile()) {
    const text = readFileSync(path, 'latin1');
    if (renamed(text) !== text) writeFileSync(path, renamed(text), 'latin1');
  }
}

/**
 * Unpacks the part of one strategy as `top/work` and `top/storage`. Returns the answers that a client got when the
 * archive was made.
 */
export function layOutFormat1(top: string, strategy: string): unknown {
  for (const name of ['work', 'storage']) rmSync(join(top, name), { recursive: true, force: true });
  const args = [
    '-xzf',
    archiveOfFormat1,
    '-C',
    top,
    '--no-same-owner',
    '-p',
    '--strip-components=1',
    strategy,
  ];
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  const { dev, ino } = lstatSync(join(top, 'work'), { bigint: true });
  retarget({ top, as: '/format-1' }, strategy, top, `${dev}:${ino}`);
  return JSON.parse(readFileSync(join(top, 'seen.json'), 'utf8')) as unknown;
}
