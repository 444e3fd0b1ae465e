// conversation/enterTangent: a side conversation begins, with the files where the client wants them back.
import { given } from '../../../base/given.ts';
import { defineConversationChange } from '../../conversation-change.ts';
import { enterTangentWithFiles } from '../../tangent-files.ts';

export const command = defineConversationChange(
  'conversation/enterTangent',
  ({ session, params, keyed, context }) =>
    enterTangentWithFiles(session, params.files ?? false, context, keyed),
  ({ entered, filesCheckpoint }) => ({ entered, ...given({ checkpoint: filesCheckpoint }) }),
);
