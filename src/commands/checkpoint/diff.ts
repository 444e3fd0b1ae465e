// checkpoint/diff: what differs between two states, in the format that the client asks for.
import { isUtf8 } from 'node:buffer';
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import { modesOf } from '../../session/diff/differences.ts';
import { pathRef, treePaths } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';
import { type DiffEntry, snapshotDiff } from '../snapshot-diff.ts';

export const command = defineCommand('checkpoint/diff', async ({ session, params, context }) => {
  const request = {
    format: params.format ?? 'nameStatus',
    ...given({
      from: params.from,
      to: params.to,
      paths: treePaths(params.paths),
      perFile: params.perFile,
      binary: params.binary,
      reverse: params.reverse,
    }),
  };
  const { files, text, stats, truncated } = await snapshotDiff(session, request, context);
  return {
    files: files.map(diffFile),
    ...(text && textAnswer(text)),
    stats,
    ...given({ truncated: truncated || undefined }),
  };
});

/** The text of a diff: text where its bytes are UTF-8. */
function textAnswer(text: Buffer): Pick<Wire.CheckpointDiffResult, 'text' | 'encoding'> {
  if (isUtf8(text)) return { text: text.toString('utf8') };
  return { text: text.toString('base64'), encoding: 'base64' };
}

/** One path of a diff. Contents are text only where all of its bytes are UTF-8, and base64 otherwise. */
function diffFile(entry: DiffEntry): Wire.DiffFile {
  const { before, after, contents = {}, unified } = entry;
  const modes = modesOf(entry);
  const old = entry.oldPath === undefined ? undefined : pathRef(entry.oldPath);
  const texts = [contents.before, contents.after, unified];
  const isText = texts.every((bytes) => bytes === undefined || isUtf8(bytes));
  const encoding = isText ? 'utf8' : 'base64';
  return {
    ...pathRef(entry.path),
    absolutePath: Buffer.from(entry.absolutePath, 'latin1').toString('utf8'),
    change: entry.change,
    ...given({ oldPath: old?.path, oldPathBytes: old?.pathBytes }),
    ...given({ binary: entry.binary || undefined }),
    ...given({
      before: contents.before?.toString(encoding),
      after: contents.after?.toString(encoding),
      unified: unified?.toString(encoding),
    }),
    ...given({ encoding: encoding === 'base64' ? encoding : undefined }),
    ...given({ truncated: entry.isCut || undefined }),
    ...given({ linesAdded: entry.linesAdded, linesRemoved: entry.linesRemoved }),
    ...given({ beforeMode: modes.before, afterMode: modes.after }),
    ...given({ beforeSize: sizeOf(before), afterSize: sizeOf(after) }),
  };
}

function sizeOf(side: DiffEntry['before']): number | undefined {
  return side === undefined || side.size < 0 ? undefined : side.size;
}
