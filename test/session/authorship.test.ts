// For each content of a path, the daemon knows the first checkpoint that has the content.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

test('for a content that an agent reported, the daemon names the first checkpoint that has this content', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'begin\n' });
  const { session } = await daemon.open(root, {});
  const wrote = async (text: string): Promise<void> => {
    write(root, { 'a.txt': text });
    await daemon.call('ledger/recordWrite', { session, path: 'a.txt', toolName: 'edit' });
  };
  const tool = async (): Promise<void> => {
    await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'edit' });
  };
  try {
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    await wrote('one\n');
    await tool();
    await tool();
    await wrote('overwritten\n');
    await wrote('two\n');
    await tool();
    write(root, { 'a.txt': 'by hand\n' });
    await wrote('in no checkpoint\n');
    const { entries } = await daemon.call('ledger/history', { session, path: 'a.txt' });
    assert.equal(
      entries.map(({ tag, toolName, author }) => [tag, toolName, author]),
      [
        ['0', undefined, 'user'],
        ['1.1', 'edit', 'agent'],
        [undefined, 'edit', 'agent'],
        ['1.3', 'edit', 'agent'],
        [undefined, 'edit', 'agent'],
      ],
    );
    const ids = new Set(entries.map(({ checkpoint }) => checkpoint));
    assert.is(ids.size, 4, 'each tag has its id');
  } finally {
    await daemon.close();
  }
});

test.run();
