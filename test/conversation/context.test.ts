import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { type ContextFiles, windowUse } from '../../src/conversation/context.ts';
import { Conversation } from '../../src/conversation/conversation.ts';
import { MemoryLog } from './room.ts';

/**
 * A work tree in memory with text files. A pattern with `*` matches every name that begins and ends like the pattern.
 */
class Texts implements ContextFiles {
  readonly texts = new Map<string, string | undefined>();
  readonly reads: string[] = [];
  async match(pattern: string): Promise<{ path: string; bytes: number }[]> {
    const [prefix, suffix] = pattern.split('*');
    const names = [...this.texts.keys()].filter((name) =>
      suffix === undefined ? name === pattern : name.startsWith(prefix ?? '') && name.endsWith(suffix),
    );
    return names.map((path) => ({ path, bytes: Buffer.byteLength(this.texts.get(path) ?? '') }));
  }
  async read(path: string): Promise<string | undefined> {
    this.reads.push(path);
    return this.texts.get(path);
  }
}

const start = '--- CONTEXT ENTRY BEGIN ---\n';
const end = '--- CONTEXT ENTRY END ---\n\n';

function room(): { conversation: Conversation; tree: Texts } {
  return { conversation: new Conversation('c', new MemoryLog()), tree: new Texts() };
}

test('the context message has the summary, files and instruction between the exact markers (C7)', async () => {
  const { conversation, tree } = room();
  tree.texts.set('b.md', 'B').set('docs/2.md', 'two').set('docs/1.md', 'one');
  conversation.context.add(['b.md', 'docs/*.md']);
  conversation.compact({ summary: 'what happened' });
  const { message } = await conversation.context.build(tree, {
    hooks: ['hook says'],
    agentPrompt: 'be brief',
  });
  const [head, files, hook, rest] = message.split(end);
  assert.match(head ?? '', /^--- CONTEXT ENTRY BEGIN ---\n[^]+\n\nSUMMARY CONTENT:\nwhat happened\n$/);
  assert.is(files, `${start}[b.md]\nB\n[docs/1.md]\none\n[docs/2.md]\ntwo\n`);
  assert.is(hook, `${start}hook says\n`);
  assert.is(rest, 'Follow this instruction: be brief');
});

test('without any context, there is no context message (C7)', async () => {
  const { conversation, tree } = room();
  assert.is((await conversation.context.build(tree)).message, '');
});

test('the budget for context is three quarters of the model’s window, which has 200,000 tokens by default (C9, C24)', async () => {
  const { conversation, tree } = room();
  assert.is((await conversation.context.build(tree)).maxSize, 150_000 * 4);
  conversation.settings.setModel({ modelId: 'm', contextWindowTokens: 100 });
  assert.is((await conversation.context.build(tree)).maxSize, 75 * 4);
});

test('if files exceed the budget, the largest files are left out unread, each with a warning (C24)', async () => {
  const { conversation, tree } = room();
  conversation.settings.setModel({ modelId: 'm', contextWindowTokens: 100 });
  tree.texts.set('a', 'a'.repeat(120)).set('b', 'b'.repeat(301)).set('c', 'c'.repeat(180));
  conversation.context.add(['a', 'b', 'c']);
  const built = await conversation.context.build(tree);
  assert.equal(built.files, [
    { path: 'a', bytes: 120, pattern: 'a' },
    { path: 'c', bytes: 180, pattern: 'c' },
  ]);
  assert.is(built.size, 300);
  assert.equal(built.dropped, [{ path: 'b', bytes: 301, pattern: 'b' }]);
  assert.equal(tree.reads, ['a', 'c']);
  tree.reads.length = 0;
  const listed = await conversation.context.list(tree);
  assert.equal([listed.files, listed.dropped, listed.size], [built.files, built.dropped, 300]);
  assert.equal(tree.reads, []);
  assert.is(built.warnings.length, 1);
  assert.match(built.warnings[0] ?? '', /^The context file b \(301 bytes\) was left out/);
});

test('paths and globs of the context are checked and added once, and can be removed (C24)', () => {
  const { conversation } = room();
  assert.equal(conversation.context.add(['a', './a', 'src/*.ts']), { added: ['a', 'src/*.ts'] });
  assert.equal(conversation.context.add(['a', 'b']), { added: ['b'] });
  const kinds = (attempt: () => unknown, kind: string): void =>
    assert.throws(attempt, (error: unknown) => error instanceof CheckpointdError && error.kind === kind);
  for (const outside of ['/etc/passwd', '../x', 'a/../../b', '.git/config', '../**']) {
    kinds(() => conversation.context.add(['c', outside]), 'PathOutsideWorkTree');
  }
  kinds(() => conversation.context.add(['.']), 'InvalidParams');
  kinds(() => conversation.context.add([7]), 'InvalidParams');
  const many = Array.from({ length: 1000 }, (_, n) => `f${n}`);
  kinds(() => conversation.context.add(many), 'LimitExceeded');
  assert.equal(conversation.context.paths, ['a', 'src/*.ts', 'b']);
  assert.equal(conversation.context.remove(['a', 'never', 'b']), { removed: ['a', 'b'] });
  assert.equal(conversation.context.paths, ['src/*.ts']);
});

test('a context file outside the work tree is refused, even if a glob leads to it (C24)', async () => {
  const { conversation, tree } = room();
  conversation.context.add(['{a,../secret}']);
  tree.texts.set('../secret', 'x');
  tree.match = async () => [{ path: '../secret', bytes: 1 }];
  const error: unknown = await conversation.context.build(tree).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.is(error instanceof CheckpointdError && error.kind, 'PathOutsideWorkTree');
  assert.equal(tree.reads, []);
});

test('a context path without files and an unreadable context file are reported (C24)', async () => {
  const { conversation, tree } = room();
  tree.texts.set('gone', undefined).set('here', 'x');
  conversation.context.add(['nothing', 'gone', 'here']);
  const built = await conversation.context.build(tree);
  assert.equal(built.unmatched, ['nothing']);
  assert.equal(built.unreadable, ['gone']);
  assert.equal(built.dropped, []);
  assert.is(built.warnings.length, 1);
  assert.is(built.message, `${start}[here]\nx\n${end}`);
});

test('the length of the context message is cached until a source of the message changes (C25)', async () => {
  const { conversation, tree } = room();
  tree.texts.set('a', 'é').set('b', 'b');
  conversation.context.add(['a']);
  const build = async (): Promise<void> => {
    const built = await conversation.context.build(tree);
    assert.is(built.messageLength, Buffer.byteLength(built.message));
    assert.is(conversation.context.messageLength, built.messageLength);
  };
  await build();
  const before = conversation.head;
  conversation.append({ user: { content: 'x' }, assistant: {} });
  conversation.context.invalidate(['b', 'other/a']);
  assert.ok(conversation.context.messageLength);
  for (const change of [
    () => conversation.context.invalidate(['a']),
    () => conversation.context.invalidate(),
    () => conversation.context.add(['b']),
    () => conversation.context.invalidate(['b']),
    () => conversation.compact({ summary: 's' }),
    () => conversation.rewind(before),
    () => conversation.settings.setModel('m'),
    () => conversation.context.remove(['b']),
    () => conversation.context.add(['*.md']),
  ]) {
    change();
    assert.is(conversation.context.messageLength, undefined);
    await build();
  }
  conversation.context.invalidate(['brand-new.md']);
  assert.is(conversation.context.messageLength, undefined);
});

test('the length of a context message is not cached if a file changed while the message was built (C25)', async () => {
  const { conversation, tree } = room();
  tree.texts.set('a', '1');
  conversation.context.add(['a']);
  const building = conversation.context.build(tree);
  conversation.context.invalidate(['a']);
  await building;
  assert.is(conversation.context.messageLength, undefined);
});

test('if the conversation’s text alone fills the model’s window, the use of the window is reported as critical (C26)', () => {
  const { conversation } = room();
  conversation.settings.setModel({ modelId: 'm', contextWindowTokens: 10 });
  conversation.append({ user: { content: 'x'.repeat(20) }, assistant: { content: 'y'.repeat(19) } });
  assert.equal(windowUse(conversation.state, 0), { characters: 39, maxCharacters: 40, level: 'none' });
  assert.is(windowUse(conversation.state, 1).level, 'critical');
  conversation.compact({ summary: 's' });
  assert.is(windowUse(conversation.state, 1).characters, 1);
});

test.run();
