// Runs the shared scenarios of all clients with the TypeScript client. protocol/clients/scenarios.json contains these
// scenarios and describes their notation. Two scenarios run at the same time, because each spends most of its time on
// starting a daemon.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CheckpointdClient,
  CheckpointdRequestError,
  type EventName,
  type ParamsOf,
  type RequestMethod,
} from '../../src/client/client.ts';
import { slowNamesCommand } from '../support/wire-client.ts';

const [command, ...args] = slowNamesCommand;

type Fields = Readonly<Record<string, unknown>>;

interface Step {
  readonly request?: RequestMethod;
  readonly params?: Fields;
  readonly expect?: unknown;
  readonly expectError?: Fields;
  readonly save?: Readonly<Record<string, string>>;
  readonly progress?: boolean;
  readonly cancel?: 'atOnce' | 'onProgress';
  readonly together?: readonly Step[];
  readonly event?: EventName;
  readonly restart?: boolean;
  readonly writeFiles?: string;
  readonly count?: number;
  readonly writeFile?: string;
  readonly removeFile?: string;
  readonly readFile?: string;
  readonly pathBytes?: string;
  readonly text?: string;
  readonly base64?: string;
  readonly absent?: boolean;
}

interface Scenario {
  readonly name: string;
  readonly platform?: string;
  readonly events?: readonly EventName[];
  readonly steps: readonly Step[];
}

const path = fileURLToPath(new URL('../../../protocol/clients/scenarios.json', import.meta.url));
const { scenarios } = JSON.parse(readFileSync(path, 'utf8')) as { scenarios: readonly Scenario[] };

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  '${any}': () => true,
  '${string}': (value) => typeof value === 'string',
  '${integer}': Number.isInteger,
  '${boolean}': (value) => typeof value === 'boolean',
  '${object}': isFields,
  '${array}': Array.isArray,
};

/** Compares `found` with `expected`: objects only in the named fields, arrays completely, and `${type}` by type. */
function match(expected: unknown, found: unknown, place: string): void {
  if (typeof expected === 'string' && expected.startsWith('${')) {
    if (types[expected]?.(found) !== true)
      assert.unreachable(`${place}: ${JSON.stringify(found)} is no ${expected}`);
  } else if (isFields(expected) && isFields(found)) {
    for (const [key, value] of Object.entries(expected)) {
      if (value === '${absent}') assert.not.ok(Object.hasOwn(found, key), `${place}.${key} should be absent`);
      else match(value, found[key], `${place}.${key}`);
    }
  } else if (Array.isArray(expected) && Array.isArray(found)) {
    assert.is(found.length, expected.length, `${place}: ${JSON.stringify(found)}`);
    for (const [index, value] of expected.entries()) match(value, found[index], `${place}.${index}`);
  } else if (!isDeepStrictEqual(expected, found)) {
    assert.unreachable(`${place}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}

class Run {
  readonly #scenario: Scenario;
  readonly #work: string;
  readonly #variables = new Map<string, unknown>();
  readonly #events: { readonly name: string; readonly params: unknown }[] = [];
  #heard: () => void = () => undefined;
  #client: CheckpointdClient | undefined;

  constructor(scenario: Scenario, folder: string) {
    this.#scenario = scenario;
    this.#work = join(folder, 'work');
    mkdirSync(this.#work);
    this.#variables.set('workspace', this.#work).set('storage', join(folder, 'storage'));
  }

  async run(): Promise<void> {
    try {
      await this.#start();
      for (const [number, step] of this.#scenario.steps.entries()) {
        try {
          await this.#step(step);
        } catch (error) {
          const words = error instanceof Error ? error.message : String(error);
          throw new Error(`step ${number} ${JSON.stringify(step).slice(0, 200)}: ${words}`, { cause: error });
        }
      }
    } finally {
      await this.#stop();
    }
  }

  async #start(): Promise<void> {
    const events = this.#scenario.events ?? [];
    const client = await CheckpointdClient.start({ command, args, events });
    for (const name of events)
      client.on(name as 'checkpoint/didCreate', (params) => {
        this.#events.push({ name, params });
        this.#heard();
      });
    this.#client = client;
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) assert.is(await client.close(), 0, 'the exit code of the daemon');
  }

  async #step(step: Step): Promise<void> {
    if (step.request !== undefined) await this.#request(step.request, step);
    else if (step.together !== undefined)
      await Promise.all(step.together.map((each) => this.#request(each.request ?? 'shutdown', each)));
    else if (step.event !== undefined)
      match(this.#filled(step.expect ?? {}), await this.#event(step.event), step.event);
    else if (step.restart === true) {
      await this.#stop();
      await this.#start();
    } else this.#files(step);
  }

  async #event(name: string): Promise<unknown> {
    for (const until = Date.now() + 20_000; ; ) {
      const at = this.#events.findIndex((each) => each.name === name);
      if (at >= 0) return this.#events.splice(at, 1)[0]?.params;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no ${name} came`)), until - Date.now());
        this.#heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async #request(method: RequestMethod, step: Step): Promise<void> {
    if (this.#client === undefined) throw new Error('no daemon');
    const cancel = new AbortController();
    const reports: string[] = [];
    const onProgress = (value: { readonly kind: string }): void => {
      reports.push(value.kind);
      if (step.cancel === 'onProgress') cancel.abort();
    };
    const params = this.#filled(step.params ?? {}) as ParamsOf<typeof method>;
    const answer = this.#client.request(method, params, { signal: cancel.signal, onProgress });
    if (step.cancel === 'atOnce') cancel.abort();
    let result: unknown;
    try {
      result = await answer;
    } catch (error) {
      if (!(error instanceof CheckpointdRequestError) || step.expectError === undefined) throw error;
      match(this.#filled(step.expectError), { ...error.data, code: error.code }, 'error');
      return;
    } finally {
      if (step.progress === true) assert.equal([reports[0], reports.at(-1)], ['begin', 'end'], 'progress');
    }
    if (step.expectError !== undefined) assert.unreachable(`no error, but ${JSON.stringify(result)}`);
    match(this.#filled(step.expect ?? '${any}'), result, 'result');
    for (const [name, place] of Object.entries(step.save ?? {})) {
      const value = place
        .split('.')
        .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], result);
      assert.ok(value !== undefined, `nothing at ${place}`);
      this.#variables.set(name, value);
    }
  }

  #files(step: Step): void {
    if (step.writeFiles !== undefined) {
      mkdirSync(dirname(join(this.#work, `${step.writeFiles}0.txt`)), { recursive: true });
      for (let number = 0; number < (step.count ?? 0); number += 1)
        writeFileSync(join(this.#work, `${step.writeFiles}${number}.txt`), `${number}\n`);
      return;
    }
    const name = step.writeFile ?? step.removeFile ?? step.readFile;
    if (name === undefined) throw new Error('an unknown step');
    const bytes = step.pathBytes === undefined ? Buffer.from(name) : Buffer.from(step.pathBytes, 'base64');
    const file = Buffer.concat([Buffer.from(`${this.#work}/`), bytes]);
    const content =
      step.base64 === undefined ? Buffer.from(step.text ?? '') : Buffer.from(step.base64, 'base64');
    if (step.writeFile !== undefined) {
      mkdirSync(file.subarray(0, file.lastIndexOf('/')), { recursive: true });
      writeFileSync(file, content);
    } else if (step.removeFile !== undefined) rmSync(file);
    else if (step.absent === true) assert.not.ok(existsSync(file), 'there is such a file');
    else assert.equal(readFileSync(file), content);
  }

  /** Returns `value` after replacing every `${variable}`. `${type}` stays for {@link match}. */
  #filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#filled(each));
    if (isFields(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#filled(each)]));
    if (typeof value !== 'string') return value;
    const whole = /^\$\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return this.#variables.get(whole) ?? value;
    return value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => String(this.#variables.get(name)));
  }
}

async function runOne(scenario: Scenario): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-scenario-')));
  try {
    await new Run(scenario, folder).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const waiting = scenarios.filter(({ platform }) => platform === undefined || platform === process.platform);
const outcomes = new Map<string, unknown>();
async function worker(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name } = next;
    outcomes.set(
      name,
      await runOne(next).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  }
}
const all = Promise.all([worker(), worker()]);

for (const { name, platform } of scenarios) {
  if (platform !== undefined && platform !== process.platform) {
    console.log(`skipped: the scenario "${name}" is for ${platform}`);
    continue;
  }
  test(`the TypeScript client: ${name}`, async () => {
    await all;
    const error = outcomes.get(name);
    if (error !== undefined) throw error;
  });
}

test.run();
