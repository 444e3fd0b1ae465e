// Switches from one session to another. The selection and the comparison of the old session are dropped.
import { useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';

/** Shows a session at its newest checkpoint. */
export async function showSession(session: string): Promise<void> {
  const [timeline, view] = [useTimeline(), useView()];
  [view.base, view.selected, view.file] = [undefined, undefined, undefined];
  view.room = 'checkpoints';
  await timeline.show(session);
  view.selected = timeline.head;
}
