// Runs work one piece at a time, in order. A piece that fails reports its failure only to its own caller. The
// next piece starts when the piece before it has ended, successfully or not.

/** Resolves when the work has ended, successfully or not. The caller of the work handles the failure. */
export async function ended(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all earlier work has ended, and returns its result. @throws what `work` throws */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = ended(mine);
    return mine;
  }

  /** Resolves when all work has ended that callers have passed so far. */
  async whenIdle(): Promise<void> {
    await this.#last;
  }
}
