// operation/get: the fate of an operation, for a client that lost its connection before the answer.
import { given } from '../base/given.ts';
import { errorCodes } from '../protocol/methods.ts';
import { defineCommand } from './command.ts';

export const operationGet = defineCommand('operation/get', ({ session, params }) => {
  const fate = session.parts.operations.find(params.operation ?? params.idempotencyKey ?? '');
  if (fate === undefined) return { state: 'unknown' };
  const { state, operation, method, result, checkpoint, error } = fate;
  return {
    state,
    operation,
    method,
    ...given({ result, checkpoint }),
    ...given({ error: error && { code: errorCodes[error.kind], ...error } }),
  };
});
