// The commands on the ledger: what happened to a path, and what the agent reports to have written.
import { given } from '../base/given.ts';
import { pathHistory, recordWrite } from '../session/authorship.ts';
import { pageOf } from './answers/paging.ts';
import { treePath } from './answers/paths.ts';
import { defineCommand } from './command.ts';

export const ledgerHistory = defineCommand('ledger/history', async ({ session, params }) => {
  const path = treePath(params);
  const { entries, present } = await pathHistory(session, path);
  const { items, nextCursor } = pageOf(entries, `ledger ${session.id} ${path}`, params);
  return { entries: items, ...given({ present, nextCursor }) };
});

/** Notes that the agent wrote or deleted a path just now. */
export const ledgerRecordWrite = defineCommand(
  'ledger/recordWrite',
  ({ session, params, context }) =>
    recordWrite(session, { path: treePath(params), ...given({ toolName: params.toolName }) }, context),
  { isKeptWithEffect: true, check: ({ params }) => treePath(params) },
);
