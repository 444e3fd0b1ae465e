// Defines the changes that the user can request on the page. Also defines the choices in the dialog of a change, and
// the undo that reverses the change.
import type {
  ConflictPolicy,
  HunkRef,
  PathRef,
  RestoreMode,
  RestoreResult,
  RestoreScope,
  RevertResult,
} from '../../../protocol/types.ts';

/**
 * The change that the user requested: a restore of a checkpoint or of some of its paths, a revert, an undo or a redo.
 */
export type Intent =
  | {
      readonly does: 'restore';
      readonly tag: string;
      readonly label: string;
      readonly paths?: readonly PathRef[];
    }
  | {
      readonly does: 'revert';
      /**
       * The changes of one checkpoint, or the changes between two states. Without `to`, the later state is the current
       * state.
       */
      readonly range: { readonly tag: string } | { readonly from: string; readonly to?: string | undefined };
      readonly label: string;
      readonly paths?: readonly PathRef[];
      readonly hunks?: readonly HunkRef[];
    }
  | { readonly does: 'undo'; readonly of?: Reversed }
  | { readonly does: 'redo'; readonly of?: Reversed };

/**
 * The kind of change that an undo or redo reverses. When absent, the undo or redo reverses the last change of any kind.
 */
type Reversed = 'restore' | 'revert';

/** The effects of a planned or completed change. */
export type ChangeEffects = RestoreResult | RevertResult;

export interface Choices {
  mode: RestoreMode;
  scope: RestoreScope;
  onConflict: ConflictPolicy;
  /** The policy of a revert for paths in conflict: paths whose later changes contradict the revert. */
  conflicts: 'leave' | 'markers';
  /** The session whose changes are reverted. An empty text stands for all sessions. */
  author: string;
}

/** The choices when a dialog opens. */
export const usual: Choices = {
  mode: 'soft',
  scope: 'files',
  onConflict: 'overwrite',
  conflicts: 'leave',
  author: '',
};

/** Returns the undo or redo that reverses the change. */
export function reverseOf(intent: Intent): Intent {
  if (intent.does === 'restore' || intent.does === 'revert') return { does: 'undo', of: intent.does };
  return intent.does === 'undo' ? { ...intent, does: 'redo' } : { ...intent, does: 'undo' };
}
