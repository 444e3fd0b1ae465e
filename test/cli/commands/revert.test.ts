// `checkpointd revert`: a turn, a tool with a path, a range, a plan with its patch, and conflicts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RevertResult } from '../../../src/protocol/types.ts';
import { withRig } from '../../support/daemon-rig.ts';

test('revert takes a turn, a tool or a range back, shows its patch, and lists conflicts', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const text = (first: string, last: string): string => `${first}\n1\n2\n3\n4\n5\n6\n${last}\n`;
    rig.write('a.txt', text('zero', 'seven'));
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', text('turn', 'seven'));
    await client.request('checkpoint/create', { session, kind: 'tool' });
    rig.write('b.txt', 'made\n');
    rig.write('c.txt', 'made\n');
    await client.request('checkpoint/create', { session, kind: 'tool' });
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', text('turn', 'later'));
    const run = async (...words: string[]): Promise<string> => {
      const program = rig.run([...words, `--storage=${rig.storage}`]);
      assert.is(await program.code, 0, program.stderr);
      return program.stdout;
    };
    const plan = await run('revert', '1', '--dry-run', '--patch');
    assert.match(plan, /Would restore \(1\):\n {2}a\.txt\nWould delete \(2\):/);
    assert.match(plan, /^diff --git a\/a\.txt b\/a\.txt$[^]*^-turn\n\+zero$/m);
    assert.is(rig.read('a.txt'), text('turn', 'later'));
    const json = await run('revert', '1', '--dry-run', '--json');
    assert.is((JSON.parse(json) as RevertResult).dryRun, true);
    assert.match(
      await run('revert', '1.2', 'b.txt', '--yes'),
      /Deleted \(1\):\n {2}b\.txt\nReverted \[1\.2\]\. /,
    );
    assert.equal([rig.read('b.txt'), rig.read('c.txt')], [undefined, 'made\n']);
    await run('undo');
    assert.is(rig.read('b.txt'), 'made\n');
    await run('revert', '1', '2', '--yes');
    assert.equal([rig.read('a.txt'), rig.read('c.txt')], [text('zero', 'later'), undefined]);
    rig.write('a.txt', text('again', 'later'));
    assert.match(
      await run('revert', '1', '--yes'),
      /In conflict: a\.txt \(the same lines were changed later, by you\)/,
    );
    await run('revert', '1', '--yes', '--conflicts=markers');
    assert.match(rig.read('a.txt') ?? '', /^<<<<<<< present\nagain\n=======\nzero\n>>>>>>> checkpoint 1\n/);
    for (const [words, said] of [
      [['--conflicts=ours'], /--conflicts takes no "ours"/],
      [['--yes', '--patch'], /--patch shows a plan/],
      [['a.txt', 'nowhere.txt'], /no path "nowhere\.txt"|nowhere\.txt/],
    ] as const) {
      const wrong = rig.run(['revert', '1', ...words, `--storage=${rig.storage}`]);
      assert.is(await wrong.code, 2, words.join(' '));
      assert.match(wrong.stderr, said);
    }
    await client.close();
  }));

test('revert --author takes back the files of one agent, and lists the files that it leaves', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn' });
    const { session: other } = await client.request('session/open', {
      workspace: rig.work,
      conversationId: 'codex:1',
      retention: 'keep',
    });
    for (const [path, writers] of [
      ['mine.txt', [session]],
      ['theirs.txt', [other]],
      ['both.txt', [session, other]],
    ] as const)
      for (const [at, writer] of writers.entries()) {
        rig.write(path, `version ${at}\n`);
        await client.request('ledger/recordWrite', { session: writer, path });
      }
    const revert = ['revert', '1', '--yes', `--storage=${rig.storage}`, `--session=${session}`];
    const program = rig.run([...revert, '--author=codex']);
    assert.is(await program.code, 0, program.stderr);
    assert.match(program.stdout, /both\.txt.*another session wrote to it, too/);
    assert.equal(
      ['mine.txt', 'theirs.txt', 'both.txt'].map((path) => rig.read(path)),
      ['version 0\n', undefined, 'version 1\n'],
    );
    const wrong = rig.run([...revert, '--author=cursor']);
    assert.is(await wrong.code, 1);
    assert.match(wrong.stderr, /No session "cursor" and no agent of that name/);
    await client.close();
  }));

test.run();
