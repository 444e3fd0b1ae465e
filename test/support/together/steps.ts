// The steps of a random session: every change of conversation and checkpoints that a client can request. Each step is
// chosen at random, and is made in the daemon and in the plain model.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { failure } from '../failures.ts';
import * as checkpoints from './checkpoints.ts';
import { enabledOnly } from './checkpoints.ts';
import { checkAny } from './checks.ts';
import { type ModelledSession, names } from './modelled-session.ts';

const text = fc.constantFrom('a', 'b\nc', 'é😀', '> q');
const small = fc.nat({ max: 6 });
const scope = fc.constantFrom<Wire.RestoreScope>('both', 'both', 'files', 'conversation');
const mode = fc.constantFrom<Wire.RestoreMode>('hard', 'soft');
const onConflict = fc.constantFrom<Wire.ConflictPolicy>('overwrite', 'overwrite', 'skip', 'fail');
const rarely = fc.nat({ max: 5 }).map((n) => n === 0);
const contextPath = fc.constantFrom('a.txt', 'c/d.txt', '*.txt', 'gone.md');
const op = <const N extends string>(name: N): fc.Arbitrary<N> => fc.constant(name);

export const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: op('append'), text, isAnswer: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ op: op('edit'), file: small, content: small }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: op('create'),
      isTurn: fc.boolean(),
      tag: fc.nat({ max: 11 }),
      name: fc.nat({ max: 13 }),
      onlyIfChanged: rarely,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: op('restore'),
      to: fc.nat(),
      scope,
      mode,
      only: fc.nat({ max: 11 }),
      onConflict,
      dryRun: rarely,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: op('revert'),
      from: fc.nat(),
      to: fc.nat(),
      isToPresent: fc.boolean(),
      conflicts: fc.constantFrom<Wire.RevertConflictPolicy>('leave', 'leave', 'fail'),
      dryRun: rarely,
    }),
  },
  { weight: 6, arbitrary: fc.record({ op: op('look'), which: fc.nat(), n: fc.nat(), m: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ op: op('undo') }) },
  { weight: 2, arbitrary: fc.record({ op: op('redo') }) },
  { weight: 2, arbitrary: fc.record({ op: op('enter'), files: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: op('exit'), keepTail: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: op('write'), file: small }) },
  { weight: 2, arbitrary: fc.record({ op: op('reopen') }) },
  { weight: 2, arbitrary: fc.record({ op: op('export') }) },
  { weight: 2, arbitrary: fc.record({ op: op('import') }) },
  fc.record({ op: op('delete'), n: fc.nat() }),
  fc.record({ op: op('rename'), n: fc.nat(), name: fc.constantFrom('name-0', 'name-1', undefined) }),
  fc.record({ op: op('gc') }),
  fc.record({ op: op('clean'), isMeant: rarely }),
  fc.record({ op: op('init') }),
  fc.record({ op: op('next'), text, lock: fc.boolean() }),
  fc.record({ op: op('lines'), text }),
  fc.record({ op: op('clear') }),
  fc.record({ op: op('compact'), text, keep: small }),
  fc.record({ op: op('forget'), messages: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ op: op('range'), start: small, end: small }),
  fc.record({ op: op('track'), before: small, after: small }),
  fc.record({ op: op('addContext'), path: contextPath }),
  fc.record({ op: op('removeContext'), path: contextPath }),
  fc.record({ op: op('tools'), name: text }),
  fc.record({ op: op('agents'), name: text }),
  fc.record({ op: op('model'), window: fc.constantFrom(1000, 200_000) }),
  fc.record({ op: op('mcp'), enabled: fc.boolean() }),
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Taken = {
  readonly [O in Step['op']]: (modelled: ModelledSession, step: Extract<Step, { op: O }>) => unknown;
};

/** Makes one step in the daemon and in the model. */
export async function take(modelled: ModelledSession, next: Step): Promise<void> {
  await (taken[next.op] as (modelled: ModelledSession, step: Step) => unknown)(modelled, next);
}

const taken: Taken = {
  create: checkpoints.create,
  restore: checkpoints.restore,
  revert: checkpoints.revert,
  undo: (modelled) => checkpoints.walk(modelled, 'undo'),
  redo: (modelled) => checkpoints.walk(modelled, 'redo'),
  delete: (modelled, { n }) => checkpoints.remove(modelled, n),
  rename: (modelled, { n, name }) => checkpoints.rename(modelled, n, name),
  gc: checkpoints.collect,
  clean: (modelled, { isMeant }) => (isMeant ? checkpoints.clean(modelled) : undefined),
  init: checkpoints.init,
  look: (modelled, { which, n, m }) => checkAny(modelled, which, n, m),
  append: async ({ daemon, session, model }, { text: content, isAnswer }) => {
    const user = isAnswer ? { content: '', toolResults: [{ toolUseId: 't' }] } : { content };
    const entry = { user, assistant: { content } };
    const { id } = await daemon.call('conversation/append', { session, entry });
    model.append({ id, ...entry });
  },
  edit: (modelled, { file, content }) => {
    const name = names[file % names.length] ?? 'a.txt';
    const place = join(modelled.root, name);
    if (content === 0) {
      rmSync(place, { force: true });
      delete modelled.files[name];
      return;
    }
    mkdirSync(dirname(place), { recursive: true });
    // Every file gets a different text, so that git detects no renames.
    const written = `${content} in ${name}\n`;
    writeFileSync(place, written);
    modelled.files[name] = written;
  },
  write: async (modelled, { file }) => {
    const name = names[file % names.length] ?? 'a.txt';
    const last = modelled.authors.get(name)?.at(-1);
    const asked = modelled.daemon.call('ledger/recordWrite', { session: modelled.session, path: name });
    const result = await enabledOnly(modelled, asked);
    if (result === undefined) return;
    const isNew = last === undefined || last.content !== modelled.files[name] || last.who !== 'agent';
    assert.equal(
      [result.recorded, result.content === undefined],
      [isNew, modelled.files[name] === undefined],
    );
    if (!isNew) return;
    modelled.recordWrite(name);
  },
  enter: async (modelled, { files }) => {
    const { daemon, session, model } = modelled;
    const at = modelled.moment();
    const parent = modelled.head?.id;
    const asked = daemon.call('conversation/enterTangent', { session, files });
    if (files && !modelled.isEnabled) return assert.is((await failure(asked)).kind, 'CheckpointsDisabled');
    const { entered, checkpoint } = await asked;
    const { tangentStartTime } = await daemon.call('conversation/tangent', { session });
    assert.is(entered, model.enter(Date.parse(tangentStartTime ?? '')));
    assert.is(checkpoint !== undefined, entered && files);
    if (checkpoint !== undefined) modelled.entered = { id: checkpoint, at, parent };
  },
  exit: async (modelled, { keepTail }) => {
    const { daemon, session, model, entered, head } = modelled;
    const isThere = modelled.isEnabled && (await checkpoints.everyId(modelled)).includes(entered?.id ?? '');
    const isCarried = entered !== undefined && isThere && !keepTail;
    const before = modelled.moment();
    const result = await daemon.call('conversation/exitTangent', { session, keepTail });
    const { exited, tail, restore } = result;
    const expected = model.exit(keepTail);
    assert.equal({ exited, tail }, { tail: undefined, ...expected });
    modelled.entered = undefined;
    assert.is(restore !== undefined, isCarried);
    if (restore === undefined || entered === undefined) return;
    const { thread } = model;
    model.thread = before.thread;
    const target = { ...entered.at, thread, entered: undefined };
    checkpoints.restored(modelled, restore, {
      target,
      scope: 'both',
      changes: checkpoints.planOf(modelled, target.files, { scope: 'both', mode: 'hard', only: names }),
      paths: undefined,
      line: entered.at.line,
      stacks: (walked) => ({ undo: [...(head?.undo ?? []), { ...walked, back: before }], redo: [] }),
    });
  },
  next: async ({ daemon, session, model }, { text: content, lock }) => {
    await daemon.call('conversation/setNextMessage', { session, message: { content }, lock });
    model.setNext(content, lock);
  },
  lines: async ({ daemon, session, model }, { text: lines }) => {
    await daemon.call('conversation/appendTranscript', { session, text: lines });
    model.lines(lines.split('\n'));
  },
  clear: async ({ daemon, session, model }) => {
    await daemon.call('conversation/clear', { session });
    model.clear();
  },
  compact: async ({ daemon, session, model }, { text: summary, keep }) => {
    const compacting = daemon.call('conversation/compact', { session, summary, metadata: { keep }, keep });
    if (keep > model.thread.history.length) {
      // Compacting cannot keep more entries than there are.
      return assert.is((await failure(compacting)).kind, 'InvalidRange');
    }
    await compacting;
    model.compact(summary, keep);
  },
  forget: async ({ daemon, session, model }, { messages }) => {
    const { forgotten } = await daemon.call('conversation/forget', { session, messages });
    assert.equal(forgotten, model.forget(messages));
  },
  range: async ({ daemon, session, model }, { start, end }) => {
    const asked = daemon.call('conversation/setValidRange', { session, range: { start, end } });
    if (model.setRange(start, end)) await asked;
    else assert.is((await failure(asked)).kind, 'InvalidRange');
  },
  track: async ({ daemon, session, model }, { before: linesBefore, after: linesAfter }) => {
    const write = { session, path: 'p', operation: 'create', linesBefore, linesAfter } as const;
    const { linesByUser } = await daemon.call('conversation/recordLines', write);
    assert.is(linesByUser, model.recordLines('p', linesBefore, linesAfter));
  },
  addContext: async ({ daemon, session, model }, { path }) => {
    const { changed } = await daemon.call('conversation/addContext', { session, paths: [path] });
    assert.equal(changed, model.paths.includes(path) ? [] : [path]);
    model.paths = [...new Set([...model.paths, path])];
  },
  removeContext: async ({ daemon, session, model }, { path }) => {
    const { changed } = await daemon.call('conversation/removeContext', { session, paths: [path] });
    assert.equal(changed, model.paths.includes(path) ? [path] : []);
    model.paths = model.paths.filter((other) => other !== path);
  },
  tools: async ({ daemon, session, model }, { name }) => {
    model.tools = { Builtin: [{ name }], Mcp: [{ name: `${name}2` }] };
    const { tools } = await daemon.call('conversation/setTools', {
      session,
      tools: model.tools as Wire.ToolsByOrigin,
    });
    assert.is(tools, 2);
  },
  agents: async (modelled, { name }) => {
    const agents = { [name]: {} };
    await modelled.daemon.call('conversation/setAgents', { session: modelled.session, agents });
    modelled.agents = agents;
  },
  model: async ({ daemon, session, model }, { window }) => {
    const modelInfo = { modelId: 'm', contextWindowTokens: window };
    await daemon.call('conversation/setModel', { session, modelInfo });
    model.window = window;
  },
  mcp: async ({ daemon, session, model }, { enabled }) => {
    await daemon.call('conversation/setMcpEnabled', { session, mcpEnabled: enabled });
    model.mcp = enabled;
  },
  export: async (modelled) => {
    const { daemon, session, model, entered } = modelled;
    const { document } = await daemon.call('conversation/export', { session });
    const { tools, paths, window, mcp } = model;
    const settings = { tools, paths, window, mcp };
    modelled.exported = {
      document: document ?? {},
      thread: structuredClone(model.thread),
      entered,
      settings,
    };
  },
  import: async (modelled) => {
    const { daemon, session, exported, model } = modelled;
    if (exported === undefined) return;
    const { document, thread, entered, settings } = exported;
    const result = await daemon.call('conversation/import', { session, document });
    assert.equal([result.dropped, result.transcriptDropped], [0, 0]);
    model.import(thread);
    Object.assign(model, settings);
    modelled.entered = entered;
  },
  reopen: async (modelled) => {
    await modelled.daemon.call('session/close', { session: modelled.session });
    await modelled.open();
  },
};
