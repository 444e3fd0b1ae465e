// Builds objects with optional fields, so that callers need no condition for each field.

/** Returns the fields that have a value. Omits fields that are undefined or null. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) present[key] = value;
  }
  return present;
}
