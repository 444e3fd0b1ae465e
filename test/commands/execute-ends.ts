// Runs session/open and session/delete again and again. In each run, another system call fails. The answer must be
// true, even if the answer is an error. Afterwards the session must exist completely or not at all.
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { installFault } from '../../src/base/seam.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import type { SessionRig } from '../support/session-rig.ts';

export const ends = [
  'session/open',
  'resumed session/open',
  'session/delete',
  'session/delete of a kept one',
] as const;
type End = (typeof ends)[number];

interface Tried {
  readonly calls: readonly string[];
  readonly error?: unknown;
}

/** Tries one of the two requests with one strategy. No other code may use the rig. */
export class EndSweep {
  readonly #rig: SessionRig;
  readonly #end: End;
  readonly #strategy: string;
  #session = '';
  #round = 0;

  constructor(rig: SessionRig, end: End, strategy: string) {
    this.#rig = rig;
    this.#end = end;
    this.#strategy = strategy;
  }

  /**
   * Makes every `step`-th call fail, from call `first` on. Returns how many calls failed, and how many of the failures
   * were reported as errors.
   */
  async run(step: number, first: number): Promise<{ readonly failed: number; readonly refused: number }> {
    const undisturbed = await this.#once(0);
    await this.#judge(undisturbed, `${this.#end}, undisturbed`);
    const { calls } = undisturbed;
    let failed = 0;
    let refused = 0;
    for (let n = first; n <= calls.length; n += step) {
      failed += 1;
      const tried = await this.#once(n);
      const where = `${this.#end}, call ${n} of ${calls.length}: ${tried.calls[n - 1] ?? 'none'}`;
      if (tried.error !== undefined) refused += 1;
      await this.#judge(tried, where);
    }
    return { failed, refused };
  }

  async #judge({ error }: Tried, where: string): Promise<void> {
    const isOpening = this.#end.endsWith('session/open');
    const method = isOpening ? 'session/open' : 'session/delete';
    const effects = error instanceof CheckpointdError ? error.effects : 'none';
    if (error !== undefined) {
      const told = toWireError(error, { method, mutates: true, log: silentLog });
      assert.is.not(told.data.kind, 'InternalError', `${where}: ${String((error as Error).stack)}`);
    }
    const isDone = error === undefined || effects === 'committed';
    const { resumed } = await this.#open();
    const { checkpoints } = await this.#rig.request('checkpoint/list', { session: this.#session });
    const { historyLength } = await this.#rig.request('conversation/get', { session: this.#session });
    const found = { resumed, tags: checkpoints.map(({ tag }) => tag), historyLength };
    const whole = { resumed: true, tags: ['0', '1'], historyLength: 1 };
    const fresh = (isResumed: boolean): object => ({ resumed: isResumed, tags: ['0'], historyLength: 0 });
    const expected =
      this.#end === 'session/open' ? fresh(isDone) : isOpening || !isDone ? whole : fresh(false);
    const text = `${where}: ${String(error)} (${effects})`;
    if (effects === 'unknown') assert.ok(resumed ? checkpoints.length > 1 : historyLength === 0, text);
    else assert.equal(found, expected, text);
    const { problems } = await this.#rig.request('store/verify', { session: this.#session });
    assert.equal(problems, [], where);
    await this.#rig.request('session/delete', { session: this.#session });
  }

  /** Makes the request in the initial state. The n-th call fails. */
  async #once(n: number): Promise<Tried> {
    await this.#begin();
    const calls: string[] = [];
    const idempotencyKey = `k${this.#round}`;
    installFault((call, target) => {
      // `exists` never fails. A failing `close` would leave its file open, because the fault acts before the real call.
      if (call === 'exists' || call === 'close') return;
      calls.push(`${call} ${target}`);
      if (calls.length === n) throw Object.assign(new Error(`EIO: ${call}`), { code: 'EIO', syscall: call });
    });
    try {
      if (this.#end.endsWith('session/open')) await this.#open(idempotencyKey);
      else await this.#rig.request('session/delete', { session: this.#session, idempotencyKey });
      return { calls };
    } catch (error) {
      return { calls, error };
    } finally {
      installFault(undefined);
    }
  }

  /** Uses a new conversation for each call, so that the daemon finds nothing from an earlier conversation. */
  async #begin(): Promise<void> {
    this.#round += 1;
    if (this.#end === 'session/open') return;
    await this.#open();
    const session = this.#session;
    await this.#rig.request('checkpoint/create', { session, kind: 'turn' });
    const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };
    await this.#rig.request('conversation/append', { session, entry });
    if (this.#end !== 'session/delete') await this.#rig.request('session/close', { session });
  }

  async #open(idempotencyKey?: string): Promise<{ readonly resumed: boolean }> {
    const opened = await this.#rig.request('session/open', {
      workspace: this.#rig.work,
      strategy: this.#strategy,
      conversationId: `c${this.#round}`,
      retention: 'keep',
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    this.#session = opened.session;
    return opened;
  }
}
