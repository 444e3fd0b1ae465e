// Optional fields without the noise of a condition for each. It looks at nothing but whether a value is there.

/** The fields that are there: one that is undefined or null is left out, so that it is absent and not empty. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) present[key] = value;
  }
  return present;
}
