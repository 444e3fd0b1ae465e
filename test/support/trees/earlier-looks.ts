// Makes the session in the archive of format 1, and reads everything that a client can read of it. The steps must not
// change, because the archive never changes. You may add further reads.
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonRig } from '../daemon-rig.ts';
import type { WireClient } from '../wire-client.ts';

/** The contents at each tag of the session in the archive, with `undefined` for a missing file. */
export const contentsOfFormat1: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  '0': { 'a.txt': 'a\n', 'deep/b.txt': 'b\n', 'large.txt': undefined },
  '1': { 'a.txt': 'turn 1\n', 'deep/b.txt': 'b\n', 'large.txt': 'a line that repeats\n'.repeat(5_000) },
  '0.1': { 'a.txt': 'turn 1, tool\n', 'deep/b.txt': 'b\n' },
  '2': { 'a.txt': 'turn 2\n', 'deep/b.txt': undefined, 'large.txt': 'a line that repeats\n'.repeat(6_000) },
  '3': { 'a.txt': 'turn 3\n', 'deep/b.txt': undefined, 'sub/ünïcode \u{1f600}.txt': 'three\n' },
};

/** Makes three turns and a tool. Then restores tag 1, restores tag 2, and undoes the second restore. */
export async function liveADay(rig: DaemonRig, client: WireClient, session: string): Promise<void> {
  const say = async (turn: number): Promise<void> => {
    const entry = {
      user: { content: `question ${turn}`, field_of_the_client: { kept: [turn, 'ü'] } },
      assistant: { content: `answer ${turn}\nin two lines` },
    };
    await client.request('conversation/append', { session, entry });
  };
  rig.write('a.txt', 'turn 1\n');
  rig.write('large.txt', contentsOfFormat1['1']?.['large.txt'] ?? '');
  rig.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(rig.work, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(rig.work, 'link'));
  await say(1);
  rig.write('a.txt', 'turn 1, tool\n');
  await client.request('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
  rig.write('a.txt', 'turn 1\n');
  const first = { kind: 'turn', message: 'message 1', description: 'the first' } as const;
  await client.request('checkpoint/create', { session, ...first, idempotencyKey: 'first' });
  await client.request('checkpoint/rename', { session, tag: '1', name: 'named by the client' });
  rig.write('a.txt', 'turn 2\n');
  rig.write('large.txt', contentsOfFormat1['2']?.['large.txt'] ?? '');
  rmSync(join(rig.work, 'deep'), { recursive: true });
  await say(2);
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'message 2' });
  rig.write('a.txt', 'turn 3\n');
  rig.write('sub/ünïcode \u{1f600}.txt', 'three\n');
  await say(3);
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'message 3' });
  await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  await client.request('checkpoint/restore', { session, tag: '2', mode: 'hard' });
  await client.request('checkpoint/undo', { session });
}

/**
 * Returns everything that a client can read of checkpoints and conversation. The result must be the same with every
 * version.
 */
export async function lookAround(client: WireClient, session: string): Promise<object> {
  const { checkpoints } = await client.request('checkpoint/list', { session });
  const files: Record<string, unknown> = {};
  for (const { id } of checkpoints) {
    const read = [];
    for (const path of ['a.txt', 'deep/b.txt', 'link', 'run.sh', 'sub/ünïcode \u{1f600}.txt'])
      read.push(await client.request('checkpoint/readFile', { session, tag: id, path }));
    const got = await client.request('checkpoint/get', { session, tag: id });
    const { entries } = await client.request('conversation/history', { session, tag: id });
    files[id] = { read, got, entries };
  }
  const diff = (from: string, to: string): Promise<object> =>
    client.request('checkpoint/diff', { session, from, to, format: 'unified', paths: [{ path: 'a.txt' }] });
  return {
    checkpoints,
    files,
    diffs: [await diff('0', '1'), await diff('1', '2'), await diff('3', '0')],
    all: await client.request('checkpoint/diff', { session, from: '0', to: '3' }),
    present: await client.request('checkpoint/diff', { session, from: '1' }),
    history: await client.request('conversation/history', { session }),
    transcript: await client.request('conversation/transcript', { session }),
  };
}
