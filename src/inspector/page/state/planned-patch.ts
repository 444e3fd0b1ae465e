// The change that a plan would make to the files, as a unified patch: a revert answers it with its plan, and for a
// restore the daemon compares the work tree with the checkpoint.
import { textOfWire } from '../diff/contents.ts';
import { LinkError } from '../wire.ts';
import type { ChangeEffects, Intent } from './intent.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';

/** A plan of more paths is shown without its patch. */
const pathsMax = 1000;

/** Returns the patch; undefined where it is empty, too long to be sent, or not known before the change. */
export async function patchOf(
  intent: Intent,
  plan: ChangeEffects,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (intent.does === 'revert') {
    const { text = '', encoding } = 'paths' in plan ? plan : {};
    return textOfWire(text, encoding) || undefined;
  }
  const { restored, deleted, counts } = plan;
  const count = counts.restored + counts.deleted;
  if (intent.does !== 'restore' || count === 0 || count > pathsMax) return undefined;
  const { session } = useTimeline();
  const paths = [...restored, ...deleted];
  const wanted = { session, from: intent.tag, format: 'unified', reverse: true, paths } as const;
  try {
    const { text = '', encoding, truncated } = await useLink().ask('checkpoint/diff', wanted, { signal });
    return truncated === true ? undefined : textOfWire(text, encoding) || undefined;
  } catch (error) {
    if (error instanceof LinkError && error.kind === 'ResponseTooLarge') return undefined;
    throw error;
  }
}
