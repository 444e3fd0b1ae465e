// Every change of a session with one file or process call after the other failing in it, and then asked for again under
// its key: an answer stays what it was and nothing is done twice; an error that says that nothing changed is true.
// Shared by the normal test, which takes a sample, and the long one, which takes every method on every strategy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import type { CommandMethod } from '../../src/commands/command.ts';
import type { ParamsOf, SessionOpenParams } from '../../src/protocol/types.ts';
import type { SessionRig } from '../support/in-process.ts';

type Ask = <M extends CommandMethod>(method: M, params?: Omit<ParamsOf<M>, 'session'>) => Promise<unknown>;

/** One change, and how a session comes to the state from which it is made. */
export interface Change {
  readonly method: CommandMethod;
  readonly params?: object;
  readonly prepare?: (ask: Ask, rig: SessionRig) => Promise<unknown>;
  readonly open?: Partial<SessionOpenParams>;
}

const turn = { kind: 'turn' } as const;
const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };

async function restored(ask: Ask, rig: SessionRig): Promise<void> {
  rig.write('a.txt', 'two\n');
  await ask('checkpoint/create', turn);
  await ask('checkpoint/restore', { tag: 'first', mode: 'hard' });
}

/** The changes, by a name that is unique. */
export const changes: Readonly<Record<string, Change>> = {
  create: {
    method: 'checkpoint/create',
    params: turn,
    prepare: async (_ask, rig) => rig.write('a.txt', 'two\n'),
  },
  restore: {
    method: 'checkpoint/restore',
    params: { tag: 'first', mode: 'hard' },
    prepare: async (_ask, rig) => rig.write('a.txt', 'two\n'),
  },
  undo: { method: 'checkpoint/undo', prepare: restored },
  redo: {
    method: 'checkpoint/redo',
    prepare: async (ask, rig) => {
      await restored(ask, rig);
      await ask('checkpoint/undo');
    },
  },
  delete: {
    method: 'checkpoint/delete',
    params: { tag: 'going' },
    prepare: (ask) => ask('checkpoint/create', { ...turn, name: 'going' }),
  },
  rename: {
    method: 'checkpoint/rename',
    params: { tag: 'old', name: 'new' },
    prepare: async (ask) => {
      await ask('checkpoint/rename', { tag: 'new' }).catch(() => undefined);
      await ask('checkpoint/create', { ...turn, name: 'old' });
    },
  },
  clean: {
    method: 'checkpoint/clean',
    prepare: async (ask) => {
      await ask('checkpoint/init');
      await ask('checkpoint/create', turn);
    },
  },
  init: { method: 'checkpoint/init', prepare: (ask) => ask('checkpoint/clean').catch(() => undefined) },
  gc: {
    method: 'store/gc',
    open: { limits: { maxCheckpoints: 2 } },
    prepare: async (ask, rig) => {
      for (const text of ['two\n', 'three\n', 'two\n', 'three\n']) {
        rig.write('a.txt', text);
        await ask('checkpoint/create', turn);
      }
    },
  },
  append: { method: 'conversation/append', params: { entry } },
  appendTranscript: { method: 'conversation/appendTranscript', params: { text: 'a note' } },
  setNextMessage: { method: 'conversation/setNextMessage', params: { message: { content: 'next' } } },
  clear: { method: 'conversation/clear', prepare: (ask) => ask('conversation/append', { entry }) },
  setValidRange: {
    method: 'conversation/setValidRange',
    params: { range: { start: 0, end: 1 } },
    prepare: async (ask) => {
      for (let n = 0; n < 2; n += 1) await ask('conversation/append', { entry });
    },
  },
  compact: {
    method: 'conversation/compact',
    params: { summary: 'short' },
    prepare: (ask) => ask('conversation/append', { entry }),
  },
  recordLines: {
    method: 'conversation/recordLines',
    params: { path: 'a.txt', operation: 'create', linesBefore: 0, linesAfter: 1 },
  },
  addContext: { method: 'conversation/addContext', params: { paths: ['*.txt'] } },
  removeContext: {
    method: 'conversation/removeContext',
    params: { paths: ['a.txt'] },
    prepare: (ask) => ask('conversation/addContext', { paths: ['a.txt', 'b.txt'] }),
  },
  setTools: { method: 'conversation/setTools', params: { tools: {} } },
  setAgents: { method: 'conversation/setAgents', params: { agents: {} } },
  setModel: {
    method: 'conversation/setModel',
    params: { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } },
  },
  setMcpEnabled: { method: 'conversation/setMcpEnabled', params: { mcpEnabled: false } },
  enterTangent: { method: 'conversation/enterTangent' },
  enterTangentWithFiles: { method: 'conversation/enterTangent', params: { files: true } },
  exitTangent: {
    method: 'conversation/exitTangent',
    prepare: async (ask) => {
      await ask('conversation/enterTangent');
      await ask('conversation/append', { entry });
    },
  },
  exitTangentWithFiles: {
    method: 'conversation/exitTangent',
    prepare: async (ask, rig) => {
      await ask('conversation/enterTangent', { files: true });
      await ask('conversation/append', { entry });
      rig.write('a.txt', 'two\n');
    },
  },
  import: {
    method: 'conversation/import',
    params: {
      document: { conversation_id: 'x', next_message: null, history: [], transcript: ['> imported'] },
    },
  },
  recordWrite: {
    method: 'ledger/recordWrite',
    params: { path: 'a.txt' },
    prepare: async (_ask, rig) => rig.write('a.txt', `${Math.random()}\n`),
  },
  export: { method: 'conversation/export', params: { path: 'exported.json', overwrite: true } },
};

const removesMany: ReadonlySet<string> = new Set(['checkpoint/clean', 'store/gc']);

/** Tries one change of one strategy; the rig is the sweep's alone. */
export class FaultSweep {
  readonly #rig: SessionRig;
  readonly #change: Change;
  readonly #strategy: string;
  #session = '';
  #round = 0;
  #made = 0;

  constructor(rig: SessionRig, change: Change, strategy: string) {
    this.#rig = rig;
    this.#change = change;
    this.#strategy = strategy;
  }

  /**
   * Fails the last call of the change, then the one before it, and so on, until the change itself fails: from there on
   * it is before its commit point. Returns how many calls were failed and how many of them were told as a warning.
   */
  async run(callsMax = 10_000): Promise<{ readonly failed: number; readonly warned: number }> {
    const rig = this.#rig;
    rig.write('a.txt', 'one\n');
    const opened = await rig.request('session/open', {
      workspace: rig.work,
      strategy: this.#strategy,
      conversationId: 'c',
      ...this.#change.open,
      retention: 'keep',
    });
    this.#session = opened.session;
    await this.#ask('checkpoint/create', { ...turn, name: 'first' });
    const undisturbed = await this.#once(0);
    let warned = 0;
    let failed = 0;
    for (let n = undisturbed.calls.length; n >= 1 && failed < callsMax; n -= 1) {
      failed += 1;
      const tried = await this.#once(n);
      const where = `call ${n} of ${undisturbed.calls.length}: ${tried.calls[n - 1] ?? 'none'}`;
      if (tried.error === undefined) assert.equal(tried.after, undisturbed.after, where);
      else if (tried.effects === 'none')
        assert.equal(tried.after, tried.before, `${where}: ${tried.error?.message}`);
      if (tried.error !== undefined && !isDeepStrictEqual(tried.before, undisturbed.after))
        assert.not.equal(tried.after, undisturbed.after, `${where}: done, but told as an error`);
      if (tried.answer?.warnings !== undefined) warned += 1;
      await this.#repeat(tried, undisturbed.after, where);
      if (tried.error !== undefined && tried.effects === 'none') break;
    }
    return { failed, warned };
  }

  async #repeat(tried: Tried, wanted: unknown, where: string): Promise<void> {
    const again = await this.#send(tried.key);
    assert.equal(this.#shape(), wanted, `${where}: asked again after ${tried.error?.message ?? 'an answer'}`);
    if (tried.answer === undefined || this.#change.method === 'conversation/export') return;
    assert.equal(again, { ...tried.answer, replayed: true }, `${where}: the same answer`);
  }

  /** Makes the change from its beginning, with its n-th call failing. */
  async #once(n: number): Promise<Tried> {
    await this.#begin();
    const before = this.#shape();
    const key = `k${(this.#round += 1)}`;
    const calls: string[] = [];
    installFault((call, target) => {
      if (call === 'exists') return; // it answers and never fails
      calls.push(`${call} ${target}`);
      if (calls.length === n) throw Object.assign(new Error(`EIO: ${call}`), { code: 'EIO', syscall: call });
    });
    try {
      const answer = await this.#send(key);
      return { key, calls, before, answer, after: this.#shape() };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const effects = error instanceof CheckpointdError ? error.effects : 'unknown';
      return { key, calls, before, error, effects, after: this.#shape() };
    } finally {
      installFault(undefined);
    }
  }

  async #begin(): Promise<void> {
    await this.#ask('conversation/exitTangent').catch(() => undefined);
    await this.#ask('conversation/clear');
    await this.#ask('conversation/setMcpEnabled', { mcpEnabled: true });
    await this.#ask('conversation/removeContext', { paths: ['*.txt', 'a.txt', 'b.txt'] });
    await this.#change.prepare?.(this.#ask, this.#rig);
    this.#made = this.#checkpoints().length;
  }

  readonly #ask: Ask = (method, params) => this.#rig.request(method, { session: this.#session, ...params });

  #send(key: string): Promise<Record<string, unknown>> {
    const { method, params } = this.#change;
    const sent = {
      session: this.#session,
      ...params,
      ...(method === 'conversation/export' ? {} : { idempotencyKey: key }),
    };
    return this.#rig.request(method, sent) as Promise<unknown> as Promise<Record<string, unknown>>;
  }

  #checkpoints(): readonly { readonly name?: string }[] {
    const index = this.#rig.sessions.get(this.#session).enabled?.index;
    // The checkpoint that saves the present tells of an attempt that failed, too.
    return index?.list('every').filter(({ record }) => record.kind !== 'safety') ?? [];
  }

  /** What of the session a client can see, as far as these changes change it. */
  #shape(): unknown {
    const session = this.#rig.sessions.get(this.#session);
    const { state, context } = session.parts.conversation;
    const { work } = this.#rig;
    const written = readdirSync(work).filter((name) => name !== '.git' && name !== 'exported.json');
    return {
      enabled: session.enabled !== undefined,
      made: this.#checkpoints().length - (removesMany.has(this.#change.method) ? 0 : this.#made),
      names: this.#checkpoints()
        .flatMap(({ name }) => name ?? [])
        .sort(),
      files: this.#change.method.startsWith('checkpoint/')
        ? written.map((name) => [name, readFileSync(join(work, name), 'utf8')])
        : [],
      history: state.history.length,
      transcript: state.transcript.length,
      range: state.validRange,
      summary: state.latestSummary?.text,
      pending: state.pendingUserMessage,
      mcp: state.mcpEnabled,
      model: state.model,
      lines: state.fileLineTracker.size,
      tangent: state.tangent === undefined,
      context: context.paths,
    };
  }
}

interface Tried {
  readonly key: string;
  /** Every call that passed the seam, as `call target`. */
  readonly calls: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
  readonly answer?: Record<string, unknown>;
  readonly error?: Error;
  readonly effects?: string;
}
