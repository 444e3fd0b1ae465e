// Generates src/protocol/methods.ts. This file has two tables: the facts about each method that dispatch needs, and the
// numbers of the errors. The schemas are handled by typescript-validators.ts.
import {
  type ErrorEntry,
  type GeneratedFile,
  generatedNotice,
  type Method,
  type ProtocolDocument,
  resolve,
  schemaHash,
} from './dialect.ts';

function methodRow(method: Method, document: ProtocolDocument): string {
  const facts = {
    kind: method.kind,
    direction: method.direction,
    lane: method.lane,
    effects: method.effects,
    idempotency: method.idempotency,
    cancellable: method.cancellable,
    progress: method.progress,
    namesSession: namesSession(method, document),
  };
  const text = Object.entries(facts).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  return `  '${method.name}': { ${text.join(', ')} },\n`;
}

/**
 * True when the parameters must name a session. In all other methods, a field `session` may have a different meaning.
 */
function namesSession(method: Method, document: ProtocolDocument): boolean {
  return (
    method.params !== undefined && resolve(document, method.params).required?.includes('session') === true
  );
}

const errorRow = (error: ErrorEntry): string => `  ${error.name}: ${error.code},\n`;

const interfaceText = `/** The facts that dispatch needs about a method. */
export interface MethodFacts {
  readonly kind: 'request' | 'notification';
  readonly direction: 'clientToServer' | 'serverToClient' | 'both';
  /**
   * \`session\`: runs alone in the session's queue. \`remote\`: one at a time for each remote. \`global\`: one at a time in
   * the daemon. \`none\`: starts at once.
   */
  readonly lane: 'session' | 'remote' | 'global' | 'none';
  readonly effects: 'none' | 'store' | 'workspace' | 'process';
  /** \`key\`: takes an \`idempotencyKey\`. \`natural\`: a repetition has no further effect. \`safe\`: has no effect at all. */
  readonly idempotency: 'safe' | 'key' | 'natural' | 'none';
  readonly cancellable: boolean;
  readonly progress: boolean;
  /** True when the parameters of the method name a session. */
  readonly namesSession: boolean;
}
`;

/** Emits the table of methods, the error numbers, the version and the hash. */
export function typescriptMethods(document: ProtocolDocument): GeneratedFile {
  const content = [
    `// ${generatedNotice}\n`,
    interfaceText,
    `/** The version of the protocol, as in the answer to \`initialize\`. */\nexport const protocolVersion = '${document.protocolVersion}';\n`,
    `/** The hash of the protocol's shape, as in the answer to \`initialize\`. */\nexport const schemaHash = '${schemaHash(document)}';\n`,
    `/** Every method and event. Look up names with \`Object.hasOwn\`, because a client may send \`constructor\`. */\nexport const methods = {\n${document.methods.map((method) => methodRow(method, document)).join('')}} as const satisfies Readonly<Record<string, MethodFacts>>;\n`,
    'export type MethodName = keyof typeof methods;\n',
    `/** The code of each kind of error. */\nexport const errorCodes = {\n${document.errors.map(errorRow).join('')}} as const;\n`,
    'export type ErrorName = keyof typeof errorCodes;\n',
  ].join('\n');
  return { path: 'src/protocol/methods.ts', content };
}
