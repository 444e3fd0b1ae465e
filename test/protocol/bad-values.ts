// Makes invalid values for every field of every parameter of protocol.json. Puts each value into parameters that are
// otherwise valid. Each value comes with the place that the refusal must name. The values are made from protocol.json,
// so new fields are included. This module uses no daemon.
import { fieldsOf, type Method, resolve, type Schema } from '../../scripts/generate/dialect.ts';
import { protocol } from './document.ts';

export interface BadRequest {
  readonly method: string;
  readonly params: unknown;
  /** The place of the invalid value, as a JSON pointer. */
  readonly path: string;
  readonly what: string;
}

interface BadValue {
  readonly what: string;
  readonly value: unknown;
  /** The path from the field to the wrong part of its value. */
  readonly path?: string;
}

const depthMax = 4;
const missing = Symbol('missing');

/** Returns a minimal valid value. */
function fitting(given: Schema): unknown {
  const schema = resolve(protocol, given);
  if (schema.const !== undefined) return schema.const;
  const [first] = schema.enum ?? schema.knownValues ?? [];
  if (first !== undefined) return first;
  switch (typesOf(schema)[0]) {
    case 'string':
      return 'x'.repeat(Math.max(1, schema.minLength ?? 0));
    case 'integer':
      return Math.max(0, schema.minimum ?? 0);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => fitting(schema.items ?? {}));
    case 'object':
      return Object.fromEntries(
        fieldsOf(schema)
          .filter(({ required }) => required)
          .map(({ name, schema: field }) => [name, fitting(field)]),
      );
    case undefined:
    default:
      return 'x';
  }
}

const typesOf = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []));

const ofTypes: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['boolean', true],
  ['integer', 7],
  ['number', 1.5],
  ['number', 1e308],
  ['string', 'x'],
  ['array', [1]],
  ['object', { a: 1 }],
];

function badValues(given: Schema, depth = 0): BadValue[] {
  const schema = resolve(protocol, given);
  const types = typesOf(schema);
  if (types.length === 0 || depth > depthMax) return []; // any JSON, or a union
  const wrong: BadValue[] = ofTypes
    .filter(([type]) => type !== 'null' && !types.includes(type))
    .map(([type, value]) => ({ what: `${type} ${JSON.stringify(value)}`, value }));
  if (types.includes('string')) wrong.push(...badStrings(schema));
  if (types.includes('integer')) wrong.push(...badIntegers(schema));
  if (types.includes('array')) wrong.push(...badArrays(schema, depth));
  if (types.includes('object')) wrong.push(...badObjects(schema, depth));
  return wrong;
}

function badStrings({ enum: closed, minLength = 0, maxLength }: Schema): BadValue[] {
  return [
    { what: 'a lone surrogate', value: 'x\ud83d' },
    ...(closed === undefined ? [] : [{ what: 'another word', value: 'nonsense' }]),
    ...(minLength === 0 ? [] : [{ what: 'an empty text', value: '' }]),
    ...(maxLength === undefined ? [] : [{ what: 'a text too long', value: 'x'.repeat(maxLength + 1) }]),
  ];
}

function badIntegers({ minimum = -Infinity, maximum = Infinity }: Schema): BadValue[] {
  const numbers = [-1, -(2 ** 53), minimum - 1, maximum + 1, 2 ** 53 + 2, -1e308];
  return numbers
    .filter((value) => Number.isFinite(value) && (value < minimum || value > maximum))
    .map((value) => ({ what: `${value}`, value }));
}

function badArrays({ items = {}, minItems = 0, maxItems }: Schema, depth: number): BadValue[] {
  const within = badValues(items, depth + 1).map(({ what, value, path = '' }) => ({
    what,
    value: [value],
    path: `/0${path}`,
  }));
  if (minItems > 0) within.push({ what: 'too few', value: [], path: '' });
  if (maxItems !== undefined && maxItems <= 10_000)
    within.push({
      what: 'too many',
      value: Array.from({ length: maxItems + 1 }, () => fitting(items)),
      path: '',
    });
  return within;
}

/** Returns invalid values for each field of a record, or for the value of one key of a map. */
function badObjects(schema: Schema, depth: number): BadValue[] {
  const open = schema.additionalProperties;
  if (typeof open === 'object')
    return badValues(open, depth + 1).map(({ what, value, path = '' }) => ({
      what,
      value: { name: value },
      path: `/name${path}`,
    }));
  const whole = fitting(schema) as Record<string, unknown>;
  return fieldsOf(schema).flatMap(({ name, schema: field, required }) => {
    const values = badValues(field, depth + 1);
    // null counts as absent for an optional field.
    if (required) values.push({ what: 'null', value: null }, { what: 'missing', value: missing });
    return values.map(({ what, value, path = '' }) => {
      const { [name]: _fits, ...others } = whole;
      return {
        what,
        value: value === missing ? others : { ...others, [name]: value },
        path: `/${name}${path}`,
      };
    });
  });
}

/** Returns every invalid request of a method. `session` is used for requests that need a valid session. */
export function badRequests({ name: method, params }: Method, session: string): BadRequest[] {
  if (params === undefined) return [];
  return badValues(params)
    .filter(({ path }) => path !== undefined)
    .map(({ what, value, path = '' }) => {
      const fields = value as Record<string, unknown>;
      const isAboutSession = path === '/session' || !Object.hasOwn(fields, 'session');
      // The daemon ignores this unknown field, so no error mentions it.
      const whole = { ...fields, ...(isAboutSession ? {} : { session }), ofTomorrow: { deep: [null] } };
      return { method, params: whole, path, what };
    });
}
