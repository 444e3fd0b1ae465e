// Runs calm episodes: random steps in one session, without kills and errors, in this process, under each strategy. In
// addition to the checks of every episode, compares the strategies: all must give the same answers and the same work
// tree.
import { strategies } from '../../src/store/strategies.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import { calmSteps, type Step } from './steps.ts';
import { Tally } from './tally.ts';
import { kindOf, run } from './torture.ts';

/**
 * The methods whose answers may differ between strategies, because they report the size, the place or the cost of a
 * store.
 */
const incomparable = /^(store|session)\/|^checkpoint\/clean$/;
const leftOut: ReadonlySet<string> = new Set(
  'capture commit content hash message ms nextCursor operation strategy'.split(' '),
);

/** Makes `count` walks. Returns the first defect, with its list of steps shortened, or undefined. */
export async function walks(options: {
  readonly seed: number;
  readonly count: number;
  readonly length: number;
  /** The maximum number of runs with shorter lists of steps after a failure. */
  readonly shrinkTries: number;
}): Promise<{ readonly defect: string; readonly steps: readonly Step[] } | undefined> {
  const { seed, count, length, shrinkTries } = options;
  for (let i = 0; i < count; i += 1) {
    const steps = calmSteps(new Random((seed + Math.imul(i, 0x9e3779b1)) >>> 0), length);
    const defect = await walk(steps);
    if (defect === undefined) continue;
    const fails = async (fewer: readonly Step[]): Promise<boolean> => {
      const found = await walk(fewer);
      return found !== undefined && kindOf(found) === kindOf(defect);
    };
    return { defect: `walk ${i} of seed ${seed}: ${defect}`, steps: await shrink(steps, fails, shrinkTries) };
  }
  return undefined;
}

/** Performs the steps under every strategy. Returns the first defect. */
async function walk(steps: readonly Step[]): Promise<string | undefined> {
  const all: { readonly strategy: string; readonly answers: readonly string[] }[] = [];
  for (const strategy of Object.keys(strategies)) {
    const tally = new Tally();
    const answers: string[] = [];
    const comparable = new Comparable();
    tally.heard = (what, answer, root) => {
      if (!incomparable.test(what)) answers.push(`${what} ${comparable.text(answer, root)}`);
    };
    const calm = { durability: 'process', hasPower: false, patienceMs: 60_000, client: 'inProcess' } as const;
    const failure = await run({ strategy, ...calm }, steps, tally);
    if (failure !== undefined) return `${strategy}, step ${failure.at}: ${failure.defect}`;
    all.push({ strategy, answers });
  }
  const [first, ...others] = all;
  for (const { strategy, answers } of others) {
    const at = answers.findIndex((answer, i) => answer !== first?.answers[i]);
    if (at >= 0) return `${strategy}: ${answers[at]}\n${first?.strategy}: ${first?.answers[at]}`;
  }
  return undefined;
}

/**
 * Makes the answers of different sessions comparable. Removes values that always differ, and replaces each id by a
 * number, in the order of first appearance.
 */
class Comparable {
  readonly #numbers = new Map<string, number>();

  text(answer: unknown, root: string): string {
    const text = JSON.stringify(answer, (key, value: unknown) => (leftOut.has(key) ? undefined : value));
    return text
      .replaceAll(root, '<root>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/\b(?:ckpt|ses|ent|op)_\w+|\b[0-9a-f]{40}(?:[0-9a-f]{24})?(?:-[0-9a-f]{40})?\b/g, (id) => {
        const number = this.#numbers.get(id) ?? this.#numbers.size;
        this.#numbers.set(id, number);
        return `<${number}>`;
      });
  }
}
