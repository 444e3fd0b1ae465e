// Reads protocol/protocol.json together with the examples of failures in protocol/conformance/faults.json. Only people
// who write or test a server need the examples of failures. This module checks nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Example, ProtocolDocument } from './generate/dialect.ts';

/** Reads the document in this directory, with all examples of each method. */
export function readDocument(root: string): ProtocolDocument {
  const document = read(root, 'protocol/protocol.json') as ProtocolDocument;
  const { examples } = read(root, 'protocol/conformance/faults.json') as {
    readonly examples: Readonly<Record<string, readonly Example[]>>;
  };
  const astray = Object.keys(examples).filter(
    (name) => !document.methods.some((method) => method.name === name),
  );
  if (astray.length > 0) throw new Error(`faults.json has examples of unknown methods: ${astray.join(', ')}`);
  const methods = document.methods.map((method) => ({
    ...method,
    examples: [...method.examples, ...(examples[method.name] ?? [])],
  }));
  return { ...document, methods };
}

function read(root: string, path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
