// conversation/import: a document in place of the conversation.
import { CheckpointdError } from '../../base/errors.ts';
import type * as Wire from '../../protocol/types.ts';
import { asItIs, defineConversationChange, warned } from '../conversation-change.ts';
import { readDocumentFile } from '../conversation-document.ts';

export const command = defineConversationChange(
  'conversation/import',
  async ({ session, conversation, params, keyed, context }) => {
    checkSource(params);
    const { document, path } = params;
    const source = path == null ? document : await readDocumentFile(session, path);
    const imported = await conversation.import(source, { signal: context.signal, idempotency: keyed });
    return warned(context, imported);
  },
  asItIs,
  { check: ({ params }) => checkSource(params) },
);

/** @throws InvalidParams */
function checkSource({ document, path }: Pick<Wire.ConversationImportParams, 'document' | 'path'>): void {
  if ((document == null) === (path == null))
    throw new CheckpointdError('InvalidParams', 'Give either document or path.');
}
