// Random lives of a session (conversation and checkpoints together) against plain copies: whatever a restore brings
// back was copied whole when its checkpoint was made. Drives the daemon's handlers, not the wire.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type * as Wire from '../../src/protocol/types.ts';
import { type ModelThread, ReferenceModel } from '../conversation/reference-model.ts';
import { failure, Household, repository } from './household.ts';
import { checkPropertyAsync, seed } from './property.ts';

const text = fc.constantFrom('a', 'b\nc', 'é😀', '> q');
const small = fc.nat({ max: 6 });
const scope = fc.constantFrom<Wire.RestoreScope>('both', 'both', 'files', 'conversation');
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('append' as const), text, isAnswer: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('edit' as const), file: small, content: small }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('create' as const), isTurn: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('restore' as const), to: fc.nat(), scope }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('undo' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('redo' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('enter' as const), files: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('exit' as const), keepTail: fc.boolean() }) },
  fc.record({ op: fc.constant('next' as const), text, lock: fc.boolean() }),
  fc.record({ op: fc.constant('lines' as const), text }),
  fc.record({ op: fc.constant('clear' as const) }),
  fc.record({ op: fc.constant('compact' as const), text, keep: small }),
  fc.record({ op: fc.constant('range' as const), start: small, end: small }),
  fc.record({ op: fc.constant('track' as const), before: small, after: small }),
  { weight: 2, arbitrary: fc.record({ op: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A session at one moment, copied whole. */
interface Moment {
  thread: ModelThread;
  files: Record<string, string>;
  turn: number;
  tool: number;
  /** Of a tangent that carries files: the moment it began. */
  entered: Moment | undefined;
}

interface Walked {
  readonly back: Moment;
  readonly scope: Wire.RestoreScope;
}

const names = ['a.txt', 'b.txt', 'c/d.txt'] as const;

class Life {
  readonly model = new ReferenceModel();
  files: Record<string, string> = {};
  turn = 0;
  tool = 0;
  entered: Moment | undefined;
  undo: Walked[] = [];
  redo: Walked[] = [];
  readonly checkpoints: { readonly id: string; readonly at: Moment }[] = [];
  house: Household;
  readonly root: string;
  readonly conversationId: string;
  session = '';
  readonly strategy: string;

  constructor(house: Household, root: string, conversationId: string, strategy: string) {
    this.strategy = strategy;
    this.house = house;
    this.root = root;
    this.conversationId = conversationId;
    for (const name of names) rmSync(join(root, name), { force: true });
  }

  async open(): Promise<void> {
    const { conversationId } = this;
    const opened = await this.house.open(this.root, {
      conversationId,
      retention: 'keep',
      strategy: this.strategy,
    });
    this.session = opened.session;
  }

  moment(): Moment {
    const { files, turn, tool, entered, model } = this;
    return { thread: structuredClone(model.thread), files: { ...files }, turn, tool, entered };
  }

  /** Goes to a moment, as a restore of that scope does. */
  go({ thread, files, turn, tool, entered }: Moment, scope: Wire.RestoreScope): void {
    if (scope !== 'conversation') this.files = { ...files };
    if (scope === 'files') return;
    this.model.thread = structuredClone(thread);
    Object.assign(this, { turn, tool, entered });
  }

  restored(to: Moment, scope: Wire.RestoreScope): void {
    this.undo.push({ back: this.moment(), scope });
    this.redo = [];
    this.go(to, scope);
  }

  async compare(): Promise<void> {
    const { house, session } = this;
    const { document } = await house.call('conversation/export', { session });
    const { checkpoint_manager: _reference, ...rest } = structuredClone(document ?? {}) as Record<
      string,
      unknown
    >;
    const tangent = rest.tangent_state as { files_checkpoint?: string } | undefined;
    assert.is(tangent?.files_checkpoint === undefined, this.entered === undefined, 'carries files');
    delete tangent?.files_checkpoint;
    assert.equal(rest, JSON.parse(JSON.stringify(this.model.document(this.conversationId))));
    const { manager } = await house.call('session/get', { session });
    assert.equal([manager.currentTurn, manager.toolsInTurn], [this.turn, this.tool], 'counters');
    assert.equal(this.#found(), this.files, 'files');
  }

  #found(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of names) {
      const file = join(this.root, name);
      if (existsSync(file)) found[name] = readFileSync(file, 'utf8');
    }
    return found;
  }
}

async function take(life: Life, step: Step): Promise<void> {
  const { house, session, model } = life;
  switch (step.op) {
    case 'append': {
      const user = step.isAnswer
        ? { content: '', toolResults: [{ toolUseId: 't' }] }
        : { content: step.text };
      const entry = { user, assistant: { content: step.text } };
      const { id } = await house.call('conversation/append', { session, entry });
      return void model.append({ id, ...entry });
    }
    case 'edit': {
      const name = names[step.file % names.length] ?? 'a.txt';
      if (step.content === 0) {
        rmSync(join(life.root, name), { force: true });
        delete life.files[name];
        return;
      }
      mkdirSync(dirname(join(life.root, name)), { recursive: true });
      writeFileSync(join(life.root, name), `${step.content}\n`);
      life.files[name] = `${step.content}\n`;
      return;
    }
    case 'create': {
      const kind = step.isTurn ? 'turn' : 'tool';
      const { checkpoint } = await house.call('checkpoint/create', { session, kind });
      if (step.isTurn) model.consume();
      life.tool = step.isTurn ? 0 : life.tool + 1;
      life.turn += step.isTurn ? 1 : 0;
      const { turn, tool } = life;
      assert.is(checkpoint.tag, tool === 0 ? `${turn}` : `${turn}.${tool}`);
      life.redo = [];
      life.checkpoints.push({ id: checkpoint.id, at: life.moment() });
      return;
    }
    case 'restore': {
      const target = life.checkpoints[step.to % life.checkpoints.length];
      if (target === undefined) return;
      await house.call('checkpoint/restore', { session, tag: target.id, mode: 'hard', scope: step.scope });
      return life.restored(target.at, step.scope);
    }
    case 'undo':
      return walk(life, 'undo');
    case 'redo':
      return walk(life, 'redo');
    case 'enter': {
      const before = life.moment();
      const { entered } = await house.call('conversation/enterTangent', { session, files: step.files });
      const { tangentStartTime } = await house.call('conversation/tangent', { session });
      assert.is(entered, model.enter(Date.parse(tangentStartTime ?? '')));
      if (entered) life.entered = step.files ? before : undefined;
      return;
    }
    case 'exit':
      return exit(life, step.keepTail);
    case 'next':
      await house.call('conversation/setNextMessage', {
        session,
        message: { content: step.text },
        lock: step.lock,
      });
      return model.setNext(step.text, step.lock);
    case 'lines':
      await house.call('conversation/appendTranscript', { session, text: step.text });
      return model.lines(step.text.split('\n'));
    case 'clear':
      await house.call('conversation/clear', { session });
      return model.clear();
    case 'compact': {
      const { text: summary, keep } = step;
      const compacting = house.call('conversation/compact', { session, summary, metadata: { keep }, keep });
      if (keep > model.thread.history.length) {
        return assert.is((await failure(compacting)).kind, 'InvalidRange'); // more than there is cannot be kept
      }
      await compacting;
      return void model.compact(summary, keep);
    }
    case 'range': {
      const asked = house.call('conversation/setValidRange', {
        session,
        range: { start: step.start, end: step.end },
      });
      if (model.setRange(step.start, step.end)) return void (await asked);
      return assert.is((await failure(asked)).kind, 'InvalidRange');
    }
    case 'track': {
      const { before: linesBefore, after: linesAfter } = step;
      const write = { session, path: 'p', operation: 'create', linesBefore, linesAfter } as const;
      const { linesByUser } = await house.call('conversation/recordLines', write);
      return assert.is(linesByUser, model.recordLines('p', linesBefore, linesAfter));
    }
    case 'reopen':
      await house.call('session/close', { session });
      return life.open();
    default:
      return step satisfies never;
  }
}

async function walk(life: Life, direction: 'undo' | 'redo'): Promise<void> {
  const { house, session } = life;
  const [from, to] = direction === 'undo' ? [life.undo, life.redo] : [life.redo, life.undo];
  const asked = house.call(`checkpoint/${direction}`, { session });
  const walked = from.pop();
  if (walked === undefined) return assert.is((await failure(asked)).kind, 'NothingToUndo');
  await asked;
  to.push({ back: life.moment(), scope: walked.scope });
  life.go(walked.back, walked.scope);
}

async function exit(life: Life, keepTail: boolean): Promise<void> {
  const { house, session, model, entered } = life;
  const before = life.moment();
  const { exited, tail, restore } = await house.call('conversation/exitTangent', { session, keepTail });
  assert.equal({ exited, tail }, { tail: undefined, ...model.exit(keepTail) });
  life.entered = undefined;
  const isCarried = entered !== undefined && !keepTail;
  assert.is(restore !== undefined, isCarried);
  if (!isCarried) return;
  life.undo.push({ back: before, scope: 'both' });
  life.redo = [];
  Object.assign(life, { files: { ...entered.files }, turn: entered.turn, tool: entered.tool });
}

/** Checks that many random lives; a failure names the seed and the shortest life. */
export async function checkLives(strategy: string, runs: number, stepsMax: number): Promise<void> {
  console.log(`note: seed ${seed}`);
  const house = new Household();
  const root = repository({ 'kept.txt': 'k' });
  let lives = 0;
  let steps = 0;
  try {
    await checkPropertyAsync(
      fc.array(step, { minLength: 1, maxLength: stepsMax, size: 'max' }),
      async (plan) => {
        lives += 1;
        const life = new Life(house, root, `life ${lives}`, strategy);
        await life.open();
        life.checkpoints.push({ id: '0', at: life.moment() });
        for (const next of plan) {
          await take(life, next);
          await life.compare();
          steps += 1;
        }
        // Whatever happened, every checkpoint is what it was.
        for (const { id, at } of life.checkpoints) {
          await house.call('checkpoint/restore', { session: life.session, tag: id, mode: 'hard' });
          life.restored(at, 'both');
          await life.compare();
        }
        await house.call('session/delete', { session: life.session });
      },
      runs,
    );
  } finally {
    await house.close();
  }
  console.log(`note: ${steps} steps in ${lives} lives, ${strategy}`);
}
