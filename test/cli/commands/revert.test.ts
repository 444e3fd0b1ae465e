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

test.run();
