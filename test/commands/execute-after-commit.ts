// Makes every change of a session again and again. Each time a different call fails. After the failure, repeats the
// request with the same idempotency key. The repetition must give the same answer, and must not make the change a
// second time. An error may say that nothing changed only if nothing has changed. The normal test runs a sample. The
// long test runs every method on every strategy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { installFault } from '../../src/base/seam.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import type { SessionRig } from '../support/session-rig.ts';
import type { Ask, Change } from './execute-changes.ts';

const codes = ['EIO', 'EACCES', 'EPERM', 'ENFILE', 'EMFILE', 'ENOMEM', 'ENOSPC', 'EROFS'];

/** Waits at most ten seconds for the work. @throws if the work takes longer */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within ten seconds')), 10_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const removesMany: ReadonlySet<string> = new Set(['checkpoint/clean', 'store/gc']);

/** Tries one change on one strategy. No other code may use the rig. */
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
   * Makes one call of the change fail in each run, from the last call to the first. Leaves out the last `leftOut`
   * calls, and then takes every `step`-th call. Ends when the change itself fails, because this call was before the
   * commit point, or when `callsMax` calls have failed. Returns how many calls failed, and how many failures were
   * reported as a warning.
   */
  async run({ callsMax = 10_000, step = 1, leftOut = 0 } = {}): Promise<{
    readonly failed: number;
    readonly warned: number;
  }> {
    await this.#open();
    const undisturbed = await this.#once(0);
    let warned = 0;
    let failed = 0;
    for (let n = undisturbed.calls.length - leftOut; n >= 1 && failed < callsMax; n -= step) {
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

  /**
   * Repeats the change. In each run, one call fails with a real system error, until `count` calls have failed. The
   * daemon must report the error in time, with true effects, and not as InternalError. The session must continue.
   * Returns how many calls failed.
   */
  async errors(count: number, choose: (below: number) => number): Promise<number> {
    await this.#open();
    const calls = (await this.#once(0)).calls.length;
    const tried = new Set<string>();
    for (let n = 0; n < 4 * count && tried.size < Math.min(count, calls * codes.length); n += 1) {
      const at = 1 + choose(calls);
      const code = codes[choose(codes.length)] ?? 'EIO';
      if (tried.has(`${at} ${code}`)) continue;
      tried.add(`${at} ${code}`);
      const {
        error,
        effects,
        before,
        after,
        calls: made,
      } = await within(this.#once(at, code)).catch((unusable: unknown) => {
        throw new Error(`not usable, or no answer (${[...tried].slice(-2).join(', ')}): ${String(unusable)}`);
      });
      const where = `${code} at call ${at} of ${calls}: ${made[at - 1] ?? 'none'}`;
      if (error === undefined) continue;
      const told = toWireError(error, { method: this.#change.method, mutates: true, log: silentLog });
      assert.is.not(told.data.kind, 'InternalError', `${where}: ${error.stack ?? error.message}`);
      if (effects === 'none') assert.equal(after, before, `${where}: ${error.message}`);
    }
    await this.#begin().catch((unusable: unknown) => {
      throw new Error(`not usable after ${[...tried].at(-1)}: ${String(unusable)}`);
    });
    return tried.size;
  }

  async #open(): Promise<void> {
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
    await this.#ask('checkpoint/create', { kind: 'turn', name: 'first' });
  }

  async #repeat(tried: Tried, wanted: unknown, where: string): Promise<void> {
    const again = await this.#send(tried.key);
    assert.equal(this.#shape(), wanted, `${where}: asked again after ${tried.error?.message ?? 'an answer'}`);
    if (tried.answer === undefined || this.#change.method === 'conversation/export') return;
    assert.equal(again, { ...tried.answer, replayed: true }, `${where}: the same answer`);
  }

  /** Makes the change in a new session. The n-th call of the change fails. */
  async #once(n: number, code = 'EIO'): Promise<Tried> {
    await this.#begin();
    const before = this.#shape();
    const key = `k${(this.#round += 1)}`;
    const calls: string[] = [];
    installFault((call, target) => {
      if (call === 'exists') return; // this call never throws
      calls.push(`${call} ${target}`);
      if (calls.length === n) throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });
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

  #checkpoints(): readonly { readonly name?: string | undefined }[] {
    const index = this.#rig.sessions.get(this.#session).enabled?.index;
    // Leaves out safety checkpoints, because a failed attempt also makes a safety checkpoint.
    return index?.list('every').filter(({ record }) => record.kind !== 'safety') ?? [];
  }

  /** Returns the visible part of the session, as far as the tested changes can affect it. */
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
  /** Every call through the seam, as `call target`. */
  readonly calls: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
  readonly answer?: Record<string, unknown>;
  readonly error?: Error;
  readonly effects?: string;
}
