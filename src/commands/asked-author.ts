// Finds the session that a client names as the author. A revert or restore with an author undoes only this author's
// changes.
import { CheckpointdError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import { oneLine } from '../base/text/one-line.ts';
import type { RevertRange } from '../checkpoints/revert-range.ts';
import { type AuthorAsked, headsOf } from '../restore/revert-author.ts';
import { missedReports } from '../session/missed-reports.ts';
import { agentNameOf } from '../session/recorded-writes.ts';
import { reportedContent } from '../session/reported-contents.ts';
import type { Session } from '../session/session.ts';

/** Returns the author that a client names in a revert of the given range. @throws UnknownPart */
export function askedAuthor(session: Session, range: RevertRange, asked: string): AuthorAsked {
  const author = authorNamed(session, range, asked);
  const { paths, isPartial } = missedReports(session, range.from.record.timestamp);
  const doubt = isPartial ? 'unknownAuthor' : undefined;
  const { reportedDirectory } = session.parts.directory;
  return {
    session: author,
    doubtAt: (path) => (paths.has(path) ? 'mixedAuthors' : doubt),
    reported: (blob) => reportedContent(reportedDirectory, blob),
  };
}

/** Returns the session of an author. The client names the id or the agent of the session. @throws UnknownPart */
function authorNamed(session: Session, range: RevertRange, author: string): SessionId {
  const { index, ledger } = session.requireCheckpoints();
  const known = ledger.reports.agents().set(session.id, agentNameOf(session));
  const byId = [...known.keys()].find((id) => id === author);
  if (byId !== undefined) return byId;
  const isNamed = (agents: ReadonlyMap<SessionId, string | undefined>): SessionId[] =>
    [...agents].filter(([, agent]) => agent === author).map(([id]) => id);
  const named = isNamed(ledger.reports.agents(headsOf(index, range)));
  const [only = isNamed(known)[0], second] = named;
  if (only !== undefined && second === undefined) return only;
  const shown = oneLine(author);
  throw new CheckpointdError(
    'UnknownPart',
    only === undefined
      ? `Neither a session nor an agent named ${JSON.stringify(shown)} reported a write to this session. Nothing was changed. Give the id of a session on this work tree, or the name of its agent.`
      : `Several sessions of ${shown} reported writes in the range. Nothing was changed. Give the id of one of these sessions: ${named.join(', ')}.`,
    { details: { author: shown, sessions: only === undefined ? undefined : named.sort() } },
  );
}
