// conversation/import: a document in place of the conversation.
import { CheckpointdError } from '../../base/errors.ts';
import { asItIs, defineConversationChange, warned } from '../conversation-change.ts';
import { readDocumentFile } from '../conversation-document.ts';

export const command = defineConversationChange(
  'conversation/import',
  async ({ session, conversation, params: { document, path }, keyed, context }) => {
    if ((document == null) === (path == null))
      throw new CheckpointdError('InvalidParams', 'Give either document or path.');
    const source = path == null ? document : await readDocumentFile(session, path);
    const imported = await conversation.import(source, { signal: context.signal, idempotency: keyed });
    return warned(context, imported);
  },
  asItIs,
);
