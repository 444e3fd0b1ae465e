// A settings file that is ours alone, where an agent reads a directory of them.
import type { Change, Settings } from './settings.ts';

/** `isOurs` tells whether a text was written by us, whatever version it was. */
export function ownFile(file: string, content: string, isOurs: (text: string) => boolean): Settings {
  return {
    file,
    add: (text): Change =>
      text === undefined || isOurs(text)
        ? { text: content }
        : { left: 'a file of that name is there, and not ours' },
    remove: (text): Change =>
      isOurs(text) ? { text: undefined } : { left: 'a file of that name is there, and not ours' },
  };
}
