// The list of all files generated from protocol/protocol.json. A new projection needs one new file and one line in this
// list.
import type { GeneratedFile, ProtocolDocument } from './dialect.ts';
import { jsonSchema } from './json-schema.ts';
import { metaModel } from './meta-model.ts';
import { openRpc } from './open-rpc.ts';
import { pythonErrors } from './python-errors.ts';
import { pythonRequests, pythonSyncRequests } from './python-requests.ts';
import { pythonTypes } from './python-types.ts';
import { reference } from './reference.ts';
import { rustTypes } from './rust-types.ts';
import { typescriptMethods } from './typescript-methods.ts';
import { typescriptRemedies } from './typescript-remedies.ts';
import { typescriptTypes } from './typescript-types.ts';
import { typescriptValidators } from './typescript-validators.ts';

export const projections: readonly ((document: ProtocolDocument) => GeneratedFile)[] = [
  typescriptTypes,
  typescriptMethods,
  typescriptRemedies,
  typescriptValidators,
  jsonSchema,
  openRpc,
  metaModel,
  pythonTypes,
  pythonRequests,
  pythonSyncRequests,
  pythonErrors,
  rustTypes,
  reference,
];
