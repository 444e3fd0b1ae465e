// Tells whether a file that we cache something of is still the one we read. No contents.
import { systemCode } from '../../base/errors.ts';
import { stampKey } from '../../base/file-stamp.ts';
import { files } from '../../base/files.ts';

/** A key that changes whenever the file is written, replaced, removed or made; links are followed. */
export function fileKey(path: string): string {
  try {
    return stampKey(files.statSync(path, { bigint: true }));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}
