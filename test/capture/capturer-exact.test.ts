// Tests that a capture keeps all bytes, names, links and modes exactly.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { contentOf, copiesLeft, pathsOf, reasonFor, withRig } from '../support/capture-rig.ts';

const test = suite('exact captures');

test('links are stored with their targets and never followed (F16, F44)', () =>
  withRig({}, async (rig) => {
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
  }));

test('the target of a link is captured unchanged, whatever bytes it has (F17)', () =>
  withRig({}, async (rig) => {
    const targets = [Buffer.from([0x61, 0xff, 0x0a, 0xfe]), Buffer.alloc(4095, 0x62), Buffer.from('a\nb')];
    targets.forEach((target, i) => symlinkSync(target, join(rig.root, `l${i}`)));
    const capture = await rig.capturer.capture();
    for (const [i, target] of targets.entries()) {
      assert.is(await contentOf(rig.store, capture, `l${i}`), target.toString('latin1'));
    }
  }));

test('files with a name of 255 bytes or a path of 5,900 bytes are captured, or reported as skipped (F19)', () =>
  withRig({}, async (rig) => {
    rig.write('n'.repeat(255), 'long name');
    // Makes the deep path step by step from inside its directories, because a single call cannot take a path of this
    // length.
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
  }));

test('files are captured byte for byte; git attributes, settings and filters have no effect (F20)', () =>
  withRig({}, async (rig) => {
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
  }));

test('a capture records modes that are stricter than usual; a changed mode counts as a changed file (F22)', () =>
  withRig({}, async (rig) => {
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
  }));

test('files whose names differ only in letter case or Unicode form stay different files (F32)', async () => {
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

test('a file over the size limit is reported as too large, and a file over 1 MiB is read into a private copy (O29)', () =>
  withRig({ maxFileBytes: 3 << 20 }, async (rig) => {
    const big = Buffer.alloc((2 << 20) + 7, 'x');
    rig.write('big', big);
    rig.write('huge', Buffer.alloc((3 << 20) + 1));
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['big']);
    assert.is(reasonFor(capture, 'huge'), 'tooLarge');
    const want = createHash('sha1').update(`blob ${big.length}\0`).update(big).digest('hex');
    assert.is(String((await rig.store.entry(capture.snapshot, fromText('big')))?.blob), want);
    assert.equal(copiesLeft(rig.store), []);
  }));

test('parallel captures give equal results, and each hard link is captured as a file', () =>
  withRig({}, async (rig) => {
    rig.write('.gitignore', '*.o\n');
    for (let i = 0; i < 200; i += 1) rig.write(`d${i % 7}/f${i}${i % 5 === 0 ? '.o' : ''}`, String(i));
    linkSync(join(rig.root, 'd1/f1'), join(rig.root, 'd1/hard'));
    const all = await Promise.all([1, 2, 3, 4].map(() => rig.capturer.capture()));
    assert.is(new Set(all.map((capture) => capture.snapshot)).size, 1);
    assert.ok((await pathsOf(rig.store, all[0] as (typeof all)[number])).includes('d1/hard'));
  }));

test.run();
