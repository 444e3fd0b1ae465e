// Waits for a limited time. Stops nothing: late work continues, and its result is dropped.

/** True when `work` was done within the time. @throws the error of `work`, if `work` fails within the time */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
