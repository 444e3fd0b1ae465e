// Sends requests that only read, and compares the answers with the plain model. Each step sends one such request,
// chosen at random.
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { enabledOnly, everyId, isSame } from './checkpoints.ts';
import { type Files, type ModelledSession, names } from './modelled-session.ts';

type Check = (modelled: ModelledSession, n: number, m: number) => Promise<void>;

const checkConversation: Check = async ({ daemon, session, model, agents }) => {
  const got = await daemon.call('conversation/get', { session });
  const { thread } = model;
  assert.equal(
    [got.historyLength, got.transcriptLength, got.validHistoryRange, got.nextMessage, got.mcpEnabled],
    [
      thread.history.length,
      thread.transcript.length,
      { start: thread.range[0], end: thread.range[1] },
      thread.next,
      model.mcp,
    ],
  );
  assert.equal([got.tools, got.agents], [model.tools, agents]);
  assert.equal(got.tangentState?.mainHistoryLength, thread.tangent?.history.length);
  const { active, files } = await daemon.call('conversation/tangent', { session });
  assert.equal([active, files === true], [thread.tangent !== undefined, got.tangentState?.files === true]);
};

const checkHistory: Check = async ({ daemon, session, model }, n) => {
  const limit = (n % 3) + 1;
  const seen: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const page = await daemon.call('conversation/history', {
      session,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    seen.push(...page.entries.map(({ id }) => id ?? ''));
    cursor = page.nextCursor;
    isMore = cursor !== undefined;
  }
  assert.equal(
    seen,
    model.thread.history.map(({ id }) => id),
  );
};

const checkTranscript: Check = async ({ daemon, session, model }) => {
  const { lines } = await daemon.call('conversation/transcript', { session, limit: 1000 });
  assert.equal(lines, model.thread.transcript);
};

const checkPastHistory: Check = async (modelled, n) => {
  const picked = modelled.pick(n);
  if (picked === undefined || !modelled.isEnabled) return;
  const { daemon, session } = modelled;
  const { entries } = await daemon.call('conversation/history', { session, tag: picked.ref, limit: 1000 });
  const { history } = picked.checkpoint.at.thread;
  assert.equal(
    entries.map(({ id }) => id),
    history.map(({ id }) => id),
  );
};

const checkContext: Check = async ({ daemon, session, model, files }) => {
  const { context, message = '' } = await daemon.call('conversation/context', { session, message: true });
  assert.equal(context.patterns, model.paths);
  for (const name of names) {
    const isNamed = model.paths.some((path) => path === name || path === '*.txt');
    const isThere = isNamed && files[name] !== undefined;
    assert.is(
      context.files.some(({ path }) => path === name),
      isThere,
      name,
    );
    assert.is(message.includes(`[${name}]\n${files[name]}`), isThere);
  }
};

const checkList: Check = async (modelled) => {
  const { daemon, session } = modelled;
  const result = await enabledOnly(modelled, daemon.call('checkpoint/list', { session, limit: 1000 }));
  if (result === undefined) return;
  const expected = modelled.listed
    .map((id) => modelled.byId(id))
    .map((made) => made && [made.id, made.madeAs, made.name]);
  assert.equal(
    result.checkpoints.map(({ id, tag, name }) => [id, tag, name]),
    expected,
  );
  const every = await everyId(modelled);
  for (const { id } of modelled.checkpoints) assert.ok(every.includes(id));
  for (const kind of ['turn', 'tool'] as const) {
    const some = await daemon.call('checkpoint/list', { session, kind, limit: 1000 });
    assert.equal(
      some.checkpoints.map(({ id }) => id),
      modelled.listed.filter((id) => modelled.byId(id)?.kind === kind),
    );
  }
};

const checkOne: Check = async (modelled, n) => {
  const picked = modelled.pick(n);
  if (picked === undefined) return;
  const { daemon, session } = modelled;
  const { checkpoint, ref } = picked;
  const got = await enabledOnly(modelled, daemon.call('checkpoint/get', { session, tag: ref }));
  if (got === undefined) return;
  const { id, tag, name, kind, historyLength } = got.checkpoint;
  assert.equal(
    [id, tag, name, kind, historyLength, got.inTangent === true],
    [
      checkpoint.id,
      modelled.tagOf(checkpoint),
      checkpoint.name,
      checkpoint.kind,
      checkpoint.at.thread.history.length,
      checkpoint.at.thread.tangent !== undefined,
    ],
  );
  const { tools } = await daemon.call('checkpoint/expand', { session, tag: ref });
  const turn = modelled.tagOf(checkpoint);
  const expected = modelled.listed.filter(
    (other) => turn !== undefined && modelled.byId(other)?.madeAs?.startsWith(`${turn}.`) === true,
  );
  assert.equal(
    tools.map((tool) => tool.id),
    turn?.includes('.') === true ? [] : expected,
  );
};

const checkChanges: Check = async (modelled) => {
  const { daemon, session, head } = modelled;
  const result = await enabledOnly(modelled, daemon.call('checkpoint/hasChanges', { session }));
  if (result === undefined) return;
  assert.is(result.hasChanges, head === undefined || !isSame(modelled.files, head.at.files));
};

const checkDifference: Check = async (modelled, n, m) => {
  const [from, to] = [modelled.pick(n), modelled.pick(m)];
  if (from === undefined || to === undefined) return;
  const { daemon, session } = modelled;
  const [one, other] = [from.checkpoint.at.files, to.checkpoint.at.files];
  const between = { session, from: from.ref, to: to.ref };
  const stats = await enabledOnly(modelled, daemon.call('checkpoint/stats', between));
  if (stats === undefined) return;
  assert.equal(stats, statsOf(one, other));
  const diff = await daemon.call('checkpoint/diff', between);
  assert.equal(diff.stats, statsOf(one, other));
  assert.equal(changesIn(diff.files), changesOf(one, other));
  // without `to`, the request compares with the work tree
  const present = await daemon.call('checkpoint/diff', { session, from: from.ref });
  assert.equal(changesIn(present.files), changesOf(one, modelled.files));
};

const checkFiles: Check = async (modelled, n, m) => {
  const picked = modelled.pick(n);
  if (picked === undefined) return;
  const { daemon, session } = modelled;
  const { files } = picked.checkpoint.at;
  const result = await enabledOnly(modelled, daemon.call('checkpoint/files', { session, tag: picked.ref }));
  if (result === undefined) return;
  assert.equal(
    result.files.map(({ path }) => path).sort(),
    [...names.filter((name) => files[name] !== undefined), 'kept.txt'].sort(),
  );
  const path = names[m % names.length] ?? 'a.txt';
  const { exists, data } = await daemon.call('checkpoint/readFile', { session, tag: picked.ref, path });
  assert.equal([exists, data], [files[path] !== undefined, files[path]]);
};

const checkAuthors: Check = async (modelled, n) => {
  const { daemon, session } = modelled;
  const path = names[n % names.length] ?? 'a.txt';
  const result = await enabledOnly(modelled, daemon.call('ledger/history', { session, path, limit: 1000 }));
  if (result === undefined) return;
  const known = modelled.authorsOf(path);
  assert.equal(
    result.entries.map(({ author, content }) => [author, content === undefined]),
    known.map(({ who, content }) => [who, content === undefined]),
  );
  assert.is(result.present?.author, known.at(-1)?.content === modelled.files[path] ? undefined : 'user');
};

const checks: readonly Check[] = [
  checkConversation,
  checkHistory,
  checkTranscript,
  checkPastHistory,
  checkContext,
  checkList,
  checkOne,
  checkChanges,
  checkDifference,
  checkFiles,
  checkAuthors,
];

/** Sends one request that only reads. The first number chooses the request. */
export async function checkAny(
  modelled: ModelledSession,
  which: number,
  n: number,
  m: number,
): Promise<void> {
  await checks[which % checks.length]?.(modelled, n, m);
}

/** Sends every request that only reads. */
export async function checkAll(modelled: ModelledSession): Promise<void> {
  for (const each of checks) await each(modelled, modelled.checkpoints.length, 1);
}

function changesOf(one: Files, other: Files): string[] {
  return names
    .filter((name) => one[name] !== other[name])
    .map((name) => {
      const change = one[name] === undefined ? 'added' : other[name] === undefined ? 'deleted' : 'modified';
      return `${name} ${change}`;
    })
    .sort();
}

function changesIn(files: readonly Wire.DiffFile[]): string[] {
  return files.map(({ path, change }) => `${path} ${change}`).sort();
}

function statsOf(one: Files, other: Files): Wire.FileStats {
  const changes = changesOf(one, other);
  const count = (change: string): number => changes.filter((line) => line.endsWith(change)).length;
  return { added: count('added'), modified: count('modified'), deleted: count('deleted') };
}
