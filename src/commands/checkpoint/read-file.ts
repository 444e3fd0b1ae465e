// checkpoint/readFile: the bytes of one file (or the target of one link) in a checkpoint, without touching the work tree.
import { CheckpointdError } from '../../base/errors.ts';
import { isWithin, toText } from '../../tree/tree-path.ts';
import { treePath } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';
import { lostContent } from '../lost-content.ts';

const readBytesMax = 8 * 1024 * 1024;

export const command = defineCommand('checkpoint/readFile', async ({ session, params }) => {
  const { store, index } = session.requireCheckpoints();
  const path = treePath(params);
  const offset = params.offset ?? 0;
  const { snapshot } = index.resolve(params.tag).record;
  const entry = await store.entry(snapshot, path);
  if (entry === undefined) {
    const isDirectory = (await store.entries(snapshot, path)).some((other) => isWithin(other.path, path));
    if (!isDirectory) return { exists: false, encoding: 'utf-8', size: 0, eof: true };
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `"${toText(path)}" is a directory in that checkpoint. Name a file; checkpoint/files lists them.`,
      { details: { path: toText(path) } },
    );
  }
  const [size = -1] = await store.sizes([entry.blob]);
  if (size < 0) throw lostContent(entry);
  const length = Math.max(0, Math.min(params.length ?? readBytesMax, readBytesMax, size - offset));
  const chunks: Uint8Array[] = [];
  if (length > 0) for await (const chunk of store.read(entry.blob, { offset, length })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return {
    exists: true,
    data: isText ? text : bytes.toString('base64'),
    encoding: isText ? 'utf-8' : 'base64',
    size,
    eof: offset + length >= size,
    mode: entry.mode,
  };
});
