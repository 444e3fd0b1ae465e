// checkpoint/diff: what differs between two states, in the format that the client asks for.
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import { pathRef, treePaths } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';
import { type DiffEntry, diff } from '../snapshot-diff.ts';

export const command = defineCommand('checkpoint/diff', async ({ session, params, context }) => {
  const request = {
    format: params.format ?? 'nameStatus',
    ...given({ from: params.from, to: params.to, paths: treePaths(params.paths) }),
  };
  const { files, text, stats, truncated } = await diff(session, request, context);
  return { files: files.map(diffFile), ...given({ text }), stats, ...(truncated ? { truncated } : {}) };
});

/** One line of a diff. Contents are text only where the bytes are UTF-8. */
function diffFile(entry: DiffEntry): Wire.DiffFile {
  const old = entry.oldPath === undefined ? undefined : pathRef(entry.oldPath);
  const [before, after] = [entry.before, entry.after].map((content) =>
    content?.kind === 'text' ? content.bytes.toString('utf8') : undefined,
  );
  const isCut = [entry.before, entry.after].some(
    (content) => content?.kind === 'omitted' && content.reason === 'tooLarge',
  );
  return {
    ...pathRef(entry.path),
    absolutePath: Buffer.from(entry.absolutePath, 'latin1').toString('utf8'),
    change: entry.change,
    ...given({ oldPath: old?.path, oldPathBytes: old?.pathBytes }),
    ...(entry.binary ? { binary: true } : {}),
    ...given({ before, after }),
    ...(isCut ? { truncated: true } : {}),
    ...given({ linesAdded: entry.linesAdded, linesRemoved: entry.linesRemoved }),
  };
}
