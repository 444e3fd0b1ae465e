// checkpoint/diff, files and readFile: looking into checkpoints without moving anything.
import { diff } from '../../commands/diff.ts';
import { filesOf, readFile } from '../../commands/snapshot-files.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given, treePath, treePaths } from '../from-protocol.ts';
import { pageOf } from '../paging.ts';
import { diffFile, snapshotFile } from '../to-protocol.ts';
import { readContext } from './operation.ts';

type LookMethods = 'checkpoint/diff' | 'checkpoint/files' | 'checkpoint/readFile';

const readBytesMax = 8 * 1024 * 1024;

export function lookHandlers(sessions: Sessions): Pick<Handlers, LookMethods> {
  return {
    'checkpoint/diff': async (params, context) => {
      const session = sessions.get(params.session);
      const paths = treePaths(params.paths);
      const request = {
        format: params.format ?? 'nameStatus',
        ...given({ from: params.from, to: params.to, paths }),
      };
      const { files, text, stats, truncated } = await diff(session, request, readContext(context));
      return {
        files: files.map(diffFile),
        ...(text === undefined ? {} : { text }),
        stats,
        ...(truncated ? { truncated } : {}),
      };
    },
    'checkpoint/files': async (params) => {
      const checkpoints = sessions.get(params.session).requireCheckpoints();
      const { record } = checkpoints.index.resolve(params.tag);
      const changedOnly = params.changedOnly ?? false;
      const { files, fileCount, totalSize } = await filesOf(checkpoints, params.tag, changedOnly);
      const page = pageOf(files, `${record.id} ${changedOnly}`, params, 1000);
      return {
        files: page.items.map(snapshotFile),
        fileCount,
        totalSize,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    },
    'checkpoint/readFile': async (params) => {
      const checkpoints = sessions.get(params.session).requireCheckpoints();
      const length = Math.min(params.length ?? readBytesMax, readBytesMax);
      const request = { tag: params.tag, path: treePath(pathOf(params)), offset: params.offset ?? 0, length };
      const { exists, bytes, size, eof, mode } = await readFile(checkpoints, request);
      if (!exists) return { exists, encoding: 'utf-8', size, eof };
      const text = bytes.toString('utf8');
      const isText = Buffer.from(text, 'utf8').equals(bytes);
      return {
        exists,
        data: isText ? text : bytes.toString('base64'),
        encoding: isText ? 'utf-8' : 'base64',
        size,
        eof,
        ...given({ mode }),
      };
    },
  };
}

function pathOf({ path, pathBytes }: Wire.CheckpointReadFileParams): Wire.PathRef {
  return pathBytes == null ? { path } : { path, pathBytes };
}
