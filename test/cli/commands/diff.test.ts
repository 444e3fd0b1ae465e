// `checkpointd diff` writes a patch to a pipe, and text for people to a terminal.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { gitBytes } from '../../support/git-oracle.ts';
import { daemonEntry } from '../../support/wire-client.ts';
import { commandOf, hasTerminal, inTerminal } from '../console/console-rig.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
/** "日本語\u3067す" and "これは日本語" in Shift-JIS. */
const [shiftJis, moreShiftJis] = [
  latin('\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7\n'),
  latin('\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\n'),
];

/** The content of each file before and after the change. */
const files: Readonly<Record<string, readonly [before: Buffer | undefined, after: Buffer | undefined]>> = {
  'crlf.txt': [Buffer.from('one\r\ntwo\r\n'), Buffer.from('one\r\nTWO\r\nthree\r\n')],
  'cr.txt': [Buffer.from('a\rb\n'), Buffer.from('a\rc\n')],
  'latin.txt': [latin('caf\xe9\n'), latin('caf\xe9 cr\xe8me\n')],
  'sjis.txt': [shiftJis, Buffer.concat([shiftJis, moreShiftJis])],
  'bidi.txt': [Buffer.from('a\u202eb\n'), Buffer.from('a\u202ec\u2066\n')],
  'form.txt': [Buffer.from('a\fb\n'), Buffer.from('a\fb\n\u001b[2Jc\n')],
  'image.bin': [Buffer.from([0, 1, 2, 255, 0]), Buffer.from([0, 1, 3, 255, 0, 9])],
  'gone.bin': [Buffer.from([0, 200, 0]), undefined],
  'made.bin': [undefined, Buffer.from([0, 250, 0])],
  'no-end.txt': [Buffer.from('a'), Buffer.from('b')],
  'utf8.txt': [Buffer.from('größe\n'), Buffer.from('größer\n')],
};

function put(directory: string, side: 0 | 1): void {
  for (const [name, sides] of Object.entries(files)) {
    const content = sides[side];
    if (content === undefined) rmSync(join(directory, name), { force: true });
    else writeFileSync(join(directory, name), content);
  }
}

/**
 * Makes two checkpoints of a kept session. The first checkpoint has the files before the changes, and the second has
 * the changed files.
 */
async function compared(rig: DaemonRig, strategy: 'shadow' | 'local' | 'sqlite' = 'shadow'): Promise<void> {
  put(rig.work, 0);
  const { client, session } = await rig.opened({ retention: 'keep', strategy });
  put(rig.work, 1);
  chmodSync(join(rig.work, 'a.txt'), 0o755);
  symlinkSync('a.txt', join(rig.work, 'link'));
  await client.request('checkpoint/create', { session, kind: 'turn' });
  await client.close();
}

function written(rig: DaemonRig, ...words: string[]): Buffer {
  return execFileSync(process.execPath, [daemonEntry, 'diff', `--storage=${rig.storage}`, ...words], {
    cwd: rig.work,
    env: rig.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`in a pipe, the command \`diff\` prints the same patch as git, and git can apply the patch (${strategy})`, () =>
    withRig(async (rig) => {
      const copy = join(rig.top, 'copy');
      put(rig.work, 0);
      execFileSync('cp', ['-a', rig.work, copy]);
      await compared(rig, strategy);
      const patch = written(rig, '0', '1');
      gitBytes(copy, 'add', '-A');
      gitBytes(copy, 'commit', '-qm', 'before');
      execFileSync('git', ['-C', copy, 'apply', '--whitespace=nowarn'], { input: patch });
      assert.is(execFileSync('diff', ['-r', '--no-dereference', '-x', '.git', rig.work, copy]).length, 0);
      gitBytes(copy, 'add', '-A');
      const settings = ['-c', 'core.quotePath=false', '-c', 'core.abbrev=7'];
      const theirs = gitBytes(copy, ...settings, 'diff', '--binary', '--cached', 'HEAD');
      assert.is(patch.toString('latin1'), theirs.toString('latin1'));
    }));

if (hasTerminal())
  test('on a terminal, the command `diff` shows each file separately, even if a file is not UTF-8', () =>
    withRig(async (rig) => {
      await compared(rig);
      const command = `sh -c "${commandOf(rig, 'diff 0 1 latin.txt bidi.txt sjis.txt --no-pager').replaceAll("'", '')}; echo the end; cat"`;
      await inTerminal(rig, command, async ({ shows }) => {
        await shows(/\(not UTF-8: read as Latin-1\)\n@@[^\n]*\n-café\n\+café crème/);
        await shows(/-a\\u202eb/);
        await shows(/\+これは日本[^]*the end/);
      });
    }));

test('`diff --stat` prints the same numbers as git, and paths relative to the current directory', () =>
  withRig(async (rig) => {
    await compared(rig);
    const lines = written(rig, '--stat', '0', '1', '-C', 'deep').toString('utf8').split('\n');
    for (const line of [
      / \.\.\/crlf\.txt\s+\| +3 \+\+-$/,
      / \.\.\/image\.bin\s+\| Bin 5 -> 6 bytes$/,
      / \.\.\/a\.txt\s+\| +0$/,
      / mode change 100644 => 100755 \.\.\/a\.txt$/,
      /^ 13 files changed, 10 insertions\(\+\), 6 deletions\(-\)$/,
    ])
      assert.ok(
        lines.some((each) => line.test(each)),
        `${String(line)} in\n${lines.join('\n')}`,
      );
    assert.is(written(rig, '--stat', '1', '1').length, 0);
  }));

test.run();
