// Runs episodes until the time is over or an episode fails. Shortens the steps of a failed episode.
import { testProgram } from '../../test/support/wire-client.ts';
import { bridgeTo, type ClientName, someClient } from './clients/bridges.ts';
import { containerRefusal } from './container.ts';
import { Disk } from './disk.ts';
import { Episode } from './episode.ts';
import { plainUserRefusal } from './plain-user.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import { type Step, someSteps } from './steps.ts';
import { take } from './take.ts';
import { Tally } from './tally.ts';
import type { Circumstances } from './world.ts';

/** A failed episode, which `--replay` runs again. */
export interface Finding {
  readonly defect: string;
  readonly seed: number;
  readonly circumstances: Circumstances;
  readonly steps: readonly Step[];
}

export interface TortureOptions {
  readonly seed: number;
  readonly ms: number;
  readonly strategies: readonly string[];
  readonly patienceMs: number;
  /** The percentage of episodes that run on a disk whose power is cut. The default is 25. */
  readonly power?: number;
  /**
   * The clients that start the daemons and send requests. By default these are all available clients; the torture
   * test's own driver is used most often.
   */
  readonly clients?: readonly ClientName[] | undefined;
  readonly planted?: Circumstances['planted'];
  /** The maximum number of runs after a failure. Each of these runs tries a shorter list of steps. */
  readonly shrinkTries: number;
  /** The number of steps in an episode. The default is 24. */
  readonly length?: number;
  readonly say: (line: string) => void;
}

export async function torture(
  options: TortureOptions,
): Promise<{ readonly tally: Tally; readonly finding?: Finding }> {
  const { seed, ms, strategies, patienceMs, planted, shrinkTries, say } = options;
  const tally = new Tally();
  const power = options.power ?? 25;
  const refusal = power === 0 ? 'not asked for' : Disk.refusal();
  if (refusal !== undefined) say(`SKIPPED: power cuts (${refusal})`);
  const plainUser = plainUserRefusal(testProgram('planned-daemon'));
  if (plainUser !== undefined) say(`SKIPPED: episodes without root (${plainUser})`);
  const container = containerRefusal();
  if (container !== undefined) say(`SKIPPED: second daemons in containers (${container})`);
  const usable = usableClient(say);
  let deadline = performance.now() + ms;
  for (let episode = 0; performance.now() < deadline; episode += 1) {
    const own = (seed + Math.imul(episode, 0x9e3779b1)) >>> 0;
    const random = new Random(own);
    // A separate random source chooses the client, so that the choice does not change the steps.
    const asked = someClient(new Random(~own), options.clients);
    const began = performance.now();
    const client = usable(asked);
    deadline += performance.now() - began; // the time for building a client does not count
    const hasPower = random.chance(power) && refusal === undefined;
    const circumstances: Circumstances = {
      strategy: strategies[episode % strategies.length] ?? 'shadow',
      durability: random.chance(hasPower ? 50 : 10) ? 'power' : 'process',
      hasPower,
      isPlainUser: plainUser === undefined && random.chance(20),
      hasContainers: container === undefined,
      patienceMs,
      client,
      planted,
    };
    const steps = someSteps(random, hasPower ? 8 : (options.length ?? 24), hasPower);
    tally.episodes += 1;
    tally.through(client);
    if (circumstances.isPlainUser === true) tally.asPlainUser += 1;
    const failure = await run(circumstances, steps, tally);
    if (failure === undefined) continue;
    say(
      `episode ${episode} of seed ${seed} (${circumstances.strategy}, ${client}), step ${failure.at}: ${failure.defect}`,
    );
    const first = kindOf(failure.defect);
    const fails = async (fewer: readonly Step[]): Promise<boolean> => {
      const found = await run(circumstances, fewer, new Tally());
      return found !== undefined && kindOf(found.defect) === first;
    };
    const least = await shrink(steps.slice(0, failure.at + 1), fails, shrinkTries);
    return { tally, finding: { defect: failure.defect, seed, circumstances, steps: least } };
  }
  return { tally };
}

/**
 * Returns the requested client if it is available. Otherwise returns the torture test's own driver, and prints once
 * that the client is missing.
 */
function usableClient(say: (line: string) => void): (asked: ClientName) => ClientName {
  const missing = new Set<ClientName>();
  return (asked) => {
    if (asked === 'own') return asked;
    const bridge = bridgeTo(asked);
    if (!('refusal' in bridge)) return asked;
    if (!missing.has(asked))
      say(`SKIPPED: the client ${asked}, its episodes are our own (${bridge.refusal})`);
    missing.add(asked);
    return 'own';
  };
}

export async function run(
  circumstances: Circumstances,
  steps: readonly Step[],
  tally: Tally,
): Promise<{ readonly defect: string; readonly at: number } | undefined> {
  return new Episode(circumstances, tally).run(steps, take);
}

/** Returns the part of a defect's text that does not depend on paths and ids. */
export function kindOf(defect: string): string {
  return defect
    .replace(/^(step \d+ \(\w+\)|audit)/, '')
    .replace(/ckpt_\w+|\b[0-9a-f]{8,}\b|\d+/g, '')
    .slice(0, 24);
}
