// The wire's number of a kind of error. Only looks it up: the table is generated from the error registry.
import type { ErrorKind } from '../../base/errors.ts';
import { errorCodes } from '../../protocol/methods.ts';

export function codeOf(kind: ErrorKind | 'RequestCancelled'): number {
  return errorCodes[kind];
}
