// The part 5.A of the fault catalogue, as far as a capture alone can show it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { contentOf, git, makeRig, pathsOf, type Rig, reasonFor } from '../support/capture-rig.ts';

const test = suite('faults of capturing');

async function withRig(
  options: Parameters<typeof makeRig>[0],
  body: (rig: Rig) => Promise<void>,
): Promise<void> {
  const rig = makeRig(options);
  try {
    await body(rig);
  } finally {
    installFault(undefined);
    await rig.remove();
  }
}

/** Runs a script beside the body until the body ends; resolves once the script has said something. */
async function beside(script: string, cwd: string, body: () => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, ['-e', script], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    await body();
    assert.is(child.exitCode, null, 'the other process ran to the end of the test');
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

test('a file rewritten over and over is never captured torn (F7)', async () => {
  await withRig({}, async (rig) => {
    const size = 1 << 20;
    rig.write('f', 'A'.repeat(size));
    const script = `const fs = require('fs'); const fd = fs.openSync('f', 'r+');
      const a = Buffer.alloc(${size}, 'A'), b = Buffer.alloc(${size}, 'B'); console.log('go');
      for (;;) { fs.writeSync(fd, b, 0, b.length, 0); fs.writeSync(fd, a, 0, a.length, 0); }`;
    const counts = { whole: 0, flagged: 0 };
    await beside(script, rig.root, async () => {
      for (let i = 0; i < 60; i += 1) {
        const capture = await rig.capturer.capture();
        const content = await contentOf(rig.store, capture, 'f');
        if (content === undefined) {
          assert.is(reasonFor(capture, 'f'), 'unstable');
          assert.equal(capture.unknown, [fromText('f')]);
          counts.flagged += 1;
        } else {
          assert.ok(/^(A+|B+)$/.test(content) && content.length === size, 'all A or all B');
          counts.whole += 1;
        }
      }
    });
    console.log(`note: F7 saw ${counts.whole} whole and ${counts.flagged} flagged`);
  });
});

test('a large file that is truncated while it is hashed is whole, empty or flagged (F8)', async () => {
  await withRig({}, async (rig) => {
    const size = 16 << 20;
    rig.write('big', Buffer.alloc(size, 1));
    const script = `const fs = require('fs'); console.log('go'); const full = Buffer.alloc(${size}, 1);
      for (;;) { fs.truncateSync('big', 0); fs.writeFileSync('big', full);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25); }`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < 20; i += 1) {
        const capture = await rig.capturer.capture();
        const content = await contentOf(rig.store, capture, 'big');
        if (content === undefined) assert.is(reasonFor(capture, 'big'), 'unstable');
        else assert.is(content.replaceAll('\u0001', ''), '', 'nothing but what was written');
      }
    });
    assert.equal(
      execFileSync('ls', [rig.store.spoolDirectory], { encoding: 'utf8' }),
      '',
      'no private copy is left',
    );
  });
});

test('files that come and go do not disturb the others (F10)', async () => {
  await withRig({}, async (rig) => {
    for (let i = 0; i < 20; i += 1) rig.write(`stable/s${i}`, String(i));
    const script = `const fs = require('fs'); console.log('go');
      for (;;) for (let i = 0; i < 200; i += 1) { const f = 'v' + i; if (fs.existsSync(f)) fs.unlinkSync(f); else fs.writeFileSync(f, f); }`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < 50; i += 1) {
        const paths = await pathsOf(rig.store, await rig.capturer.capture());
        assert.is(paths.filter((path) => path.startsWith('stable/')).length, 20);
      }
    });
  });
});

test('a file that moves among three hundred directories is captured exactly once (F11)', async () => {
  await withRig({}, async (rig) => {
    for (let d = 0; d < 300; d += 1) rig.write(`d${d}/f`, '');
    rig.write('d0/X', 'x');
    const script = `const fs = require('fs'); console.log('go'); let at = 0;
      setInterval(() => { const to = (at + 1 + Math.floor(Math.random() * 299)) % 300;
        fs.renameSync('d' + at + '/X', 'd' + to + '/X'); at = to; }, 30);`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < 100; i += 1) {
        const capture = await rig.capturer.capture();
        const found = (await pathsOf(rig.store, capture)).filter((path) => path.endsWith('/X'));
        const isFlagged = capture.skipped.some(({ reason }) => reason === 'unstable');
        assert.ok(found.length === 1 || isFlagged, `found ${found.length}`);
      }
    });
  });
});

test('a file or a directory that moves behind or before the walk is captured exactly once (F11)', async () => {
  for (const what of ['X', 'sub'] as const) {
    for (const direction of ['to a listed directory', 'to one not yet listed'] as const) {
      await withRig({}, async (rig) => {
        const names = Array.from({ length: 10 }, (_, i) => `d${i}`);
        for (const name of names) rig.write(`${name}/f`, '');
        const listed = new Set<string>();
        let moved = false;
        installFault((call, target) => {
          const name = target.slice(rig.root.length + 1);
          if (call !== 'readdir' || !names.includes(name) || moved) return;
          listed.add(name);
          if (listed.size !== 5) return;
          moved = true;
          const before = [...listed].find((one) => one !== name) ?? '';
          const after = names.find((one) => !listed.has(one)) ?? '';
          const [from, to] = direction === 'to a listed directory' ? [after, before] : [before, after];
          renameSync(join(rig.root, 'away'), join(rig.root, from, what)); // it stood there all the while
          renameSync(join(rig.root, from, what), join(rig.root, to, what));
        });
        if (what === 'X') rig.write('away', 'x');
        else rig.write('away/g', 'g');
        const capture = await rig.capturer.capture();
        assert.ok(moved);
        const found = (await pathsOf(rig.store, capture)).filter(
          (path) => path.includes(what) || path === 'away' || path.includes('away/'),
        );
        assert.is(found.length, 1, `${what} ${direction}: ${found.join(' ')}`);
        assert.equal(capture.skipped, []);
      });
    }
  }
});

test('an unreadable directory is flagged and its old content is not presented as present (F13)', async () => {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) {
    console.log('skipped: F13 as another user (needs root); shown through the seam instead');
  }
  await withRig({}, async (rig) => {
    rig.write('d/x', 'old');
    rig.write('e/y', 'y');
    const first = await rig.capturer.capture();
    const isRoot = process.getuid?.() === 0 && process.seteuid !== undefined;
    chmodSync(join(rig.root, 'd'), 0);
    if (isRoot) {
      for (const path of [rig.top, rig.root, join(rig.top, 'ignore-0'), join(rig.root, 'e')])
        chownSync(path, 65534, 65534);
      process.seteuid?.(65534);
    }
    try {
      const second = await rig.capturer.capture({ previous: first.snapshot });
      assert.equal(await pathsOf(rig.store, second), ['e/y']);
      assert.is(reasonFor(second, 'd'), 'unreadable');
      assert.equal(second.unknown, [fromText('d')]);
      assert.is(await rig.capturer.isChanged(first.snapshot), 'unsure', 'it may be all that differs');
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(rig.root, 'd'), 0o755);
    }
    const third = await rig.capturer.capture({ previous: first.snapshot });
    assert.is(third.snapshot, first.snapshot);
  });
});

test('an unreadable file is flagged; running out of descriptors fails the capture instead', async () => {
  await withRig({}, async (rig) => {
    rig.write('a', 'a');
    rig.write('b', 'b');
    const failOpen = (code: string) => (call: string, target: string) => {
      if (call === 'open' && target.endsWith('/b')) throw Object.assign(new Error(code), { code });
    };
    for (const code of ['EACCES', 'EIO']) {
      installFault(failOpen(code));
      const capture = await rig.capturer.capture();
      assert.equal(await pathsOf(rig.store, capture), ['a']);
      assert.is(reasonFor(capture, 'b'), 'unreadable');
      assert.equal(capture.unknown, [fromText('b')]);
    }
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM']) {
      installFault(failOpen(code));
      const error = await rig.capturer.capture().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.is(error instanceof Error && 'code' in error ? error.code : undefined, code);
    }
    assert.is(rig.store.counts.aborted, 3);
    installFault(undefined);
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['a', 'b']);
  });
});

test('a FIFO, a socket and a device are skipped with their reason and never opened (F14)', async () => {
  await withRig({}, async (rig) => {
    rig.write('a', 'a');
    const first = await rig.capturer.capture();
    rmSync(join(rig.root, 'a'));
    execFileSync('mkfifo', [join(rig.root, 'a')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(rig.root, 's'), resolve));
    let hasDevice = true;
    try {
      execFileSync('mknod', [join(rig.root, 'null'), 'c', '1', '3'], { stdio: 'ignore' });
    } catch (error) {
      hasDevice = false;
      console.log(`skipped: F14's device (${error instanceof Error ? error.message : ''})`);
    }
    try {
      const started = performance.now();
      const second = await rig.capturer.capture({ previous: first.snapshot });
      assert.ok(performance.now() - started < 2000);
      assert.equal(await pathsOf(rig.store, second), []);
      assert.is(reasonFor(second, 'a'), 'fifo');
      assert.is(reasonFor(second, 's'), 'socket');
      if (hasDevice) assert.is(reasonFor(second, 'null'), 'device');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

test('links are stored as their targets and never followed (F16, F44)', async () => {
  await withRig({}, async (rig) => {
    const targets = { l1: '/etc/passwd', l2: '../O', l3: 'nowhere', l4: '.', l5: 'l5', l6: '/' };
    mkdirSync(join(rig.top, 'O'));
    writeFileSync(join(rig.top, 'O', 'canary'), 'canary');
    for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(rig.root, name));
    const capture = await rig.capturer.capture();
    for (const [name, target] of Object.entries(targets)) {
      assert.is(await contentOf(rig.store, capture, name), target);
      assert.is((await rig.store.entry(capture.snapshot, fromText(name)))?.mode, '120000');
    }
    assert.is(rig.store.blobs.size, 6);
    const passwd = readFileSync('/etc/passwd');
    assert.not.ok([...rig.store.blobs.values()].some((blob) => blob.equals(passwd)));
  });
});

test('a link target of any bytes survives (F17)', async () => {
  await withRig({}, async (rig) => {
    const targets = [Buffer.from([0x61, 0xff, 0x0a, 0xfe]), Buffer.alloc(4095, 0x62), Buffer.from('a\nb')];
    targets.forEach((target, i) => symlinkSync(target, join(rig.root, `l${i}`)));
    const capture = await rig.capturer.capture();
    for (const [i, target] of targets.entries()) {
      assert.is(await contentOf(rig.store, capture, `l${i}`), target.toString('latin1'));
    }
  });
});

test('a name of 255 bytes and a path of 5,900 bytes are captured, or said (F19)', async () => {
  await withRig({}, async (rig) => {
    rig.write('n'.repeat(255), 'long name');
    // Made step by step from inside, because no single call can name it.
    const script = `const fs = require('fs'); for (let i = 0; i < 30; i += 1) { const name = 'p'.repeat(196) + (1000 + i);
      fs.mkdirSync(name); process.chdir(name); } fs.writeFileSync('f', 'deep\\n'); fs.mkdirSync('sub'); fs.writeFileSync('sub/g', '');`;
    execFileSync(process.execPath, ['-e', script], { cwd: rig.root });
    rig.write('.gitignore', '*.o\n');
    const capture = await rig.capturer.capture();
    const paths = await pathsOf(rig.store, capture);
    assert.ok(paths.includes('n'.repeat(255)));
    if (process.platform === 'linux') {
      const deep = paths.find((path) => path.endsWith('/f')) ?? '';
      assert.is(deep.length, 30 * 201 + 1);
      assert.is(await contentOf(rig.store, capture, deep), 'deep\n');
      assert.ok(paths.some((path) => path.endsWith('/sub/g')));
      assert.equal(capture.skipped, []);
    } else assert.ok(capture.skipped.some(({ reason }) => reason === 'nameTooLong'));
    const again = await rig.capturer.capture({ previous: capture.snapshot });
    assert.is(again.snapshot, capture.snapshot);
    execFileSync('rm', ['-rf', rig.root]);
    mkdirSync(rig.root);
  });
});

test('bytes are exact whatever attributes and configuration say, and no filter runs (F20)', async () => {
  await withRig({}, async (rig) => {
    const ran = join(rig.top, 'ran');
    const filter = `touch ${ran}; cat`;
    writeFileSync(
      join(rig.home, '.gitconfig'),
      `[core]\n\tautocrlf = input\n\tsafecrlf = true\n[filter "lfs"]\n\tclean = ${filter}\n\tsmudge = ${filter}\n\trequired = true\n`,
    );
    rig.write(
      '.gitattributes',
      '*.txt eol=crlf text\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n*.bin filter=lfs\n',
    );
    const contents = {
      'a.txt': 'one\r\ntwo\n',
      'b.id': '$Id: nothing $\n',
      'c.u16': 'not utf-16',
      'd.bin': 'big',
    };
    for (const [name, content] of Object.entries(contents)) rig.write(name, content);
    const capture = await rig.capturer.capture();
    for (const [name, content] of Object.entries(contents)) {
      assert.is(await contentOf(rig.store, capture, name), content);
    }
    assert.throws(() => lstatSync(ran), /ENOENT/);
  });
});

test('modes stricter than usual are recorded, and a change of them alone is a change (F22)', async () => {
  await withRig({}, async (rig) => {
    const modes = { '.env': 0o600, script: 0o755, plain: 0o644, readonly: 0o444, wide: 0o666, owner: 0o700 };
    for (const [name, mode] of Object.entries(modes)) {
      rig.write(name, name);
      chmodSync(join(rig.root, name), mode);
    }
    rig.write('private/f', 'f');
    chmodSync(join(rig.root, 'private'), 0o700);
    rig.write('shared/f', 'f');
    chmodSync(join(rig.root, 'shared'), 0o2755);
    const capture = await rig.capturer.capture();
    const entries = new Map(
      (await rig.store.entries(capture.snapshot)).map((entry) => [String(entry.path), entry]),
    );
    assert.is(entries.get('.env')?.permissions, 0o600);
    assert.is(entries.get('readonly')?.permissions, 0o444);
    assert.is(entries.get('owner')?.permissions, 0o700);
    assert.is(entries.get('owner')?.mode, '100755');
    for (const usual of ['script', 'plain', 'wide']) assert.is(entries.get(usual)?.permissions, undefined);
    assert.equal([...(await rig.store.directoryPermissions(capture.snapshot))], [['private', 0o700]]);
    chmodSync(join(rig.root, 'plain'), 0o600);
    assert.is(await rig.capturer.isChanged(capture.snapshot), true);
    const second = await rig.capturer.capture({ previous: capture.snapshot });
    assert.is.not(second.snapshot, capture.snapshot);
    chmodSync(join(rig.root, 'plain'), 0o644);
    const third = await rig.capturer.capture({ previous: second.snapshot });
    assert.is(third.snapshot, capture.snapshot);
  });
});

test('nested repositories are captured as files, under their own rules, and nothing of them runs (F26)', async () => {
  await withRig({}, async (rig) => {
    const nested = join(rig.root, 'n');
    mkdirSync(nested);
    git(rig.home, nested, 'init', '-q');
    rig.write('n/a', 'committed');
    rig.write('n/.gitignore', '*.tmp\n');
    git(rig.home, nested, 'add', '-A');
    git(rig.home, nested, 'commit', '-qm', 'x');
    const ran = join(rig.top, 'ran');
    git(rig.home, nested, 'config', 'core.fsmonitor', `touch ${ran}; false`);
    rig.write('n/a', 'dirty');
    rig.write('n/new', 'untracked');
    rig.write('n/x.tmp', 'ignored by its own rules');
    rig.write('n/x.log', 'the outer rules do not reach in');
    rig.write('.gitignore', '*.log\nout/\n');
    mkdirSync(join(rig.root, 'unborn'));
    git(rig.home, join(rig.root, 'unborn'), 'init', '-q');
    rig.write('unborn/u', 'u');
    rig.write('broken/.git', 'gitdir: /nowhere\n');
    rig.write('broken/b', 'b');
    rig.write('broken/b.log', 'outer rules hold where .git is no repository');
    mkdirSync(join(rig.root, 'out'));
    git(rig.home, join(rig.root, 'out'), 'init', '-q');
    rig.write('out/o', 'the outer rules decide about the whole of it');
    const digest = (): string =>
      execFileSync('sh', ['-c', 'find . -path "*/.git/*" -type f | sort | xargs sha256sum'], {
        cwd: rig.root,
        encoding: 'utf8',
      });
    const before = digest();
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), [
      '.gitignore',
      'broken/b',
      'n/.gitignore',
      'n/a',
      'n/new',
      'n/x.log',
      'unborn/u',
    ]);
    assert.is(await contentOf(rig.store, capture, 'n/a'), 'dirty');
    assert.is(digest(), before);
    assert.throws(() => lstatSync(ran), /ENOENT/);
  });
});

test('what the user tracks is captured though a rule ignores it (F28)', async () => {
  await withRig({}, async (rig) => {
    rig.write('.gitignore', 'dist\n*.gen\n');
    rig.write('dist/x', 'tracked');
    rig.write('dist/y', 'not tracked');
    rig.write('a.gen', 'tracked');
    rig.write('b.gen', 'not tracked');
    rig.git('add', '-f', 'dist/x', 'a.gen', '.gitignore');
    const index = readFileSync(join(rig.root, '.git', 'index'));
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'a.gen', 'dist/x']);
    assert.ok(readFileSync(join(rig.root, '.git', 'index')).equals(index), 'the index is as it was');
    // A corrupt index is reported and counts as empty; what the previous snapshot holds stays.
    writeFileSync(join(rig.root, '.git', 'index'), 'garbage');
    const second = await rig.capturer.capture({ previous: capture.snapshot });
    assert.is(second.snapshot, capture.snapshot);
    const third = await rig.another({}).capture();
    assert.equal(await pathsOf(rig.store, third), ['.gitignore']);
    assert.ok(rig.log.some((line) => line.startsWith('warn ') && line.includes('index')));
  });
});

test('a rule that is added, changed, negated or nested is obeyed at once; what was held stays held (F29)', async () => {
  await withRig({}, async (rig) => {
    rig.write('a.log', 'a');
    rig.write('d/b.log', 'b');
    rig.write('d/c.txt', 'c');
    const steps: [string, string, string[]][] = [
      ['.gitignore', '', ['a.log', 'd/b.log', 'd/c.txt']],
      ['.gitignore', '*.log\n', ['d/c.txt']],
      ['.gitignore', '*.txt\n', ['a.log', 'd/b.log']], // the same size: the engine must notice anyway
      ['d/.gitignore', '!c.txt\n', ['a.log', 'd/b.log', 'd/c.txt']],
      ['d/.gitignore', '!c.log\n', ['a.log', 'd/b.log']],
      ['.git/info/exclude', 'a.*\n', ['d/b.log']],
      ['../home/.config/git/ignore', 'b.*\n', []],
      ['../home/.gitconfig', '[core]\n\texcludesFile = ~/mine\n', ['d/b.log']],
      ['../home/mine', 'd\n', []],
    ];
    const first = await rig.capturer.capture();
    for (const [file, rules, want] of steps) {
      rig.write(file, rules);
      const seen = (await pathsOf(rig.store, await rig.capturer.capture())).filter(
        (path) => !path.endsWith('.gitignore'),
      );
      assert.equal(seen, want, `${file}: ${rules}`);
    }
    // Held by the previous snapshot: captured still, though ignored now.
    const held = await pathsOf(rig.store, await rig.capturer.capture({ previous: first.snapshot }));
    assert.equal(
      held.filter((path) => !path.endsWith('.gitignore')),
      ['a.log', 'd/b.log', 'd/c.txt'],
    );
  });
});

test('names that differ in case or in normal form only are different names here (F32)', async () => {
  if (process.platform !== 'linux') {
    console.log('skipped: F32 needs a file system that tells case apart');
    return;
  }
  await withRig({}, async (rig) => {
    const names = ['A', 'a', 'é'.normalize('NFC'), 'é'.normalize('NFD')];
    for (const name of names) rig.write(name, name);
    writeFileSync(Buffer.concat([Buffer.from(`${rig.root}/`), Buffer.from([0xff, 0x0a, 0xfe])]), 'bytes');
    const capture = await rig.capturer.capture();
    for (const name of names)
      assert.is(await contentOf(rig.store, capture, name), Buffer.from(name).toString('latin1'));
    assert.is((await rig.store.entry(capture.snapshot, '\xff\n\xfe' as TreePath))?.mode, '100644');
  });
});

test('a work tree in a sub-directory obeys the rules of the repository around it', async () => {
  await withRig({ below: 'sub/tree' }, async (rig) => {
    writeFileSync(join(rig.root, '../../.gitignore'), '*.log\n/sub/tree/only\n');
    writeFileSync(join(rig.root, '../.gitignore'), '!keep.log\ntree/mid\n');
    rig.write('a.log', '');
    rig.write('keep.log', '');
    rig.write('only', '');
    rig.write('mid', '');
    rig.write('free', '');
    rig.git('add', '-f', 'sub/tree/only');
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['free', 'keep.log', 'only']);
    writeFileSync(join(rig.root, '../../.gitignore'), '*.txt\n');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      'a.log',
      'free',
      'keep.log',
      'only',
    ]);
  });
});

test('outside a repository the .gitignore files of the work tree hold', async () => {
  await withRig({ repository: false }, async (rig) => {
    rig.write('.gitignore', 'node_modules/\n');
    rig.write('node_modules/x', '');
    rig.write('d/.gitignore', 'y\n');
    rig.write('d/y', '');
    rig.write('d/z', '');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      '.gitignore',
      'd/.gitignore',
      'd/z',
    ]);
  });
});

test('include opts ignored files in, exclude opts files out, and .git never comes', async () => {
  await withRig({ include: ['.env', 'build/out/**', 'gen'], exclude: ['*.iso', 'secret/'] }, async (rig) => {
    rig.write('.gitignore', '.env\nbuild\nnode_modules\ngen\n');
    for (const path of [
      '.env',
      'p/.env',
      'build/x',
      'build/out/y',
      'build/out/d/z',
      'node_modules/.env',
      'gen/a/b',
      'a.iso',
      'secret/k',
      'q',
    ])
      rig.write(path, '');
    rig.git('add', '-f', 'a.iso');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      '.env',
      '.gitignore',
      'build/out/d/z',
      'build/out/y',
      'gen/a/b',
      'p/.env',
      'q',
    ]);
  });
});

test('what a restore would displace is captured though ignored, and a .git in it is said', async () => {
  await withRig({ exclude: ['*.bin'] }, async (rig) => {
    rig.write('.gitignore', 'data\nx\n');
    for (const path of ['data/a', 'data/d/b.bin', 'data/other', 'x']) rig.write(path, path);
    mkdirSync(join(rig.root, 'data/d/.git'));
    const some = await rig.capturer.capture({ alsoInclude: ['data/d', 'x'].map(fromText) });
    assert.equal(await pathsOf(rig.store, some), ['.gitignore', 'data/d/b.bin', 'x']);
    assert.is(reasonFor(some, 'data/d/.git'), 'nestedGitDirectory');
    const whole = await rig.capturer.capture({ alsoInclude: ['data/d', 'data', 'data/a'].map(fromText) });
    assert.equal(await pathsOf(rig.store, whole), ['.gitignore', 'data/a', 'data/d/b.bin', 'data/other']);
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore']);
  });
});

test('a file over the limit is skipped as too large; one over a mebibyte goes through a private copy', async () => {
  await withRig({ maxFileBytes: 3 << 20 }, async (rig) => {
    const big = Buffer.alloc((2 << 20) + 7, 'x');
    rig.write('big', big);
    rig.write('huge', Buffer.alloc((3 << 20) + 1));
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['big']);
    assert.is(reasonFor(capture, 'huge'), 'tooLarge');
    const want = createHash('sha1').update(`blob ${big.length}\0`).update(big).digest('hex');
    assert.is(String((await rig.store.entry(capture.snapshot, fromText('big')))?.blob), want);
    assert.equal(execFileSync('ls', [rig.store.spoolDirectory], { encoding: 'utf8' }), '');
  });
});

test('our own storage and the temporary files of a restore are never captured', async () => {
  await withRig({ leftOut: [fromText('.state/checkpointd')] }, async (rig) => {
    rig.write('.state/checkpointd/s', '');
    rig.write('.state/other', '');
    rig.write(`.ckpt-tmp-${'0a'.repeat(10)}-12`, '');
    rig.write('.ckpt-tmp-mine', '');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.ckpt-tmp-mine', '.state/other']);
  });
});

test('a work tree that is gone, or replaced by a link, is an error and never an empty snapshot (F43)', async () => {
  await withRig({}, async (rig) => {
    rig.write('f', 'f');
    const first = await rig.capturer.capture();
    renameSync(rig.root, `${rig.root}.moved`);
    const kindOf = (): Promise<string> =>
      rig.capturer.capture({ previous: first.snapshot }).then(
        () => 'captured',
        (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
      );
    assert.is(await kindOf(), 'WorkTreeMissing');
    symlinkSync(`${rig.root}.moved`, rig.root);
    assert.is(await kindOf(), 'NotADirectory');
    rmSync(rig.root);
    mkdirSync(rig.root);
    rig.write('g', 'g');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture({ previous: first.snapshot })), ['g']);
    rmSync(`${rig.root}.moved`, { recursive: true });
  });
});

test('a failure of the store or a cancel aborts the writer, and the next capture is whole', async () => {
  await withRig({}, async (rig) => {
    for (let i = 0; i < 50; i += 1) rig.write(`d${i}/f`, String(i));
    rig.store.failNextBlob = new CheckpointdError('NoSpace', 'full');
    await rig.capturer.capture().then(
      () => assert.unreachable(),
      (error: unknown) => assert.is(error instanceof CheckpointdError ? error.kind : error, 'NoSpace'),
    );
    const cancelled = AbortSignal.abort(new Error('enough'));
    await rig.capturer.capture({ signal: cancelled }).then(
      () => assert.unreachable(),
      (error: unknown) => assert.match(String(error), 'enough'),
    );
    assert.is(rig.store.counts.aborted, 2);
    assert.is((await pathsOf(rig.store, await rig.capturer.capture())).length, 50);
  });
});

test('a file that an unpublished capture has stored is stored again for one that counts', async () => {
  await withRig({}, async (rig) => {
    rig.write('a', 'a');
    const first = await rig.capturer.capture();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    rig.write('b', 'b');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const unpublished = await rig.capturer.capture({ previous: first.snapshot });
    const blob = (await rig.store.entry(unpublished.snapshot, fromText('b')))?.blob;
    assert.ok(blob !== undefined && rig.store.blobs.delete(blob), 'swept: no checkpoint holds it');
    const second = await rig.capturer.capture({ previous: first.snapshot });
    assert.is(await contentOf(rig.store, second, 'b'), 'b');
  });
});

test('captures run side by side and agree; hard links are files of their own', async () => {
  await withRig({}, async (rig) => {
    rig.write('.gitignore', '*.o\n');
    for (let i = 0; i < 200; i += 1) rig.write(`d${i % 7}/f${i}${i % 5 === 0 ? '.o' : ''}`, String(i));
    linkSync(join(rig.root, 'd1/f1'), join(rig.root, 'd1/hard'));
    const all = await Promise.all([1, 2, 3, 4].map(() => rig.capturer.capture()));
    assert.is(new Set(all.map((capture) => capture.snapshot)).size, 1);
    assert.ok((await pathsOf(rig.store, all[0] as (typeof all)[number])).includes('d1/hard'));
  });
});

test.run();
