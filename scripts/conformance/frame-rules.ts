// The rules that every frame of a conforming server must follow. The rules are about JSON-RPC's shape, the schema, the
// error table, and well-formed strings. Also: each id gets one response, progress comes in order, and no frame contains
// a secret from the environment.
import { errorCodes } from '../../src/protocol/methods.ts';
import { validateErrorData, validateParams, validateResult } from '../../src/protocol/validators.ts';
import type { Json } from './match.ts';

interface Progress {
  /**
   * The time when the request was sent, from which the rate of progress reports is measured. The times of arrival are
   * no measure, because this process may read several frames at once.
   */
  readonly sinceMs: number;
  reports: number;
  hasEnded: boolean;
}

const codes: Readonly<Record<string, number>> = errorCodes;

export class FrameRules {
  readonly #secret: string;
  /** The methods of the requests that the runner sent. The keys are the requests' ids as JSON. */
  readonly #asked = new Map<string, string>();
  /** The times when the runner sent requests with a progress token. The keys are the tokens as JSON. */
  readonly #askedMs = new Map<string, number>();
  readonly #startMs = performance.now();
  readonly #due = new Map<string, number>();
  readonly #progress = new Map<string, Progress>();
  readonly violations: string[] = [];

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Records a frame that the runner sends. */
  sent(value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { id, method, params } = value as Json;
    if (typeof params === 'object' && params !== null && 'workDoneToken' in params)
      this.#askedMs.set(JSON.stringify(params.workDoneToken), performance.now());
    if (method === undefined || (typeof id !== 'string' && !Number.isSafeInteger(id))) return;
    const key = JSON.stringify(id);
    const due = this.#due.get(key) ?? 0;
    if (due === 0) this.#asked.set(key, typeof method === 'string' ? method : '');
    this.#due.set(key, due + 1);
  }

  received(frame: Json): void {
    const text = JSON.stringify(frame);
    if (text.includes(this.#secret)) this.#blame('the message contains a secret from the environment', text);
    if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)) this.#blame('ill-formed Unicode', text);
    if (frame.jsonrpc !== '2.0') this.#blame('no "jsonrpc": "2.0"', text);
    if (typeof frame.method === 'string') this.#notification(frame.method, frame.params, text);
    else if ('result' in frame === 'error' in frame)
      this.#blame('a response must have either a result or an error', text);
    else this.#response(frame, text);
  }

  /** The ids of requests that have no response yet. At the end of a case, every request must have a response. */
  get unanswered(): string[] {
    return [...this.#due].filter(([, due]) => due > 0).map(([id]) => id);
  }

  #response(frame: Json, text: string): void {
    const key = JSON.stringify(frame.id);
    const due = this.#due.get(key) ?? 0;
    if (frame.id !== null && due <= 0) this.#blame('an answer without a request, or a second answer', text);
    this.#due.set(key, due - 1);
    const method = this.#asked.get(key);
    if (frame.error !== undefined) this.#error(frame.error as Json, text);
    else if (method !== undefined && frame.id !== null) {
      const issues = validateResult(method, structuredClone(frame.result));
      if (issues.length > 0) this.#blame(`does not fit the schema: ${JSON.stringify(issues)}`, text);
    }
    for (const [token, { hasEnded }] of this.#progress)
      if (!hasEnded && frame.id !== null && token === key)
        this.#blame('the answer came before the end of the progress', text);
  }

  #error(error: Json, text: string): void {
    const issues = validateErrorData(structuredClone(error.data));
    if (issues.length > 0)
      this.#blame(`the data of the error does not fit the schema: ${JSON.stringify(issues)}`, text);
    const kind = String((error.data as Json | undefined)?.kind);
    if (!Object.hasOwn(codes, kind)) this.#blame(`the table of errors has no kind ${kind}`, text);
    else if (codes[kind] !== error.code)
      this.#blame(`the error has the wrong code: the code of ${kind} is ${codes[kind]}`, text);
    if (typeof error.message !== 'string' || error.message.length < 10) this.#blame('no message', text);
    if (error.code === -32801) this.#blame('the daemon must not send the code of ContentModified', text);
  }

  #notification(method: string, params: unknown, text: string): void {
    const issues = validateParams(method, structuredClone(params));
    if (issues.length > 0) this.#blame(`does not fit the schema: ${JSON.stringify(issues)}`, text);
    if (method !== '$/progress') return;
    const { token, value } = params as { readonly token: unknown; readonly value: Json };
    const key = JSON.stringify(token);
    const known = this.#progress.get(key);
    if (value.kind === 'begin') {
      if (known !== undefined && !known.hasEnded) this.#blame('a second begin', text);
      this.#progress.set(key, {
        sinceMs: this.#askedMs.get(key) ?? this.#startMs,
        reports: 0,
        hasEnded: false,
      });
    } else if (known === undefined || known.hasEnded) this.#blame('progress outside begin and end', text);
    else if (value.kind === 'end') known.hasEnded = true;
    else {
      known.reports += 1;
      if (known.reports > 1 + (performance.now() - known.sinceMs) / 100)
        this.#blame('too many reports', text);
    }
  }

  #blame(what: string, frame: string): void {
    this.violations.push(`${what}: ${frame.slice(0, 400)}`);
  }
}
