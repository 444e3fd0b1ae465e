// Exports the conversation to a file, imports a file, and tries to import invalid documents.
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../support/wire-client.ts';
import { withSession } from '../support/wire-session.ts';

test('an export to a file and an import of this file lose nothing, and a refused request changes nothing (C2, C35)', () =>
  withSession(async (rig) => {
    await rig.append('a\nb');
    await rig.append('', { tool: true });
    await rig.request('conversation/compact', { summary: 's', keep: 1 });
    await rig.request('conversation/enterTangent', {});
    await rig.append('in tangent');
    const document = await rig.document();
    assert.equal(document.checkpoint_manager, { session: rig.session, strategy: 'shadow', enabled: true });
    const exported = await rig.request('conversation/export', { path: './out.json' });
    assert.is(exported.path, join(rig.places.workTree, 'out.json'));
    const file = join(rig.places.workTree, 'out.json');
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), document);
    assert.is(statSync(file).size, exported.bytes);
    await rig.request('conversation/clear', {});
    await rig.request('conversation/exitTangent', {});
    await rig.request('conversation/import', { path: 'out.json' });
    assert.equal(await rig.document(), document);
    const tree = rig.places.workTree;
    mkdirSync(join(tree, 'dir'));
    symlinkSync('/tmp', join(tree, 'away'));
    const refusals: [string, string][] = [
      ['dir', 'InvalidParams'],
      ['missing/x.json', 'InvalidParams'],
      ['../x.json', 'PathOutsideWorkTree'],
      ['away/x.json', 'PathOutsideWorkTree'],
      [join(rig.places.storage, 'x.json'), 'InvalidParams'],
    ];
    for (const [path, kind] of refusals)
      assert.is((await failureOf(rig.request('conversation/export', { path }))).kind, kind, path);
    symlinkSync(file, join(tree, 'link.json'));
    const toLink = rig.request('conversation/export', { path: join(tree, 'link.json'), overwrite: true });
    assert.is((await failureOf(toLink)).kind, 'InvalidParams', 'a link is neither replaced nor followed');
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), document);
    for (const bad of ['dir', 'missing.json', '']) {
      assert.is(
        (await failureOf(rig.request('conversation/import', { path: bad }))).kind,
        'InvalidParams',
        bad,
      );
    }
    assert.equal(await rig.document(), document);
  }));

test('importing an invalid document changes nothing; importing a long history reports the dropped entries', () =>
  withSession(async (rig) => {
    await rig.append('kept');
    const before = await rig.document();
    const entry = { id: 'e', user: { content: 'x' }, assistant: { content: 'y' } };
    const good = {
      format_version: 1,
      conversation_id: 'd',
      history: [entry],
      valid_history_range: [0, 1],
      transcript: [],
    };
    const text = JSON.stringify(good);
    const cases: [unknown, string][] = [
      [{ ...good, format_version: 2 }, 'DocumentVersion'],
      [{ ...good, history: [entry, entry] }, 'DocumentInvalid'],
      [{ ...good, valid_history_range: [0, 2] }, 'DocumentInvalid'],
      [{ ...good, history: 'no' }, 'DocumentInvalid'],
      [text.slice(0, -9), 'DocumentInvalid'],
      ['not JSON', 'DocumentInvalid'],
    ];
    for (const [document, kind] of cases) {
      const file = join(rig.places.workTree, 'bad.json');
      const content = typeof document === 'string' ? document : JSON.stringify(document);
      writeFileSync(file, content);
      assert.is((await failureOf(rig.request('conversation/import', { path: file }))).kind, kind);
      assert.is(readFileSync(file, 'utf8'), content);
    }
    const both = { document: good, path: '/x' };
    assert.is((await failureOf(rig.request('conversation/import', both))).kind, 'InvalidParams');
    assert.equal(await rig.document(), before);
    const history = Array.from({ length: 10_003 }, (_, index) => ({ ...entry, id: `e${index}` }));
    const { dropped, historyLength } = await rig.request('conversation/import', {
      document: { ...good, history, valid_history_range: [0, 10_003] },
    });
    assert.equal([dropped, historyLength], [3, 10_000]);
  }));

test.run();
