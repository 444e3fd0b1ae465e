// ledger/history: who changed a file, and when.
import { given } from '../../base/given.ts';
import { pathHistory } from '../../session/ledger/authorship.ts';
import { pageOf } from '../answers/paging.ts';
import { treePath } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('ledger/history', async ({ session, params }) => {
  const path = treePath(params);
  const { entries, present } = await pathHistory(session, path);
  const { items, nextCursor } = pageOf(entries, `ledger ${session.id} ${path}`, params);
  return { entries: items, ...given({ present, nextCursor }) };
});
