// Runs work one piece at a time, in order. A piece that fails reports its failure only to its own caller. The next
// piece starts when the previous piece has ended, successfully or not.

/** Resolves when the work has ended, successfully or not. Hides a failure, because another caller handles it. */
export async function ended(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all earlier work has ended, and returns the result. @throws the error of `work` */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = ended(mine);
    return mine;
  }

  /** Resolves when all earlier work has ended. */
  async whenIdle(): Promise<void> {
    await this.#last;
  }
}
