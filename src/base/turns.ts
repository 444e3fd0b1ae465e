// Work that runs one piece at a time, in the order in which it was given. A piece that fails reports its failure to its
// own caller alone: the next piece waits only for its end.

/** Resolves when the work has ended, whether it succeeded or failed. Its failure is its caller's to handle. */
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

  /** Resolves when all work given so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
