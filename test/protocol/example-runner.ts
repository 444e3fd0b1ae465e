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

/**
 * Returns the cheapest examples that together have the result of each method, each kind of error and each fault that the
 * given examples have.
 */
export function oneOfEachKind(examples: readonly NamedExample[]): NamedExample[] {
  const cost = (each: NamedExample): number =>
    (needsOwnDaemon(each) || hasFault(each) ? 10 : 0) + (each.example.before ?? []).length;
  const shown = new Set<string>();
  return examples
    .toSorted((a, b) => cost(a) - cost(b))
    .filter(({ method, example }) => {
      const faults = faultsOf(example).map((fault) => `fault ${fault}`);
      const end = example.error === undefined ? `result of ${method.name}` : `error ${example.error.kind}`;
      const shows = [end, ...faults];
      const isNew = shows.some((name) => !shown.has(name));
      for (const name of shows) shown.add(name);
      return isNew;
    });
}

export const hasFault = ({ example }: Pick<NamedExample, 'example'>): boolean => faultsOf(example).length > 0;

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

/**
 * Executes examples that begin with the same surroundings. A request that only reads or that the daemon refuses without
 * effects changes nothing, so the next example gets the same surroundings. Otherwise the next example gets new
 * surroundings. Returns the failures.
 */
async function runAlike(examples: readonly NamedExample[], host: ExampleHost): Promise<string[]> {
  const failures: string[] = [];
  let world: World | undefined;
  const leave = async (): Promise<void> => {
    const left = world;
    world = undefined;
    await left?.leave();
  };
  for (const each of examples) {
    try {
      world ??= await entered(each, host);
      const { failure, isUnchanged } = await outcomeOf(each.method, each.example, world);
      if (failure !== undefined) failures.push(`${each.title}\n    ${failure}`);
      if (!isUnchanged || failure !== undefined) await leave();
    } catch (error) {
      failures.push(`${each.title}\n    broke: ${String(error)}`);
      await leave().catch((reason: unknown) => failures.push(`${each.title}\n    left: ${String(reason)}`));
    }
  }
  await leave();
  return failures;
}

/** Makes the surroundings of an example, up to its request. */
async function entered({ example }: NamedExample, host: ExampleHost): Promise<World> {
  const world = new World(host);
  const { early, make } = madeFault(example.fault);
  try {
    await early?.(world);
    await world.enter(example.world);
    for (const step of example.before ?? []) await world.step(step);
    await make?.(world);
    return world;
  } catch (error) {
    await world.leave();
    throw error;
  }
}

interface ExampleOutcome {
  /** How the answer differs from the document. */
  readonly failure: string | undefined;
  /** True when the example has not changed its surroundings. */
  readonly isUnchanged: boolean;
}

async function outcomeOf(method: Method, example: Example, world: World): Promise<ExampleOutcome> {
  const params = world.names.put(example.params ?? {});
  if (method.direction === 'serverToClient') {
    const fits = (frame: Frame): boolean =>
      frame.method === method.name && mismatch(params, frame.params) === undefined;
    const has = await world.event(fits);
    const came = JSON.stringify(world.notifications).slice(0, 600);
    return { failure: has ? undefined : `the event has not come; came ${came}`, isUnchanged: false };
  }
  if (method.kind === 'notification') {
    world.notify(method.name, params);
    return { failure: undefined, isUnchanged: false };
  }
  const { behind = () => [] } = madeFault(example.fault);
  const reply = await world.requestWith(method.name, params, behind).catch((error: unknown) => {
    if (error instanceof WireFailure) return error;
    throw error;
  });
  const isUnchanged =
    !hasFault({ example }) &&
    (reply instanceof WireFailure ? reply.data?.effects === 'none' : method.idempotency === 'safe');
  return { failure: judge(example, reply, world), isUnchanged };
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

/**
 * Groups the examples that begin with the same surroundings on the same kind of daemon. In each group, the examples that
 * will probably change nothing come first.
 */
function alike(examples: readonly NamedExample[]): NamedExample[][] {
  const groups = new Map<string, NamedExample[]>();
  for (const each of examples) {
    const { world, before, fault } = each.example;
    const isAlone = needsOwnDaemon(each) || hasFault(each);
    const group = JSON.stringify(isAlone ? each.title : [world, before ?? [], fault]);
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  const mayChange = ({ method, example }: NamedExample): boolean =>
    example.error === undefined && method.idempotency !== 'safe';
  return [...groups.values()].map((group) =>
    group.toSorted((a, b) => Number(mayChange(a)) - Number(mayChange(b))),
  );
}

/**
 * Executes examples with and without faults at the same time, because examples with a fault spend most of their time
 * waiting for a lock, for git or for a slow file. Returns the failures.
 */
export async function runExamples(examples: readonly NamedExample[], lanes: number): Promise<string[]> {
  const [faulty, sound] = [true, false].map((has) => examples.filter((each) => hasFault(each) === has));
  return (await Promise.all([runInLanes(sound ?? [], lanes), runInLanes(faulty ?? [], lanes)])).flat();
}

async function sharedHost(faults?: object): Promise<ExampleHost> {
  const host = new ExampleHost(faults);
  await host.keepThreads();
  return host;
}

/** Executes several examples at the same time, each on its own daemon or on a shared daemon. Returns the failures. */
async function runInLanes(examples: readonly NamedExample[], lanes: number): Promise<string[]> {
  const waiting = alike(examples);
  const failures: string[] = [];
  const lane = async (): Promise<void> => {
    let shared: ExampleHost | undefined;
    let faulty: ExampleHost | undefined;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [first] = next;
      if (first === undefined) continue;
      const isFaulty = hasFault(first);
      const isOwn = needsOwnDaemon(first);
      if (isFaulty && !isOwn) faulty ??= await sharedHost({});
      if (!isFaulty && !isOwn) shared ??= await sharedHost();
      const { env } = madeFault(first.example.fault);
      const host = isOwn ? new ExampleHost(isFaulty ? { env } : undefined) : isFaulty ? faulty : shared;
      if (host === undefined) throw new Error('no daemon');
      failures.push(...(await runAlike(next, host)));
      if (isOwn) failures.push(...(await host.end()).map((violation) => `${first.title}\n    ${violation}`));
      else if (host.client.process.exitCode !== null) {
        if (isFaulty) faulty = undefined;
        else shared = undefined;
      }
    }
    for (const host of [shared, faulty]) failures.push(...((await host?.end()) ?? []));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failures;
}
