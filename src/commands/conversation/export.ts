// conversation/export: the conversation as a document, answered or written to a file. It changes nothing of the
// session, so it can be had from one that can store nothing any more.
import type * as Wire from '../../protocol/types.ts';
import { defineCommand } from '../command.ts';
import {
  documentOf,
  type ExportPlace,
  exportToFile,
  placeOfExport,
  sizeOfDocument,
} from '../conversation-document.ts';

export const command = defineCommand<'conversation/export', ExportPlace | undefined>(
  'conversation/export',
  async ({ session }, place) => {
    if (place !== undefined) return exportToFile(session, place);
    const document = await documentOf(session);
    return { document: document as unknown as Wire.JsonObject, bytes: await sizeOfDocument(document) };
  },
  {
    beforeLane: ({ session, params: { path, overwrite }, daemon: { sessions }, context }) =>
      path == null
        ? undefined
        : placeOfExport(session, { path, overwrite: overwrite ?? false }, sessions.all, context),
  },
);
