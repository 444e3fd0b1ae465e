// Checks that names and types in the examples match the definitions. A string with a placeholder matches any type. In
// results and errors, only the fields that the example contains are compared. Another test runs the examples against
// the daemon.
import {
  type Example,
  fieldsOf,
  isRecord,
  type Method,
  type ProtocolDocument,
  refTo,
  resolve,
  type Schema,
} from './dialect.ts';

const stepKeys = [
  'call',
  'fail',
  'notify',
  'start',
  'write',
  'fill',
  'remove',
  'link',
  'fifo',
  'fault',
  'wait',
];

class ExampleLint {
  readonly problems: string[] = [];
  readonly #document: ProtocolDocument;

  constructor(document: ProtocolDocument) {
    this.#document = document;
  }

  fits(schema: Schema, value: unknown, at: string, partial: boolean): void {
    if (typeof value === 'string' && value.includes('${')) return;
    const target = resolve(this.#document, schema);
    const fail = (expected: string): void => void this.problems.push(`${at}: should be ${expected}`);
    if (target.const !== undefined && value !== target.const) fail(JSON.stringify(target.const));
    if (target.enum !== undefined && !(typeof value === 'string' && target.enum.includes(value)))
      fail(target.enum.join(' | '));
    if (target.oneOf !== undefined) {
      const tag = target.discriminator?.propertyName ?? '';
      const kind = (value as Record<string, unknown> | null)?.[tag];
      const variant = target.oneOf.find(
        (item) => resolve(this.#document, item).properties?.[tag]?.const === kind,
      );
      if (variant === undefined) fail('one of the variants');
      else this.fits(variant, value, at, partial);
    } else if (target.type === 'array') {
      if (!Array.isArray(value)) fail('an array');
      else value.forEach((item, i) => this.fits(target.items ?? {}, item, `${at}/${i}`, partial));
    } else if (target.type === 'object') this.#object(target, value, at, partial);
    else if (target.type === 'integer' && !Number.isSafeInteger(value)) fail('an integer');
    else if ((target.type === 'string' || target.type === 'boolean') && typeof value !== target.type)
      fail(`a ${target.type}`);
    else if (target.type === 'null' && value !== null) fail('null');
  }

  #object(schema: Schema, value: unknown, at: string, partial: boolean): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problems.push(`${at}: should be an object`);
      return;
    }
    const fields = new Map(fieldsOf(schema).map((field) => [field.name, field]));
    for (const [name, item] of Object.entries(value)) {
      const field = fields.get(name);
      if (typeof schema.additionalProperties === 'object')
        this.fits(schema.additionalProperties, item, `${at}/${name}`, partial);
      else if (field === undefined && schema.additionalProperties !== true)
        this.problems.push(`${at}: has no field "${name}"`);
      else if (field !== undefined && (item !== null || field.required))
        this.fits(field.schema, item, `${at}/${name}`, partial);
    }
    if (partial || !isRecord(schema)) return;
    for (const field of fields.values())
      if (field.required && !Object.hasOwn(value, field.name))
        this.problems.push(`${at}: lacks "${field.name}"`);
  }

  #params(name: string, params: unknown, at: string, partial = false): void {
    const method = this.#document.methods.find((candidate) => candidate.name === name);
    if (method === undefined) this.problems.push(`${at}: no method ${name}`);
    else if (method.params !== undefined) this.fits(method.params, params ?? {}, at, partial);
  }

  step(step: Readonly<Record<string, unknown>>, at: string): void {
    if (!stepKeys.some((key) => Object.hasOwn(step, key))) this.problems.push(`${at}: is no step`);
    for (const key of ['call', 'fail', 'notify', 'start']) {
      const name = step[key];
      if (typeof name === 'string') this.#params(name, step.params, `${at}/${key}`);
    }
  }

  example(method: Method, example: Example): void {
    const at = `${method.name} "${example.name}"`;
    if (!Object.hasOwn(this.#document.worlds, example.world))
      this.problems.push(`${at}: no world ${example.world}`);
    (example.before ?? []).forEach((step, i) => this.step(step, `${at} before/${i}`));
    const wrongOnPurpose = example.error?.kind === 'InvalidParams';
    if (!wrongOnPurpose)
      this.#params(method.name, example.params, `${at} params`, method.direction === 'serverToClient');
    if (example.error !== undefined) {
      const { code: _code, message: _message, ...data } = example.error as Record<string, unknown>;
      this.fits({ $ref: refTo('ErrorData') }, data, `${at} error`, true);
      const allowed = [
        ...(method.errors ?? []),
        ...this.#document.commonErrors,
        ...this.#document.mutationErrors,
        ...this.#document.recoveryErrors,
      ];
      if (!allowed.includes(example.error.kind))
        this.problems.push(`${at}: ${example.error.kind} is no error of it`);
    } else if (method.result !== undefined)
      this.fits(method.result, example.result ?? null, `${at} result`, true);
  }

  outcomes(method: Method): void {
    const names = method.examples.map((example) => example.name);
    if (new Set(names).size !== names.length)
      this.problems.push(`${method.name}: two examples have one name`);
    if (!method.examples.some((example) => example.error === undefined))
      this.problems.push(`${method.name}: has no example of success`);
    const seen = new Set(method.examples.map((example) => example.error?.kind));
    for (const error of method.errors ?? [])
      if (!seen.has(error)) this.problems.push(`${method.name}: has no example of ${error}`);
  }
}

/** Returns every fault of the examples, one line each. */
export function lintExamples(document: ProtocolDocument): string[] {
  const lint = new ExampleLint(document);
  for (const method of document.methods) {
    for (const example of method.examples) lint.example(method, example);
    lint.outcomes(method);
  }
  return lint.problems;
}
