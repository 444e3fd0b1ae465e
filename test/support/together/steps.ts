// The steps of a random life: every change that a client can ask of a conversation and its checkpoints, chosen by
// chance, taken on the daemon and on the plain twin alike.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { failure } from '../in-process-daemon.ts';
import * as checkpoints from './checkpoints.ts';
import { enabledOnly } from './checkpoints.ts';
import { type Life, names } from './life.ts';
import { look } from './looks.ts';

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

type Taken = { readonly [O in Step['op']]: (life: Life, step: Extract<Step, { op: O }>) => unknown };

/** Takes one step on both. */
export async function take(life: Life, next: Step): Promise<void> {
  await (taken[next.op] as (life: Life, step: Step) => unknown)(life, next);
}

const taken: Taken = {
  create: checkpoints.create,
  restore: checkpoints.restore,
  undo: (life) => checkpoints.walk(life, 'undo'),
  redo: (life) => checkpoints.walk(life, 'redo'),
  delete: (life, { n }) => checkpoints.remove(life, n),
  rename: (life, { n, name }) => checkpoints.rename(life, n, name),
  gc: checkpoints.collect,
  clean: (life, { isMeant }) => (isMeant ? checkpoints.clean(life) : undefined),
  init: checkpoints.init,
  look: (life, { which, n, m }) => look(life, which, n, m),
  append: async ({ house, session, model }, { text: content, isAnswer }) => {
    const user = isAnswer ? { content: '', toolResults: [{ toolUseId: 't' }] } : { content };
    const entry = { user, assistant: { content } };
    const { id } = await house.call('conversation/append', { session, entry });
    model.append({ id, ...entry });
  },
  edit: (life, { file, content }) => {
    const name = names[file % names.length] ?? 'a.txt';
    const place = join(life.root, name);
    if (content === 0) {
      rmSync(place, { force: true });
      delete life.files[name];
      return;
    }
    mkdirSync(dirname(place), { recursive: true });
    // Of its own in every file, so that git takes no change for a renaming.
    const written = `${content} in ${name}\n`;
    writeFileSync(place, written);
    life.files[name] = written;
  },
  write: async (life, { file }) => {
    const name = names[file % names.length] ?? 'a.txt';
    const last = life.authors.get(name)?.at(-1);
    const asked = life.house.call('ledger/recordWrite', { session: life.session, path: name });
    const result = await enabledOnly(life, asked);
    if (result === undefined) return;
    const isNew = last === undefined || last.content !== life.files[name] || last.who !== 'agent';
    assert.equal([result.recorded, result.content === undefined], [isNew, life.files[name] === undefined]);
    if (!isNew) return;
    life.noteWrite(name);
  },
  enter: async (life, { files }) => {
    const { house, session, model } = life;
    const at = life.moment();
    const parent = life.head?.id;
    const asked = house.call('conversation/enterTangent', { session, files });
    if (files && !life.isEnabled) return assert.is((await failure(asked)).kind, 'CheckpointsDisabled');
    const { entered, checkpoint } = await asked;
    const { tangentStartTime } = await house.call('conversation/tangent', { session });
    assert.is(entered, model.enter(Date.parse(tangentStartTime ?? '')));
    assert.is(checkpoint !== undefined, entered && files);
    if (checkpoint !== undefined) life.entered = { id: checkpoint, at, parent };
  },
  exit: async (life, { keepTail }) => {
    const { house, session, model, entered, head } = life;
    const isThere = life.isEnabled && (await checkpoints.everyId(life)).includes(entered?.id ?? '');
    const isCarried = entered !== undefined && isThere && !keepTail;
    const before = life.moment();
    const result = await house.call('conversation/exitTangent', { session, keepTail });
    const { exited, tail, restore } = result;
    const expected = model.exit(keepTail);
    assert.equal({ exited, tail }, { tail: undefined, ...expected });
    life.entered = undefined;
    assert.is(restore !== undefined, isCarried);
    if (restore === undefined || entered === undefined) return;
    const { thread } = model;
    model.thread = before.thread;
    const target = { ...entered.at, thread, entered: undefined };
    checkpoints.restored(life, restore, {
      target,
      scope: 'both',
      changes: checkpoints.planOf(life, target.files, { scope: 'both', mode: 'hard', only: names }),
      paths: undefined,
      stacks: (walked) => ({ undo: [...(head?.undo ?? []), { ...walked, back: before }], redo: [] }),
    });
  },
  next: async ({ house, session, model }, { text: content, lock }) => {
    await house.call('conversation/setNextMessage', { session, message: { content }, lock });
    model.setNext(content, lock);
  },
  lines: async ({ house, session, model }, { text: lines }) => {
    await house.call('conversation/appendTranscript', { session, text: lines });
    model.lines(lines.split('\n'));
  },
  clear: async ({ house, session, model }) => {
    await house.call('conversation/clear', { session });
    model.clear();
  },
  compact: async ({ house, session, model }, { text: summary, keep }) => {
    const compacting = house.call('conversation/compact', { session, summary, metadata: { keep }, keep });
    if (keep > model.thread.history.length) {
      return assert.is((await failure(compacting)).kind, 'InvalidRange'); // more than there is cannot be kept
    }
    await compacting;
    model.compact(summary, keep);
  },
  range: async ({ house, session, model }, { start, end }) => {
    const asked = house.call('conversation/setValidRange', { session, range: { start, end } });
    if (model.setRange(start, end)) await asked;
    else assert.is((await failure(asked)).kind, 'InvalidRange');
  },
  track: async ({ house, session, model }, { before: linesBefore, after: linesAfter }) => {
    const write = { session, path: 'p', operation: 'create', linesBefore, linesAfter } as const;
    const { linesByUser } = await house.call('conversation/recordLines', write);
    assert.is(linesByUser, model.recordLines('p', linesBefore, linesAfter));
  },
  addContext: async ({ house, session, model }, { path }) => {
    const { changed } = await house.call('conversation/addContext', { session, paths: [path] });
    assert.equal(changed, model.paths.includes(path) ? [] : [path]);
    model.paths = [...new Set([...model.paths, path])];
  },
  removeContext: async ({ house, session, model }, { path }) => {
    const { changed } = await house.call('conversation/removeContext', { session, paths: [path] });
    assert.equal(changed, model.paths.includes(path) ? [path] : []);
    model.paths = model.paths.filter((other) => other !== path);
  },
  tools: async ({ house, session, model }, { name }) => {
    model.tools = { builtin: [{ name }], mcp: [{ name: `${name}2` }] };
    const { tools } = await house.call('conversation/setTools', {
      session,
      tools: model.tools as Wire.ToolsByOrigin,
    });
    assert.is(tools, 2);
  },
  agents: async (life, { name }) => {
    const agents = { [name]: {} };
    await life.house.call('conversation/setAgents', { session: life.session, agents });
    life.agents = agents;
  },
  model: async ({ house, session, model }, { window }) => {
    const modelInfo = { modelId: 'm', contextWindowTokens: window };
    await house.call('conversation/setModel', { session, modelInfo });
    model.window = window;
  },
  mcp: async ({ house, session, model }, { enabled }) => {
    await house.call('conversation/setMcpEnabled', { session, mcpEnabled: enabled });
    model.mcp = enabled;
  },
  export: async (life) => {
    const { house, session, model, entered } = life;
    const { document } = await house.call('conversation/export', { session });
    const { tools, paths, window, mcp } = model;
    const settings = { tools, paths, window, mcp };
    life.exported = { document: document ?? {}, thread: structuredClone(model.thread), entered, settings };
  },
  import: async (life) => {
    const { house, session, exported, model } = life;
    if (exported === undefined) return;
    const { document, thread, entered, settings } = exported;
    const result = await house.call('conversation/import', { session, document });
    assert.equal([result.dropped, result.transcriptDropped], [0, 0]);
    model.import(thread);
    Object.assign(model, settings);
    life.entered = entered;
  },
  reopen: async (life) => {
    await life.house.call('session/close', { session: life.session });
    await life.open();
  },
};
