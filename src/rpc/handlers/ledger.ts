// ledger/*: what the agent says that it wrote, and who changed a file when.

import type * as Wire from '../../protocol/types.ts';
import type { LedgerEntryView, RecordedWrite } from '../../session/ledger/authorship.ts';
import { pathHistory, recordWrite } from '../../session/ledger/authorship.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given, treePath } from '../from-protocol.ts';
import { pageOf } from '../paging.ts';
import { mutate } from './operation.ts';

export function ledgerHandlers(sessions: Sessions): Pick<Handlers, 'ledger/recordWrite' | 'ledger/history'> {
  return {
    'ledger/recordWrite': async (params, context) => {
      const session = sessions.get(params.session);
      const path = treePath(
        params.pathBytes == null ? { path: params.path } : { path: params.path, pathBytes: params.pathBytes },
      );
      return mutate(
        session,
        'ledger/recordWrite',
        params,
        context,
        (operation) => recordWrite(session, { path, ...given({ toolName: params.toolName }) }, operation),
        async (_checkpoint, effect) => effect as RecordedWrite,
        { isLoggedWithEffect: true },
      );
    },
    'ledger/history': async (params) => {
      const session = sessions.get(params.session);
      const path = treePath(
        params.pathBytes == null ? { path: params.path } : { path: params.path, pathBytes: params.pathBytes },
      );
      const { entries, present } = await pathHistory(session, path);
      const page = pageOf(entries, `ledger ${session.id} ${path}`, params);
      return {
        entries: page.items.map(entry),
        ...(present === undefined ? {} : { present: entry(present) }),
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    },
  };
}

function entry(view: LedgerEntryView): Wire.LedgerEntry {
  return view;
}
