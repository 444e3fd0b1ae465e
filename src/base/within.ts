// Waits a limited time until some work is done. Late work is not stopped, but its result is ignored.

/** True when `work` finished within the time. @throws the error of `work`, if `work` fails within the time */
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
