// Builds objects with optional fields, so that no caller needs a condition for each field.

/**
 * Returns the fields that have a value. Fields that are undefined or null are left out, so that they are absent and
 * not empty.
 */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) present[key] = value;
  }
  return present;
}
