// conversation/tangent: whether a side conversation is open, and since when.
import { given } from '../../../base/given.ts';
import { defineCommand } from '../../command.ts';

export const command = defineCommand('conversation/tangent', ({ session }) => {
  const { tangents, state } = session.parts.conversation;
  const { active, durationSeconds, added } = tangents.status();
  const { tangent } = state;
  if (tangent === undefined) return { active };
  return {
    active,
    ...given({ durationSeconds }),
    tangentStartTime: new Date(tangent.tangentStartTime).toISOString(),
    ...given({ added, files: tangent.filesCheckpoint === undefined ? undefined : true }),
  };
});
