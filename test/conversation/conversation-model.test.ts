import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { textLength } from '../../src/conversation/client-object.ts';
import { Conversation } from '../../src/conversation/conversation.ts';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import type { LogRecord } from '../../src/conversation/log/session-log.ts';
import type { ConversationState } from '../../src/conversation/state/state.ts';
import { checkPropertyAsync, seed } from '../support/property.ts';
import { consumed } from './consumed.ts';
import { type ModelThread, newThread, ReferenceModel } from './reference-model.ts';
import { MemoryLog } from './room.ts';

const text = fc.constantFrom('', 'a', 'b\nc', '\n', 'é😀', '> q');
const entry = fc.record({
  user: fc.oneof(
    fc.record({ content: text }),
    fc.record({ content: text, toolResults: fc.constant([{ toolUseId: 't' }]) }),
  ),
  assistant: fc.oneof(
    fc.record({ content: text }),
    fc.record({ content: text, toolUses: fc.constant([{ id: 't', name: 'grep' }]) }),
  ),
});
const small = fc.nat({ max: 8 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('append' as const), entry }) },
  fc.record({ op: fc.constant('lines' as const), text }),
  fc.record({ op: fc.constant('next' as const), text, lock: fc.boolean() }),
  fc.record({ op: fc.constant('consume' as const) }),
  fc.record({ op: fc.constant('clear' as const) }),
  fc.record({ op: fc.constant('range' as const), start: small, end: small }),
  fc.record({ op: fc.constant('compact' as const), text, keep: small }),
  fc.record({ op: fc.constant('forget' as const), messages: fc.integer({ min: 1, max: 4 }) }),
  { weight: 2, arbitrary: fc.record({ op: fc.constant('enter' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('exit' as const), keepTail: fc.boolean() }) },
  fc.record({
    op: fc.constant('trackLines' as const),
    path: fc.constantFrom('a', 'b'),
    before: small,
    after: small,
  }),
  fc.record({ op: fc.constant('addContext' as const), path: fc.constantFrom('p', 'q/*.md') }),
  fc.record({ op: fc.constant('removeContext' as const), path: fc.constantFrom('p', 'q/*.md') }),
  fc.record({ op: fc.constant('tools' as const), name: text }),
  fc.record({ op: fc.constant('model' as const), window: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ op: fc.constant('mcp' as const), enabled: fc.boolean() }),
  fc.record({
    op: fc.constant('caps' as const),
    entries: fc.integer({ min: 1, max: 6 }),
    lines: fc.integer({ min: 1, max: 12 }),
  }),
  { weight: 3, arbitrary: fc.record({ op: fc.constant('rewind' as const), to: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('publish' as const) }) },
  fc.record({ op: fc.constant('import' as const), of: fc.nat() }),
  fc.record({ op: fc.constant('foreign' as const) }),
  fc.record({ op: fc.constant('refusingLog' as const), entry }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A log that can refuse its next record on request. */
class RefusingLog extends MemoryLog {
  refuses = false;
  override append(record: LogRecord): number {
    if (this.refuses) throw new CheckpointdError('NoSpace', 'full');
    return super.append(record);
  }
}

/** Returns the document as another process would get it. */
function documentOf(state: ConversationState): unknown {
  return JSON.parse(JSON.stringify(toDocument(state)));
}

/** The real conversation, its model, and the checkpoints that a session would have published. */
class Pair {
  readonly log = new RefusingLog();
  readonly conversation = new Conversation('c', this.log);
  readonly model = new ReferenceModel();
  readonly past = new Map<number, ModelThread>([[0, newThread()]]);
  published = { ref: 0, logLength: 0 };

  publish(): void {
    this.published = { ref: this.conversation.head, logLength: this.log.length };
  }

  pastRef(choice: number): number {
    const refs = [...this.past.keys()];
    return refs[choice % refs.length] ?? 0;
  }

  compare(): void {
    const { state, head } = this.conversation;
    assert.equal(documentOf(state), this.model.document('c'));
    const { start, end } = state.validRange;
    const valid = state.history.slice().slice(start, end);
    assert.is(state.validChars, textLength(valid.map(({ user, assistant }) => [user, assistant])));
    assert.ok(start >= 0 && start <= end && end <= state.history.length);
    if (start < end) assert.not((state.history.at(start)?.user.toolResults?.length ?? 0) > 0);
    const ids = state.history.slice().map(({ id }) => id);
    assert.is(new Set(ids).size, ids.length);
    if (!this.past.has(head)) this.past.set(head, structuredClone(this.model.thread));
  }

  /** Checks that no past state has changed. */
  comparePast(conversation: Conversation): void {
    const present = this.model.thread;
    for (const [ref, thread] of this.past) {
      this.model.thread = thread;
      assert.equal(documentOf(conversation.at(ref)), this.model.document('c'));
    }
    this.model.thread = present;
  }

  reopened(): Conversation {
    const again = new Conversation('c', new MemoryLog());
    for (const [index, record] of this.log.records.entries()) {
      again.replay(index + 1, JSON.parse(JSON.stringify(record)) as LogRecord);
    }
    again.restoreHead(this.published.ref, this.published.logLength);
    return again;
  }
}

function refused(attempt: () => unknown, kind: string): void {
  assert.throws(attempt, (error: unknown) => error instanceof CheckpointdError && error.kind === kind);
}

async function take(pair: Pair, step: Step): Promise<void> {
  const { conversation, model, log } = pair;
  switch (step.op) {
    case 'append': {
      const { id, dropped, validHistoryRange } = conversation.append(step.entry);
      const expected = model.append({ id, ...step.entry });
      assert.equal({ dropped, range: [validHistoryRange.start, validHistoryRange.end] }, expected);
      return;
    }
    case 'lines':
      conversation.appendTranscript(step.text);
      return model.lines(step.text.split('\n'));
    case 'next':
      conversation.setNextMessage(step.text, { lock: step.lock });
      return model.setNext(step.text === '' ? 'Empty prompt' : step.text, step.lock);
    case 'consume':
      return assert.is(consumed(conversation), model.consume());
    case 'clear':
      conversation.clear();
      return model.clear();
    case 'range':
      if (model.setRange(step.start, step.end)) conversation.setValidRange(step.start, step.end);
      else refused(() => conversation.setValidRange(step.start, step.end), 'InvalidRange');
      return;
    case 'compact': {
      const request = { summary: step.text, metadata: { keep: step.keep }, keep: step.keep };
      const { start, end } = conversation.compact(request).validHistoryRange;
      return assert.equal([start, end], model.compact(step.text, step.keep));
    }
    case 'forget': {
      const { forgotten } = conversation.forget(step.messages);
      return assert.equal(forgotten, model.forget(step.messages));
    }
    case 'enter': {
      const { entered } = conversation.tangents.enter();
      return assert.is(entered, model.enter(conversation.state.tangent?.tangentStartTime ?? 0));
    }
    case 'exit': {
      const { exited, tail } = conversation.tangents.exit({ keepTail: step.keepTail });
      return assert.equal({ exited, tail }, { tail: undefined, ...model.exit(step.keepTail) });
    }
    case 'trackLines': {
      const { path, before, after } = step;
      const report = conversation.recordLines({ path, operation: 'create', before, after });
      return assert.is(report.linesByUser, model.recordLines(path, before, after));
    }
    case 'addContext':
      conversation.context.add([step.path]);
      if (!model.paths.includes(step.path)) model.paths.push(step.path);
      return;
    case 'removeContext':
      conversation.context.remove([step.path]);
      model.paths = model.paths.filter((path) => path !== step.path);
      return;
    case 'tools':
      model.tools = { Builtin: [{ name: step.name }] };
      conversation.settings.setTools(structuredClone(model.tools));
      return;
    case 'model':
      model.window = step.window;
      conversation.settings.setModel({ modelId: 'm', contextWindowTokens: step.window });
      return;
    case 'mcp':
      model.mcp = step.enabled;
      conversation.settings.setMcpEnabled(step.enabled);
      return;
    case 'caps':
      model.caps = { entries: step.entries, lines: step.lines };
      return conversation.settings.setLimits({ historyEntries: step.entries, transcriptLines: step.lines });
    case 'rewind': {
      const ref = pair.pastRef(step.to);
      conversation.rewind(ref);
      model.thread = structuredClone(pair.past.get(ref) ?? newThread());
      // A session publishes a checkpoint at the end of every restore.
      return pair.publish();
    }
    case 'publish':
      return pair.publish();
    case 'import': {
      const ref = pair.pastRef(step.of);
      await conversation.import(JSON.stringify(toDocument(conversation.at(ref))));
      return model.import(pair.past.get(ref) ?? newThread());
    }
    case 'foreign':
      log.append({ kind: 'ledger' });
      return;
    case 'refusingLog':
      log.refuses = true;
      refused(() => conversation.append(step.entry), 'NoSpace');
      log.refuses = false;
      return;
    default:
      return step satisfies never;
  }
}

test('random histories equal plain arrays at every step and when they are read back (C5, C12, C13, C15, C16, C18, C19, C33, C34, C35)', async () => {
  console.log(`note: seed ${seed}`);
  let steps = 0;
  await checkPropertyAsync(
    fc.array(step, { minLength: 1, maxLength: 80, size: 'max' }),
    async (plan) => {
      const pair = new Pair();
      for (const next of plan) {
        await take(pair, next);
        pair.compare();
        steps += 1;
      }
      pair.comparePast(pair.conversation);
      const again = pair.reopened();
      assert.is(again.head, pair.conversation.head);
      assert.equal(documentOf(again.state), documentOf(pair.conversation.state));
      pair.comparePast(again);
    },
    120,
  );
  console.log(`note: ${steps} steps`);
});

test.run();
