// Describes the sessions of the storage, and switches to a different session.
import type { InspectedSession } from '../own-methods.ts';
import { useBeside, useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { plainText, sinceWords } from './text.ts';

/**
 * Shows a session at its newest checkpoint. Drops the selection and the comparison of the previous session. If the
 * session was already on the page as the second session, the two sessions swap places.
 */
export async function showSession(session: string): Promise<void> {
  const [timeline, beside, view] = [useTimeline(), useBeside(), useView()];
  [view.base, view.selected, view.file] = [undefined, undefined, undefined];
  view.room = 'checkpoints';
  if (session === beside.session) void beside.show(timeline.session);
  // The page selects the newest checkpoint as soon as the timeline contains it.
  await timeline.show(session);
}

/** Returns the name of the directory of a work tree. */
export const workTreeName = (workspace: string): string =>
  workspace.slice(workspace.lastIndexOf('/') + 1) || workspace;

/** Returns a line that identifies a session: work tree, agent, first prompt and age. */
export function sessionWords({ workspace, agent, firstPrompt, lastUsedMs }: InspectedSession): string {
  const said = firstPrompt === undefined ? '' : ` · “${plainText(firstPrompt).slice(0, 40)}”`;
  return `${plainText(workTreeName(workspace))} · ${agent}${said} · ${sinceWords(lastUsedMs)}`;
}
