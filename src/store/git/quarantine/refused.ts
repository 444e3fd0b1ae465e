// What the system answers when objects cannot go into the user's repository, in the client's words.
import { CheckpointdError, fileLimit, isNoSpace, systemCode } from '../../../base/errors.ts';

/** The failure of a write below `directory`; what is not the system's stays what it is. */
export function refused(directory: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined || cause instanceof CheckpointdError) return cause;
  const facts = { details: { path: directory, code }, cause };
  if (isNoSpace(cause)) {
    const message = `The disk of ${directory} is full. Free some space and try again. Nothing was changed.`;
    return new CheckpointdError('NoSpace', message, { ...facts, retryable: true });
  }
  const limited = fileLimit(cause, facts);
  if (limited !== undefined) return limited;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const remedy =
      code === 'EROFS'
        ? 'Their file system is read-only: make it writable'
        : 'Make them yours again (sudo chown -R "$USER" .git)';
    const message = `The objects of your repository, ${directory}, cannot be written (${code}). ${remedy}, or use the strategy "shadow". Nothing was changed.`;
    return new CheckpointdError('ReadOnlyStore', message, facts);
  }
  const message = `The objects of your repository, ${directory}, cannot be used (${code}). Look whether the repository is still there and whole. Nothing was changed.`;
  return new CheckpointdError('StoreUnavailable', message, facts);
}
