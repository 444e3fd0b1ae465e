// What an agent must hear before its next turn: files that it knows went back to an earlier state meanwhile.
import type { CheckpointdClient } from '../../client/client.ts';
import { plain } from '../terminal.ts';

const listedMax = 50;

/** A text for the model; undefined when nothing was restored since the last turn or tool. */
export async function restoredSince(client: CheckpointdClient, session: string): Promise<string | undefined> {
  const { head } = await client.request('session/get', { session });
  if (head?.kind !== 'restore' || head.parent === undefined) return undefined;
  const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'every', limit: 1000 });
  const last = checkpoints.filter(({ kind, seq }) => seq < head.seq && (kind === 'turn' || kind === 'tool'));
  const newest = last.reduce<(typeof last)[number] | undefined>(
    (best, each) => (best === undefined || each.seq > best.seq ? each : best),
    undefined,
  );
  const from = newest?.id ?? head.parent;
  const { files, stats } = await client.request('checkpoint/diff', { session, from, to: head.id });
  const count = stats.added + stats.modified + stats.deleted;
  if (count === 0) return undefined;
  const names = files.slice(0, listedMax).map(({ path, change: status }) => `- ${plain(path)} (${status})`);
  const more = count > names.length ? [`- and ${count - names.length} more`] : [];
  return [
    `The user restored files with checkpointd at ${head.timestamp} (${plain(head.description)}).`,
    'Compared with your last step these files are different now. Read them again before you rely on them:',
    ...names,
    ...more,
  ].join('\n');
}
