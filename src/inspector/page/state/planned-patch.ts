// Reads a unified patch with the changes that a plan would make in the files. The page requests the patch after the
// plan, because the daemon makes a plan much faster than a patch. For a revert, the daemon makes the plan again with a
// patch. For a restore, the daemon compares the work tree with the checkpoint.
import { textOfWire } from '../diff/contents.ts';
import { LinkError } from '../wire.ts';
import type { ChangeEffects, Intent } from './intent.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';

/** A plan with more paths than this is shown without a patch. */
const pathsMax = 1000;

/**
 * Returns the patch. Returns an empty text when the patch is too long to be sent, or cannot be known before the change.
 * `again` is a function that requests a revert's plan once more, this time with the patch.
 */
export async function patchOf(
  intent: Intent,
  plan: ChangeEffects,
  again: () => Promise<ChangeEffects>,
  signal: AbortSignal,
): Promise<string> {
  const { restored, deleted, counts } = plan;
  const count = counts.restored + counts.deleted;
  if (count === 0 || count > pathsMax) return '';
  if (intent.does === 'revert') {
    const made = await again();
    const { text = '', encoding } = 'paths' in made ? made : {};
    return textOfWire(text, encoding);
  }
  if (intent.does !== 'restore') return '';
  const { session } = useTimeline();
  const paths = [...restored, ...deleted];
  const wanted = { session, from: intent.tag, format: 'unified', reverse: true, paths } as const;
  try {
    const { text = '', encoding, truncated } = await useLink().ask('checkpoint/diff', wanted, { signal });
    return truncated === true ? '' : textOfWire(text, encoding);
  } catch (error) {
    if (error instanceof LinkError && error.kind === 'ResponseTooLarge') return '';
    throw error;
  }
}
