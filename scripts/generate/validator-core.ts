// The hand-written beginning of src/protocol/validators.ts, as text: the few checks that the generated functions call.
// typescript-validators.ts generates these functions.

export const validatorCore = `import type { Issue as FoundIssue } from './types.ts';

export type { Issue } from './types.ts';

/** The findings of one validation. */
interface Gathering {
  readonly issues: FoundIssue[];
  /** True to remove optional fields that are null, so that later code need not handle null. */
  readonly dropNulls: boolean;
}
type Check = (value: unknown, at: string, to: Gathering) => void;
type Fields = Record<string, unknown>;

const issuesMax = 50;
const depthMax = 512;
const loneSurrogate = /\\p{Surrogate}/u;

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}

function refuse(to: Gathering, at: string, message: string, expected: string): void {
  if (to.issues.length < issuesMax) to.issues.push({ path: at, message, expected });
}

function wrong(value: unknown, at: string, to: Gathering, expected: string): void {
  refuse(to, at, \`is \${kindOf(value)}, should be \${expected}\`, expected);
}

function string(value: unknown, at: string, to: Gathering): value is string {
  if (typeof value !== 'string') {
    wrong(value, at, to, 'string');
    return false;
  }
  if (loneSurrogate.test(value)) {
    refuse(to, at, 'holds a lone surrogate, should be well-formed Unicode', 'string');
    return false;
  }
  return true;
}

function text(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (!string(value, at, to)) return;
  // JSON Schema counts code points; UTF-16 has at least as many units, so most strings need no count.
  const short = value.length < min || (value.length < 2 * min && [...value].length < min);
  if (short) refuse(to, at, \`is shorter than \${min} characters\`, \`string of at least \${min} characters\`);
  else if (value.length > max && (value.length > 2 * max || [...value].length > max))
    refuse(to, at, \`is longer than \${max} characters\`, \`string of at most \${max} characters\`);
}

function integer(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (typeof value !== 'number') wrong(value, at, to, 'integer');
  else if (!Number.isSafeInteger(value)) refuse(to, at, 'is no exact integer', 'integer');
  else if (value < min || value > max)
    refuse(to, at, \`is \${value}, should be from \${min} to \${max}\`, \`integer from \${min} to \${max}\`);
}

function boolean(value: unknown, at: string, to: Gathering): void {
  if (typeof value !== 'boolean') wrong(value, at, to, 'boolean');
}

function nothing(value: unknown, at: string, to: Gathering): void {
  if (value !== null && value !== undefined) wrong(value, at, to, 'null');
}

function exactly(value: unknown, at: string, to: Gathering, constant: string): void {
  if (value !== constant) refuse(to, at, \`should be "\${constant}"\`, \`"\${constant}"\`);
}

function oneOf(value: unknown, at: string, to: Gathering, values: readonly string[]): void {
  if (typeof value !== 'string') wrong(value, at, to, values.join(' | '));
  else if (!values.includes(value)) refuse(to, at, \`should be one of \${values.join(', ')}\`, values.join(' | '));
}

function integerOrString(value: unknown, at: string, to: Gathering, min: number, max: number): void {
  if (typeof value === 'number') integer(value, at, to, min, max);
  else if (typeof value === 'string') string(value, at, to);
  else wrong(value, at, to, 'integer | string');
}

/** Returns the fields of an object. \`[]\` counts as \`{}\`, because clients in Lua cannot distinguish the two. */
function record(value: unknown, at: string, to: Gathering): Fields | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  if (Array.isArray(value) && value.length === 0) return {};
  wrong(value, at, to, 'object');
  return undefined;
}

function need(fields: Fields, name: string, at: string, to: Gathering, check: Check): void {
  const value = fields[name];
  if (value === undefined) refuse(to, \`\${at}/\${name}\`, 'is missing', 'present');
  else check(value, \`\${at}/\${name}\`, to);
}

function may(fields: Fields, name: string, at: string, to: Gathering, check: Check): void {
  const value = fields[name];
  if (value === undefined) return;
  if (value !== null) check(value, \`\${at}/\${name}\`, to);
  else if (to.dropNulls) delete fields[name];
}

function list(value: unknown, at: string, to: Gathering, min: number, max: number, check: Check): void {
  if (!Array.isArray(value)) {
    wrong(value, at, to, 'array');
    return;
  }
  if (value.length < min || value.length > max)
    refuse(to, at, \`has \${value.length} items, should have from \${min} to \${max}\`, \`array of \${min} to \${max} items\`);
  else for (let i = 0; i < value.length && to.issues.length < issuesMax; i += 1) check(value[i], \`\${at}/\${i}\`, to);
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function map(value: unknown, at: string, to: Gathering, check: Check): void {
  const fields = record(value, at, to);
  if (fields === undefined) return;
  for (const [name, item] of Object.entries(fields)) {
    if (loneSurrogate.test(name)) refuse(to, at, 'has a name that is not well-formed Unicode', 'string');
    check(item, \`\${at}/\${pointer(name)}\`, to);
  }
}

/**
 * Checks open content: any JSON, with well-formed strings and a bounded depth. Uses its own stack instead of
 * recursion.
 */
function json(value: unknown, at: string, to: Gathering): void {
  if (typeof value === 'string') {
    string(value, at, to);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const values: unknown[] = [value];
  const depths: number[] = [1];
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item === 'string' && loneSurrogate.test(item)) {
      refuse(to, at, 'holds a string with a lone surrogate', 'well-formed Unicode');
      return;
    }
    if (typeof item !== 'object' || item === null) continue;
    if (depth > depthMax) {
      refuse(to, at, \`is nested more than \${depthMax} levels deep\`, \`at most \${depthMax} levels\`);
      return;
    }
    for (const [name, child] of Object.entries(item)) {
      if (loneSurrogate.test(name)) {
        refuse(to, at, 'holds a name with a lone surrogate', 'well-formed Unicode');
        return;
      }
      if (typeof child === 'string' || (typeof child === 'object' && child !== null)) {
        values.push(child);
        depths.push(depth + 1);
      }
    }
  }
}

/** The fields of an open object that the protocol does not name. */
function others(fields: Fields, at: string, to: Gathering, known: ReadonlySet<string>): void {
  for (const [name, item] of Object.entries(fields)) if (!known.has(name)) json(item, \`\${at}/\${pointer(name)}\`, to);
}
`;

export const validatorTail = `
/** Returns the parameters of a request. Absent parameters, \`null\` and \`[]\` count as \`{}\`. */
export function normalParams(params: unknown): unknown {
  return params === undefined || params === null || (Array.isArray(params) && params.length === 0) ? {} : params;
}

/**
 * Returns the issues of the parameters of a request or notification, at most 50. Without an issue, \`value\` has the
 * type of the parameters. Unknown fields are ignored. Optional fields that are null are removed from \`value\`, in
 * place, so that a handler sees them absent. An unknown method has no issues: dispatch knows the names.
 */
export function validateParams(method: string, value: unknown): FoundIssue[] {
  const check = params.get(method);
  const to: Gathering = { issues: [], dropNulls: true };
  if (check !== undefined) check(normalParams(value), '', to);
  return to.issues;
}

/** Returns the issues of a result, for clients and tests. The daemon's own results are checked by their types. */
export function validateResult(method: string, value: unknown): FoundIssue[] {
  const check = results.get(method);
  const to: Gathering = { issues: [], dropNulls: false };
  if (check !== undefined) check(value, '', to);
  return to.issues;
}

/** Returns the issues of the \`data\` of an error response. */
export function validateErrorData(value: unknown): FoundIssue[] {
  const to: Gathering = { issues: [], dropNulls: false };
  ErrorData(value, '', to);
  return to.issues;
}
`;
