// Tests that tags belong to the current line of checkpoints. Checkpoints that a restore detached keep their ids, and
// are not mixed with later checkpoints.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Wire from '../../src/protocol/types.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

/** A session with turns (`1`) and tools (`1.1`). Before each step, the test writes `files` new files. */
class Line {
  readonly daemon = new InProcessDaemon();
  readonly root = repository();
  session = '';
  #files = 0;

  async open(): Promise<this> {
    this.session = (await this.daemon.open(this.root, { conversationId: 'c', retention: 'keep' })).session;
    return this;
  }

  async make(kind: 'turn' | 'tool', files: number): Promise<Wire.Checkpoint> {
    for (let count = 0; count < files; count += 1) write(this.root, { [`f${(this.#files += 1)}`]: 'x\n' });
    const { checkpoint } = await this.daemon.call('checkpoint/create', { session: this.session, kind });
    assert.ok(checkpoint);
    return checkpoint;
  }

  get(tag: string): Promise<Wire.Checkpoint> {
    return this.daemon
      .call('checkpoint/get', { session: this.session, tag })
      .then(({ checkpoint }) => checkpoint);
  }

  async list(): Promise<(string | undefined)[]> {
    const { checkpoints } = await this.daemon.call('checkpoint/list', { session: this.session });
    return checkpoints.map(({ tag }) => tag);
  }

  restore(tag: string): Promise<unknown> {
    return this.daemon.call('checkpoint/restore', {
      session: this.session,
      tag,
      mode: 'hard',
      confirm: true,
    });
  }

  async expand(tag: string): Promise<string[]> {
    const { tools } = await this.daemon.call('checkpoint/expand', { session: this.session, tag });
    return tools.map(({ id }) => id);
  }
}

test('after a restore of checkpoint 0, a new turn takes the tag of the old turn, and the tools of the old turn lose their tags', async () => {
  const line = await new Line().open();
  const one = await line.make('turn', 1);
  const tool = await line.make('tool', 2);
  const second = await line.make('tool', 3);
  await line.restore('0');
  assert.is((await line.get('1.1')).id, tool.id, 'until a tag is taken again it names the old checkpoint');
  const anew = await line.make('turn', 4);
  assert.is(anew.tag, '1');
  assert.equal(await line.list(), ['0', '1']);
  for (const [old, tag] of [
    [one, '1'],
    [tool, '1.1'],
    [second, '1.2'],
  ] as const) {
    const now = await line.get(old.id);
    assert.equal([now.tag, now.formerTag, now.detached], [undefined, tag, true]);
    assert.equal(now.stats, old.stats, 'what was said of it once stays');
  }
  assert.is((await failure(line.get('1.2'))).kind, 'UnknownCheckpoint');
  assert.equal(await line.expand('1'), []);
  assert.equal(await line.expand(one.id), [tool.id, second.id]);
  const fresh = await line.make('tool', 1);
  assert.is(fresh.tag, '1.1');
  assert.equal(fresh.stats, { added: 1, modified: 0, deleted: 0 });
  assert.equal(await line.expand('1'), [fresh.id]);
  assert.equal(await line.list(), ['0', '1', '1.1']);
  assert.equal((await line.get(tool.id)).stats, tool.stats);
  await line.daemon.close();
  const again = new InProcessDaemon(line.daemon.storage);
  await again.open(line.root, { conversationId: 'c', retention: 'keep' });
  const { checkpoints } = await again.call('checkpoint/list', { session: line.session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '1', '1.1'],
    'the same after a restart',
  );
  const secondTool = { session: line.session, tag: '1.2' };
  assert.is((await failure(again.call('checkpoint/get', secondTool))).kind, 'UnknownCheckpoint');
  await again.call('checkpoint/delete', { session: line.session, tag: '1' });
  await again.close();
  const third = new InProcessDaemon(line.daemon.storage);
  await third.open(line.root, { conversationId: 'c', retention: 'keep' });
  const left = await third.call('checkpoint/list', { session: line.session });
  assert.equal(
    left.checkpoints.map(({ tag }) => tag),
    ['0', '1.1'],
    'a restart after the deletion of the new turn',
  );
  assert.is((await failure(third.call('checkpoint/get', secondTool))).kind, 'UnknownCheckpoint');
  await third.close();
});

test('if the checkpoint of a turn was deleted, the turn’s first tool is compared with the nearest earlier checkpoint', async () => {
  const line = await new Line().open();
  await line.make('turn', 1);
  const tool = await line.make('tool', 2);
  const two = await line.make('turn', 3);
  const last = await line.make('tool', 4);
  assert.equal(two.stats, { added: 5, modified: 0, deleted: 0 }, 'a turn is counted against the turn before');
  assert.equal([last.previousTag, last.stats.added], ['2', 4]);
  await line.daemon.call('checkpoint/delete', { session: line.session, tag: '2' });
  const now = await line.get('2.1');
  assert.equal([now.previousTag, now.stats.added], [tool.tag, 7]);
  assert.equal(await line.expand('1'), [tool.id], 'it is no tool of the turn before');
  await line.daemon.close();
});

test('if the tag of a tool is used again, the tag keeps its place in the list, except after a restore to an earlier turn', async () => {
  const line = await new Line().open();
  await line.make('turn', 1);
  await line.make('tool', 1);
  await line.make('tool', 1);
  const create = { session: line.session, kind: 'tool', tag: '1.1' } as const;
  const { checkpoint: again } = await line.daemon.call('checkpoint/create', create);
  assert.equal(await line.list(), ['0', '1', '1.1', '1.2']);
  assert.equal([again?.tag, again?.previousTag], ['1.1', '1.2']);
  await line.restore('1');
  const beside = await line.make('tool', 1);
  assert.equal([beside.tag, beside.previousTag], ['1.1', '1']);
  assert.equal(await line.list(), ['0', '1', '1.2', '1.1']);
  await line.daemon.close();
});

test.run();
