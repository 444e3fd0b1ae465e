// Tests `checkpointd revert` of a turn, a tool with a path, and a range, with plans, patches and conflicts.
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RevertResult } from '../../../src/protocol/types.ts';
import { withRig } from '../../support/daemon-rig.ts';
import { commandOf, hasTerminal, inTerminal } from '../console/console-rig.ts';

test('the command `revert` reverses a turn, a tool or a range, shows its patch, and lists conflicts', () =>
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
    const plan = await rig.output('revert', '1', '--dry-run', '--patch');
    assert.match(plan, /Would restore \(1\):\n {2}a\.txt\nWould delete \(2\):/);
    assert.match(plan, /^diff --git a\/a\.txt b\/a\.txt$[^]*^-turn\n\+zero$/m);
    assert.is(rig.read('a.txt'), text('turn', 'later'));
    const json = await rig.output('revert', '1', '--dry-run', '--json');
    assert.is((JSON.parse(json) as RevertResult).dryRun, true);
    assert.match(
      await rig.output('revert', '1.2', 'b.txt', '--yes'),
      /Deleted \(1\):\n {2}b\.txt\nReverted \[1\.2\]\. /,
    );
    assert.equal([rig.read('b.txt'), rig.read('c.txt')], [undefined, 'made\n']);
    await rig.output('undo');
    assert.is(rig.read('b.txt'), 'made\n');
    await rig.output('revert', '1', '2', '--yes');
    assert.equal([rig.read('a.txt'), rig.read('c.txt')], [text('zero', 'later'), undefined]);
    rig.write('a.txt', text('again', 'later'));
    assert.match(
      await rig.output('revert', '1', '--yes'),
      /In conflict: a\.txt \(the same lines were changed later, by you\)\n--conflicts=markers writes both versions/,
    );
    await rig.output('revert', '1', '--yes', '--conflicts=markers');
    assert.match(rig.read('a.txt') ?? '', /^<<<<<<< present\nagain\n=======\nzero\n>>>>>>> checkpoint 1\n/);
    for (const [words, said] of [
      [['--conflicts=ours'], /--conflicts does not accept "ours"/],
      [['--yes', '--patch'], /--patch shows a plan/],
      [['a.txt', 'nowhere.txt'], /no path "nowhere\.txt"|nowhere\.txt/],
    ] as const) {
      const wrong = await rig.command('revert', '1', ...words);
      assert.is(wrong.code, 2, words.join(' '));
      assert.match(wrong.stderr, said);
    }
    await client.close();
  }));

test('`revert --author` reverses the changes of one agent, and lists the files that it leaves unchanged', () =>
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
      ['both.txt', [other, session]],
    ] as const)
      for (const [at, writer] of writers.entries()) {
        rig.write(path, `version ${at}\n`);
        await client.request('ledger/recordWrite', { session: writer, path });
      }
    const revert = ['revert', '1', '--yes', `--storage=${rig.storage}`, `--session=${session}`];
    const program = rig.run([...revert, '--author=codex']);
    assert.is(await program.code, 0, program.stderr);
    assert.match(program.stdout, /both\.txt.*another session wrote to the file, too/);
    assert.equal(
      ['mine.txt', 'theirs.txt', 'both.txt'].map((path) => rig.read(path)),
      ['version 0\n', undefined, 'version 1\n'],
    );
    const all = rig.run(['undo', ...revert.slice(3)]);
    assert.is(await all.code, 0, all.stderr);
    const words = ['revert', '--author=codex', ...revert.slice(2)];
    const whole = rig.run([...words, 'theirs.txt']);
    assert.is(await whole.code, 0, whole.stderr);
    assert.match(whole.stdout, /Reverted all work of codex\. "checkpointd undo" reverses the revert\./);
    assert.equal(
      ['mine.txt', 'theirs.txt', 'both.txt'].map((path) => rig.read(path)),
      ['version 0\n', undefined, 'version 1\n'],
    );
    const back = rig.run(['undo', ...revert.slice(3)]);
    assert.is(await back.code, 0, back.stderr);
    const restore = ['restore', '1', '--author=codex', '--hard', ...revert.slice(3)];
    const plan = rig.run([...restore, '--dry-run', '--patch']);
    assert.is(await plan.code, 0, plan.stderr);
    assert.match(plan.stdout, /Would delete \(1\):\n {2}theirs\.txt\n[^]*^-version 0$/m);
    assert.not.match(plan.stdout, /mine\.txt/);
    const wrong = rig.run([...revert, '--author=cursor']);
    assert.is(await wrong.code, 1);
    assert.match(wrong.stderr, /Neither a session nor an agent named "cursor"/);
    await client.close();
  }));

test('on a terminal, `revert --hunk` shows each hunk, and reverses only the hunks that the user picks', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const text = (...changed: readonly number[]): string =>
      Array.from({ length: 40 }, (_, n) => `${changed.includes(n) ? 'turn' : 'line'} ${n}\n`).join('');
    const files = ['a.txt', 'b.txt', 'c.txt'];
    const write = (...changed: readonly number[]): void => {
      for (const path of files) rig.write(path, text(...changed));
    };
    const isAt = (expected: readonly (readonly number[])[]): void =>
      assert.equal(
        files.map((path) => rig.read(path)),
        expected.map((changed) => text(...changed)),
      );
    write();
    await client.request('checkpoint/create', { session, kind: 'turn' });
    write(5, 20, 35);
    rig.write('empty.txt', '');
    await client.request('checkpoint/create', { session, kind: 'turn' });
    await client.close();
    const refused = await rig.command('revert', '1', 'a.txt', '--hunk');
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /no terminal is connected.*"checkpointd revert 1 a\.txt --dry-run --patch"/);
    const both = await rig.command('revert', '1', '--hunk', '--author=codex');
    assert.is(both.code, 2);
    assert.match(both.stderr, /--hunk and --author cannot be combined/);
    if (!hasTerminal()) return;
    await inTerminal(rig, `${commandOf(rig, 'revert 1 --hunk')}; sleep 60`, async ({ type, shows }) => {
      await shows(/-line 5\n\+turn 5\n[^]*\(1\/3\) Reverse this hunk \[y,n,a,d,q,\?\]\?/);
      type('?', 'Enter');
      await shows(/y - reverse this hunk\n[^]*\? - explain the letters\n\(1\/3\) Reverse/);
      type('n', 'Enter');
      await shows(/\+turn 20\n[^]*\(2\/3\) Reverse/);
      type('y', 'Enter');
      await shows(/\+turn 35\n[^]*\(3\/3\) Reverse/);
      // These typed lines answer the next questions: yes from the second hunk of b.txt on, and no for c.txt.
      type('n', 'Enter', 'n', 'Enter', 'a', 'Enter', 'q', 'Enter');
      await shows(/Would restore \(2\):\n {2}a\.txt\n {2}b\.txt\nRevert\? \[y\/N\]/);
      type('y', 'Enter');
      await shows(/Reverted \[1\]\. "checkpointd undo"/);
    });
    isAt([[5, 35], [5], [5, 20, 35]]);
    /** Types all keys at once into a terminal. Returns the screen. */
    const typed = (words: string, input: string): string => {
      const command = `${commandOf(rig, `revert 1 ${words} --hunk`)} || true`;
      const env = { ...rig.environment, TERM: 'dumb' };
      return execFileSync('script', ['-qec', command, '/dev/null'], {
        cwd: rig.work,
        env,
        input,
        encoding: 'utf8',
      });
    };
    assert.match(typed('c.txt --yes', 'y\nd\n'), /Restored \(1\):\s+c\.txt\s+Reverted \[1\]/);
    assert.match(typed('a.txt b.txt', 'q\n'), /Nothing was changed\./);
    assert.match(
      typed('empty.txt', ''),
      /empty\.txt has no lines to pick \(a binary or empty file, .*omit --hunk/,
    );
    isAt([[5, 35], [5], [20, 35]]);
  }));

test('if a file changes while `revert` or `restore` waits for the user, the command then shows the changes that it really made', () =>
  withRig(async (rig) => {
    if (!hasTerminal()) return;
    const { client, session } = await rig.opened({ retention: 'keep' });
    for (const text of ['line\n', 'turn\n']) {
      rig.write('a.txt', text);
      await client.request('checkpoint/create', { session, kind: 'turn' });
    }
    await client.close();
    const run = (words: string): string => `clear; ${commandOf(rig, words)}; echo "code $?"; read wait;`;
    await inTerminal(rig, `${run('revert 1')} ${run('restore 1')}`, async ({ type, shows }) => {
      await shows(/Would restore \(1\):\n {2}a\.txt\nRevert\? \[y\/N\]/);
      rig.write('a.txt', 'later\n');
      type('y', 'Enter');
      await shows(
        /\[y\/N\] y\nFiles changed after the plan was shown\.[^]*No file changes\.\nIn conflict: a\.txt[^]*\ncode 0/,
      );
      assert.is(rig.read('a.txt'), 'later\n');
      rig.write('a.txt', 'turn\n');
      type('Enter');
      await shows(/Would restore \(1\):\n {2}a\.txt\nRestore\? \[y\/N\]/);
      rig.write('a.txt', 'last\n');
      type('y', 'Enter');
      await shows(
        /Files changed after the plan was shown\.[^]*saved first \(1\):\n {2}a\.txt\nRestored \[1\]\.[^]*\ncode 0/,
      );
      assert.is(rig.read('a.txt'), 'line\n');
    });
  }));

test('Ctrl-C or Ctrl-D at a question of `revert --hunk` changes no file, and leaves the terminal as it was', () =>
  withRig(async (rig) => {
    if (!hasTerminal()) return;
    const { client, session } = await rig.opened({ retention: 'keep' });
    const text = (word: string): string =>
      Array.from({ length: 20 }, (_, n) => `${n % 15 === 2 ? word : 'line'} ${n}\n`).join('');
    rig.write('a.txt', text('line'));
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', text('turn'));
    await client.request('checkpoint/create', { session, kind: 'turn' });
    await client.close();
    const once = `${commandOf(rig, 'revert 1 --hunk')}; echo "code $?"; test "$was" = "$(stty -g)" && echo restored`;
    const command = `was=$(stty -g); while read run; do clear; echo "run $run"; ${once}; done`;
    await inTerminal(rig, command, async ({ type, shows }) => {
      const second = /\(2\/2\) Reverse this hunk.*\?/;
      for (const [run, [key, answered]] of (
        [
          ['C-c', 0],
          ['C-d', 1],
          ['C-c', 2],
          ['C-d', 2],
        ] as const
      ).entries()) {
        type(String(run), 'Enter');
        const first = new RegExp(`run ${run}\\n[^]*\\(1/2\\) Reverse this hunk.*\\?`);
        const questions = [first, second, /Revert\? \[y\/N\]/] as const;
        for (const question of questions.slice(0, answered)) {
          await shows(question);
          type('y', 'Enter');
        }
        await shows(questions[answered]);
        type(key);
        await shows(/^Nothing was changed\.\ncode 1\nrestored$/m);
        assert.is(rig.read('a.txt'), text('turn'), `${key} after ${answered} answers`);
      }
    });
    const undo = await rig.command('undo');
    assert.is(undo.code, 1, 'no restore was made');
  }));

test.run();
