// Prints long text on a pseudo terminal. Tests the user's pager and the width of the screen. An escape sequence in a
// file name or a message must not reach the screen.
import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pagerOf } from '../../src/cli/pager.ts';
import { widthOf } from '../../src/cli/terminal.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { daemonEntry } from '../support/wire-client.ts';
import { commandOf, hasTerminal, inTerminal } from './console/console-rig.ts';

/** Returns the bytes that a terminal with this number of columns receives. */
function onTerminal(rig: DaemonRig, columns: number, words: string, env: NodeJS.ProcessEnv = {}): string {
  const command = `stty cols ${columns} rows 5; '${process.execPath}' '${daemonEntry}' ${words} --storage='${rig.storage}'`;
  return execFileSync('script', ['-qec', command, '/dev/null'], {
    cwd: rig.work,
    env: { ...rig.environment, TERM: 'xterm', ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('the command line chooses the pager by the same rules as git', () => {
  assert.equal([{}, { PAGER: 'more' }, { PAGER: '' }, { PAGER: 'cat' }, { TERM: 'dumb' }].map(pagerOf), [
    'less',
    'more',
    undefined,
    undefined,
    undefined,
  ]);
});

test('on a terminal, `list`, `show` and `diff` use the pager, unless --no-pager or --json is given', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'one' });
    const env = { PAGER: 'sed s/^/through:/' };
    assert.match(onTerminal(rig, 80, 'list', env), /^through:.*\[0\]/);
    assert.not.match(onTerminal(rig, 80, 'list --no-pager', env), /through:/);
    assert.not.match(onTerminal(rig, 80, 'list --json', env), /through:/);
    assert.match(onTerminal(rig, 80, 'list', { PAGER: 'no-such-pager' }), /no-such-pager/);
    await client.close();
  }));

test('on a terminal of twenty columns, every line fits, even with colours, wide letters and escapes', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const message = '日本語の長いメッセージ \u001b[2J\u001b]0;title\u0007 and more';
    rig.write('a-very-long-name-of-a-file-in-the-work-tree.txt', 'x\n');
    await client.request('checkpoint/create', { session, kind: 'turn', message });
    rig.write('a-very-long-name-of-a-file-in-the-work-tree.txt', 'y\n');
    for (const words of ['list --no-pager', 'show 1 --no-pager', 'status', 'restore 1 --dry-run']) {
      const lines = onTerminal(rig, 20, words).split(/\r?\n/);
      for (const written of lines) {
        // On a busy machine the command shows its progress first, and then erases it.
        const line = written.split('\r\u001b[K').at(-1) ?? '';
        assert.ok(widthOf(line) <= 20, `${words}: ${JSON.stringify(line)}`);
        assert.not.match(stripVTControlCharacters(line), /\p{Cc}/u, words);
        assert.not.match(line, /title|\[2J/, words);
      }
    }
    await client.close();
  }));

test('an error message is visible even if the pager is missing or ends immediately', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened();
    for (const PAGER of ['true', 'no-such-pager', 'sleep 0.2']) {
      let ended: { readonly status?: number; readonly stdout?: string } = {};
      try {
        onTerminal(rig, 80, 'show 99', { PAGER });
      } catch (error) {
        ended = error as typeof ended;
      }
      assert.is(ended.status, 1, PAGER);
      assert.match(ended.stdout ?? '', /Checkpoint "99" not found/, PAGER);
    }
    await client.close();
  }));

if (hasTerminal())
  test('Ctrl-C ends the output but leaves the pager open, as with git', () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened();
      rig.write('long.txt', Array.from({ length: 400_000 }, (_, at) => `line ${at}\n`).join(''));
      await client.request('checkpoint/create', { session, kind: 'turn', message: 'one' });
      // The shell also gets the Ctrl-C, but the trap keeps the shell alive.
      const command = `trap : INT; ${commandOf(rig, 'diff 0 1')}; echo "code $?"; cat`;
      await inTerminal(
        rig,
        `PAGER=less sh -c "${command.replaceAll('"', '\\"').replaceAll('$', '\\$')}"`,
        async (screen) => {
          await screen.shows(/diff --git a\/long\.txt/);
          screen.type('C-c');
          await screen.typeUntil('G', /\(END\)/);
          await screen.typeUntil('g', /diff --git a\/long\.txt/);
          screen.type('q');
          await screen.shows(/the command was interrupted;[^]*code 130/);
        },
      );
      await client.close();
    }));

test.run();
