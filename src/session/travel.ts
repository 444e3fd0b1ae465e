// An open session as the source of a line: its checkpoints, its log and its facts at one moment. It reads, and changes
// nothing of the session.
import { basename } from 'node:path';
import { given } from '../base/given.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import type { LineIdentity } from '../remote/line-reader.ts';
import type { LineSource } from '../remote/line-writer.ts';
import { firstPrompt } from './listing.ts';
import type { Session } from './session.ts';

/** Returns what makes a line of the session as it is now. @throws CheckpointsDisabled */
export function lineSource(session: Session): (identity: LineIdentity) => LineSource {
  const { marker, workTree, sessionLog, conversation } = session.parts;
  const checkpoints = session.requireCheckpoints();
  const { index, store } = checkpoints;
  const all = index.list('every').filter(({ record }) => record.kind !== 'safety');
  const { length } = sessionLog;
  return (identity) => ({
    store,
    checkpoints: all.map(({ record, name }) => ({ record, ...given({ tag: index.tagOf(record.id), name }) })),
    log: () => firstOf(sessionLog.replay(), length),
    facts: {
      ...identity,
      created: marker.created,
      conversationId: marker.conversationId,
      workspace: basename(workTree.root),
      strategy: marker.strategy,
      historyLength: conversation.state.history.length,
      ...given({
        title: firstPrompt(checkpoints),
        head: index.head?.record.id,
        origin: marker.origin && {
          session: marker.origin.session,
          writer: marker.origin.writer,
          commit: marker.origin.commit,
        },
      }),
    },
  });
}

/** The records up to a length: what is appended meanwhile belongs to the next push. */
async function* firstOf(
  records: AsyncIterable<{ readonly position: number; readonly record: LogRecord }>,
  length: number,
): AsyncGenerator<LogRecord> {
  for await (const { position, record } of records) {
    if (position > length) return;
    yield record;
  }
}
