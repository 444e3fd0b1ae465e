// Executes examples of protocol.json with a real daemon: makes the surroundings, performs the steps, sends the request,
// and compares the answer. example-faults.ts makes the faults. An example with an unknown fault fails.
import { type Json, mismatch } from '../../scripts/conformance/match.ts';
import type { Example, Method } from '../../scripts/generate/dialect.ts';
import { type Frame, WireFailure } from '../support/frames.ts';
import { protocol } from './document.ts';
import { type WorldFault, worldFaults } from './example-faults.ts';
import { ExampleHost, World } from './example-world.ts';

export interface NamedExample {
  readonly method: Method;
  readonly example: Example;
  /** `method: example`. */
  readonly title: string;
}

/** Returns all examples of the document. */
export function allExamples(): NamedExample[] {
  return protocol.methods.flatMap((method) =>
    method.examples.map((example) => ({ method, example, title: `${method.name}: ${example.name}` })),
  );
}

/** Returns the faults that an example sets in the daemon's seam, at the beginning and in later steps. */
function faultsOf(example: Example): string[] {
  const steps = (example.before ?? []).flatMap(({ fault }) => (typeof fault === 'string' ? [fault] : []));
  return example.fault === undefined ? steps : [example.fault, ...steps];
}

export const hasFault = ({ example }: NamedExample): boolean => faultsOf(example).length > 0;

function madeFault(name: string | undefined): WorldFault {
  if (name === undefined) return {};
  const fault = worldFaults[name];
  if (fault === undefined) throw new Error(`no code makes the fault ${name}`);
  return fault;
}

/** True when the example affects the whole daemon, so that it would disturb other examples. */
export function needsOwnDaemon({ method, example }: NamedExample): boolean {
  if (madeFault(example.fault).early !== undefined) return true;
  if (example.world === 'raw' || /^(initialize|shutdown|exit|\$\/|window\/)/.test(method.name)) return true;
  return /^session\/(list|delete)$/.test(method.name) || JSON.stringify(example).includes('${storage}');
}

/** Executes one example on a daemon. Returns how the answer differs from the document, or undefined. */
export async function runExample(
  { method, example }: NamedExample,
  host: ExampleHost,
): Promise<string | undefined> {
  const world = new World(host);
  const { early, make } = madeFault(example.fault);
  try {
    await early?.(world);
    await world.enter(example.world);
    for (const step of example.before ?? []) await world.step(step);
    await make?.(world);
    return await outcomeOf(method, example, world);
  } finally {
    await world.leave();
  }
}

async function outcomeOf(method: Method, example: Example, world: World): Promise<string | undefined> {
  const params = world.names.put(example.params ?? {});
  if (method.direction === 'serverToClient') {
    const fits = (frame: Frame): boolean =>
      frame.method === method.name && mismatch(params, frame.params) === undefined;
    if (await world.event(fits)) return undefined;
    return `the event has not come; came ${JSON.stringify(world.notifications).slice(0, 600)}`;
  }
  if (method.kind === 'notification') {
    world.notify(method.name, params);
    return undefined;
  }
  const { behind = () => [] } = madeFault(example.fault);
  const reply = await world.requestWith(method.name, params, behind).catch((error: unknown) => {
    if (error instanceof WireFailure) return error;
    throw error;
  });
  return judge(example, reply, world);
}

/** Returns the place at which an answer differs from the example. */
export function judge(example: Example, reply: unknown, world: World): string | undefined {
  if (example.error === undefined) {
    if (reply instanceof WireFailure) return `refused: ${reply.message} ${JSON.stringify(reply.data)}`;
    return mismatch(world.names.put(example.result), reply);
  }
  if (!(reply instanceof WireFailure))
    return `expected ${example.error.kind}, got ${JSON.stringify(reply)?.slice(0, 300)}`;
  const told: Json = { code: reply.code, ...reply.data };
  return mismatch(world.names.put(example.error), told);
}

/** Executes several examples at the same time, each on its own daemon or on a shared daemon. Returns the failures. */
export async function runExamples(examples: readonly NamedExample[], lanes = 2): Promise<string[]> {
  const waiting = [...examples];
  const failures: string[] = [];
  const lane = async (): Promise<void> => {
    let shared = new ExampleHost();
    let faulty: ExampleHost | undefined;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const isFaulty = hasFault(next);
      const isOwn = needsOwnDaemon(next);
      if (isFaulty && !isOwn) faulty ??= new ExampleHost({});
      const { env } = madeFault(next.example.fault);
      const host = isOwn ? new ExampleHost(isFaulty ? { env } : undefined) : isFaulty ? faulty : shared;
      if (host === undefined) throw new Error('no daemon');
      const failure = await runExample(next, host).catch((error: unknown) => `broke: ${String(error)}`);
      if (failure !== undefined) failures.push(`${next.title}\n    ${failure}`);
      if (isOwn) failures.push(...(await host.end()).map((violation) => `${next.title}\n    ${violation}`));
      else if (host.client.process.exitCode !== null) {
        if (isFaulty) faulty = undefined;
        else shared = new ExampleHost();
      }
    }
    failures.push(...(await shared.end()), ...((await faulty?.end()) ?? []));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failures;
}
