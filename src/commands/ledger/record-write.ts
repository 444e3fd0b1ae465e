// ledger/recordWrite: the agent says that it wrote (or deleted) a path just now.
import { given } from '../../base/given.ts';
import { recordWrite } from '../../session/ledger/authorship.ts';
import { treePath } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'ledger/recordWrite',
  ({ session, params, context }) =>
    recordWrite(session, { path: treePath(params), ...given({ toolName: params.toolName }) }, context),
  { isKeptWithEffect: true, check: ({ params }) => treePath(params) },
);
