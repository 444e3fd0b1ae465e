// Reads the checkpoints, the log and the facts of an open session at one moment, and pushes them to a remote
// as a line. Does not change the session.
import { basename } from 'node:path';
import type { LogRecord } from '../conversation/log/session-log.ts';
import type { LineIdentity } from '../remote/line-reader.ts';
import type { LineSource } from '../remote/line-writer.ts';
import { type Pushed, type PushRequest, pushLine } from '../remote/push-line.ts';
import { Remotes } from '../remote/remotes.ts';
import { firstPrompt } from './description.ts';
import type { Session } from './session.ts';

/** The options of one push, including the callback for its progress. */
type PushChoices = Pick<PushRequest, 'choices' | 'dryRun' | 'signal' | 'onCheckpoint' | 'warn'>;

/**
 * Pushes the current state of an open session, after all earlier pushes of this session have ended. If other writers
 * have pushed lines of this session, notifies clients once of each such line.
 *
 * @throws as {@link pushLine}; CheckpointsDisabled
 */
export async function pushSession(
  session: Session,
  remote: string,
  choices: PushChoices,
  by?: object,
): Promise<Pushed> {
  const { directory, marker, events } = session.parts;
  const pushed = await session.pushes.run(() =>
    pushLine({
      ...choices,
      remotes: new Remotes(directory.storage),
      remote,
      directory: directory.travelDirectory,
      session: session.id,
      origin: marker.origin,
      source: lineSource(session),
      heads: session.pushedHeads,
    }),
  );
  for (const { writer, commit } of pushed.others) {
    const known = `${remote} ${writer}`;
    if (writer === undefined || session.knownLines.has(known)) continue;
    session.knownLines.add(known);
    events.lineFound(session, { remote, writer, head: commit }, by);
  }
  return pushed;
}

/**
 * Returns a function that reads the session's state when the function is called. A push calls this function after
 * waiting for the remote, because requests may change the session during this wait. @throws CheckpointsDisabled, now
 * and from the returned function
 */
export function lineSource(session: Session): (identity: LineIdentity) => LineSource {
  session.requireCheckpoints();
  return (identity) => {
    const { marker, workTree, sessionLog, conversation } = session.parts;
    const checkpoints = session.requireCheckpoints();
    const { index, store } = checkpoints;
    const all = index.list('every').filter(({ record }) => record.kind !== 'safety');
    const { length } = sessionLog;
    return {
      store,
      checkpoints: all.map(({ record, name }) => ({
        record,
        tag: index.tagOf(record.id),
        name,
      })),
      log: () => firstOf(sessionLog.replay(), length),
      facts: {
        ...identity,
        created: marker.created,
        conversationId: marker.conversationId,
        workspace: basename(workTree.root),
        strategy: marker.strategy,
        historyLength: conversation.state.history.length,
        title: firstPrompt(checkpoints),
        head: index.head?.record.id,
        origin: marker.origin && {
          session: marker.origin.session,
          writer: marker.origin.writer,
          commit: marker.origin.commit,
        },
      },
    };
  };
}

/** Yields the first `length` records. A record that is appended meanwhile belongs to the next push. */
async function* firstOf(
  records: AsyncIterable<{ readonly position: number; readonly record: LogRecord }>,
  length: number,
): AsyncGenerator<LogRecord> {
  for await (const { position, record } of records) {
    if (position > length) return;
    yield record;
  }
}
