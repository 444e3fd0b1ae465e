// Checks that protocol.json follows the closed dialect, and that it obeys all rules of this protocol that a program can
// check. Reports all faults at once. The examples are checked in example-lint.ts.
import {
  fieldsOf,
  isRecord,
  type Method,
  type ProtocolDocument,
  refName,
  resolve,
  type Schema,
} from './dialect.ts';
import { lintExamples } from './example-lint.ts';

const schemaForms: Readonly<Record<string, readonly string[]>> = {
  $ref: ['$ref'],
  const: ['const'],
  oneOf: ['oneOf', 'discriminator'],
  any: [],
  null: ['type'],
  boolean: ['type'],
  integer: ['type', 'minimum', 'maximum'],
  string: [
    'type',
    'minLength',
    'maxLength',
    'format',
    'contentEncoding',
    'enum',
    'knownValues',
    'valueDescriptions',
  ],
  array: ['type', 'items', 'minItems', 'maxItems'],
  object: ['type', 'properties', 'required', 'additionalProperties'],
  alternatives: ['type', 'minimum', 'maximum'],
};

function formOf(schema: Schema): string {
  if (schema.$ref !== undefined) return '$ref';
  if (schema.const !== undefined) return 'const';
  if (schema.oneOf !== undefined) return 'oneOf';
  if (schema.type === undefined) return 'any';
  return typeof schema.type === 'string' ? schema.type : 'alternatives';
}

class Lint {
  readonly problems: string[] = [];
  readonly used = new Set<string>();
  readonly document: ProtocolDocument;

  constructor(document: ProtocolDocument) {
    this.document = document;
  }

  expect(condition: boolean, at: string, problem: string): void {
    if (!condition) this.problems.push(`${at}: ${problem}`);
  }

  described(text: string | undefined, at: string): void {
    this.expect(text !== undefined && /[.:)]$/.test(text), at, 'needs a description that is a sentence');
  }

  schema(schema: Schema, at: string, isDef: boolean): void {
    const form = formOf(schema);
    const allowed = schemaForms[form];
    if (allowed === undefined) {
      this.problems.push(`${at}: type ${form} is not of the dialect`);
      return;
    }
    for (const key of Object.keys(schema))
      this.expect(
        key === 'description' || allowed.includes(key),
        at,
        `"${key}" is not allowed in a schema of form ${form}`,
      );
    const isNamedOnly =
      ['oneOf', 'object', 'alternatives', 'any', 'null'].includes(form) ||
      schema.valueDescriptions !== undefined;
    this.expect(isDef || !isNamedOnly, at, 'objects, unions, enums and alternatives must be in $defs');
    if (schema.$ref !== undefined) {
      const name = refName(schema.$ref);
      this.used.add(name);
      this.expect(
        Object.hasOwn(this.document.$defs, name),
        at,
        `refers to ${schema.$ref}, which is not there`,
      );
    }
    if (form === 'integer' || form === 'alternatives') this.#bounds(schema, at);
    if (form === 'string') this.#values(schema, at);
    if (form === 'array') this.schema(schema.items ?? {}, `${at}[]`, false);
    if (form === 'object') this.#object(schema, at);
    if (form === 'oneOf') this.#union(schema, at);
  }

  #bounds({ minimum, maximum }: Schema, at: string): void {
    const exact = Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum);
    this.expect(exact && (minimum ?? 0) < (maximum ?? 0), at, 'an integer needs exact minimum and maximum');
  }

  #values(schema: Schema, at: string): void {
    const values = schema.enum ?? schema.knownValues;
    this.expect(
      schema.enum === undefined || schema.knownValues === undefined,
      at,
      'an enum must be declared open or closed',
    );
    if (values === undefined) return;
    this.expect(new Set(values).size === values.length && values.length > 0, at, 'values must be distinct');
    const told = Object.keys(schema.valueDescriptions ?? {});
    this.expect(told.join() === values.join(), at, 'every value needs its description, in the same order');
    for (const [value, text] of Object.entries(schema.valueDescriptions ?? {}))
      this.described(text, `${at}.${value}`);
  }

  #object(schema: Schema, at: string): void {
    if (typeof schema.additionalProperties === 'object') {
      this.expect(schema.properties === undefined, at, 'a map has no fields of its own');
      this.schema(schema.additionalProperties, `${at}{}`, false);
      return;
    }
    for (const name of schema.required ?? [])
      this.expect(Object.hasOwn(schema.properties ?? {}, name), at, `requires "${name}", which is no field`);
    for (const field of fieldsOf(schema)) {
      const place = `${at}.${field.name}`;
      this.expect(
        /^[a-z]+(?:[A-Z][a-z]+)*$/.test(field.name),
        place,
        'the name of a field must consist of letters in camelCase',
      );
      this.expect(!(field.name in Object.prototype), place, 'is a name that every object of JavaScript has');
      this.described(field.schema.description, place);
      this.expect(
        !/\balways sent\b/i.test(field.schema.description ?? ''),
        place,
        'the description must not say "always sent", because "required" already says it',
      );
      this.schema(field.schema, place, false);
    }
  }

  #union(schema: Schema, at: string): void {
    const tag = schema.discriminator?.propertyName ?? '';
    const constants = (schema.oneOf ?? []).map((variant) => {
      this.schema(variant, at, false);
      const target = resolve(this.document, variant);
      this.expect((target.required ?? []).includes(tag), at, `a variant does not require "${tag}"`);
      return target.properties?.[tag]?.const;
    });
    this.expect(
      constants.every((value) => value !== undefined),
      at,
      'every variant needs a const discriminator',
    );
    this.expect(new Set(constants).size === constants.length, at, 'discriminators must be distinct');
  }

  method(method: Method): void {
    const at = method.name;
    this.described(method.description, at);
    this.expect(/^(?:\$\/[a-z]\w*|rpc\.discover|[a-z]+(?:\/[a-z]\w*)?)$/.test(at), at, 'is no noun/verb');
    this.expect(
      !/^(?:textDocument|workspace|window|client|notebookDocument)\//.test(at) || at === 'window/logMessage',
      at,
      "is in LSP's namespace",
    );
    const isRequest = method.kind === 'request';
    this.expect(
      (method.result !== undefined) === isRequest,
      at,
      'a request must have a result, and a notification must not',
    );
    this.expect(
      (method.errors !== undefined) === isRequest,
      at,
      'a request must have errors, and a notification must not',
    );
    for (const schema of [method.params, method.result])
      if (schema !== undefined) this.schema(schema, at, false);
    const params = method.params === undefined ? {} : resolve(this.document, method.params);
    this.expect(method.params === undefined || isRecord(params), at, 'parameters must be an object');
    const has = (name: string): boolean => Object.hasOwn(params.properties ?? {}, name);
    this.expect(
      has('workDoneToken') === method.progress,
      at,
      'must have both progress and workDoneToken, or neither',
    );
    // In operation/get, `idempotencyKey` is the key of an earlier request.
    const carriesKey = has('idempotencyKey') && at !== 'operation/get';
    this.expect(
      carriesKey === (method.idempotency === 'key'),
      at,
      'must have both idempotency and idempotencyKey, or neither',
    );
    this.expect(
      !(method.effects === 'none' && isRequest) || method.idempotency === 'safe',
      at,
      'a request without effects must be safe to repeat',
    );
    this.expect(
      !['store', 'workspace'].includes(method.effects) || method.lane !== 'none',
      at,
      'a mutation needs a lane',
    );
    this.expect(
      method.lane !== 'session' || (params.required ?? []).includes('session'),
      at,
      'a request in the lane of a session needs the field "session"',
    );
    const known = new Set(this.document.errors.map((error) => error.name));
    const common = new Set([...this.document.commonErrors, ...this.document.mutationErrors]);
    for (const name of method.errors ?? [])
      this.expect(known.has(name), at, `error ${name} is not in the registry`);
    this.expect(new Set(method.errors).size === (method.errors ?? []).length, at, 'errors must be distinct');
    if (method.idempotency === 'key')
      for (const name of method.errors ?? [])
        this.expect(
          !common.has(name) || name === 'InvalidRequest',
          at,
          `error ${name} is common: do not repeat it`,
        );
  }

  registry(): void {
    const { errors, $defs, rules } = this.document;
    const distinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
    const { commonErrors, mutationErrors, recoveryErrors } = this.document;
    const known = new Set(errors.map((error) => error.name));
    for (const name of [...commonErrors, ...mutationErrors, ...recoveryErrors])
      this.expect(known.has(name), 'errors', `${name} is not in the registry`);
    this.expect(
      distinct(errors.map((error) => error.name)) && distinct(errors.map((error) => error.code)),
      'errors',
      'names and codes must be distinct',
    );
    for (const error of errors) {
      this.described(error.description, error.name);
      this.described(error.remedy, error.name);
      this.expect(!Object.hasOwn($defs, error.name), error.name, 'is also the name of a definition');
    }
    const kinds = $defs.ErrorKind?.knownValues ?? [];
    this.expect(
      kinds.join() === errors.map((error) => error.name).join(),
      'ErrorKind',
      'must list the registry',
    );
    this.expect(
      distinct(this.document.methods.map((method) => method.name)),
      'methods',
      'names must be distinct',
    );
    const musts = rules.flatMap((chapter) => chapter.musts);
    musts.forEach(({ id, text }, i) => {
      this.expect(id === `M${i + 1}`, id, 'rules must be numbered in order');
      this.described(text, id);
    });
  }
}

/** Returns every fault of the document, one line each. */
export function lintDialect(document: ProtocolDocument): string[] {
  const lint = new Lint(document);
  for (const [name, schema] of Object.entries(document.$defs)) {
    lint.expect(/^[A-Z][A-Za-z0-9]*$/.test(name), name, 'the name of a definition must be in PascalCase');
    lint.described(schema.description, name);
    lint.schema(schema, name, true);
  }
  for (const method of document.methods) lint.method(method);
  lint.registry();
  for (const name of Object.keys(document.$defs))
    lint.expect(lint.used.has(name) || name === 'ErrorData', name, 'is not used');
  // As long as a reference has no target, the examples cannot be checked.
  const dangling = lint.problems.some((problem) => problem.endsWith('which is not there'));
  return dangling ? lint.problems : [...lint.problems, ...lintExamples(document)];
}
