// Several processes publish into one database at the same time. Afterwards every checkpoint must exist, with its own
// contents, and must be counted correctly.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { seed } from '../property.ts';
import { contentsOf, shown } from '../trees/snapshots.ts';
import { openSqlite, sqliteAfterwards } from './sqlite.ts';

const publisher = fileURLToPath(new URL('../programs/sqlite-publisher.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The number of publications that this publisher has reported. */
  readonly answered: number;
}

/** Runs one publisher. If `killAfter` is set, kills the publisher after this number of reports. */
export function publish(storage: string, session: string, count: number, killAfter?: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = fork(publisher, [storage, session, `${count}`, `${seed % 1_000_000}`], { silent: true });
    let [stdout, stderr, answered] = ['', '', 0];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('message', () => {
      answered += 1;
      if (answered === killAfter) child.kill('SIGKILL');
    });
    child.on('close', (code) => resolve({ code, stdout, stderr, answered }));
  });
}

/**
 * Runs several publishers. Checks that all publishers succeed. Also checks that every session has exactly the reported
 * checkpoints, byte for byte.
 */
export async function crowd(processes: number, count: number): Promise<void> {
  const storage = mkdtempSync(join(tmpdir(), 'checkpointd-crowd-'));
  try {
    const sessions = Array.from({ length: processes }, (_, i) => `ses_${i}`);
    const ended = await Promise.all(sessions.map((session) => publish(storage, session, count)));
    for (const [i, { code, stdout, stderr }] of ended.entries()) {
      assert.is(code, 0, `process ${i}, seed ${seed}: ${stderr}`);
      assert.is(stderr, '');
      const kept = JSON.parse(stdout) as { readonly id: string; readonly digest: string }[];
      const store = await openSqlite(storage, sessions[i]);
      const list = await store.checkpoints();
      assert.equal(
        list.map(({ record }) => record.id),
        kept.map(({ id }) => id),
      );
      for (const [at, { record, tag }] of list.entries()) {
        assert.is(record.message, `ses_${i} ${record.seq}`);
        assert.is(tag, `${record.seq}`);
        if (at % 10 !== 0 && at < list.length - 10) continue;
        const text = shown(await contentsOf(store, record.snapshot)).join('\n');
        assert.is(createHash('sha256').update(text, 'latin1').digest('hex'), kept[at]?.digest);
      }
      await store.sweep();
      assert.equal(await store.verify(), []);
      await store.close();
    }
    sqliteAfterwards(storage);
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}
