// Translates the reasons of the protocol for people: `tooLarge` becomes "larger than the limit".

const words: Readonly<Record<string, string>> = {
  accessDenied: 'you have no permission to write there',
  binary: 'a binary file that was changed later',
  blocked: 'a path above it is not a directory',
  bothAdded: 'deleted in the range, and made again later',
  busy: 'another program uses the file',
  changedMeanwhile: 'another program changed it during the restore',
  collision: 'another path has the same name on this disk',
  conflict: 'changed outside this session',
  content: 'the same lines were changed later',
  contentLost: 'the store has lost its content',
  deleted: 'deleted or renamed on one side, and changed on the other',
  device: 'a device',
  earlier: 'an earlier push did not send it',
  fifo: 'a named pipe',
  included: 'an ignored file that the session includes',
  inTheWay: 'a file in the place of a directory',
  kind: 'a file on one side, and a link on the other',
  leftOut: 'you left it out',
  link: 'the link was changed later',
  mixedAuthors: 'another session wrote to it, too',
  mode: 'the permissions were changed later',
  nameTooLong: 'the name is too long',
  nestedGitDirectory: "git's own directory",
  notCapturedThen: 'the checkpoint did not capture it',
  notRestored: 'it changed later, and the restore had not touched it',
  notSent: 'it stayed on the machine that pushed the checkpoint',
  pattern: 'files with such a name hold secrets',
  readOnly: 'the disk is read-only there',
  renamed: 'renamed later, or two files would get one name',
  secret: 'it looks like a secret',
  socket: 'a socket',
  strictMode: 'other users may not read it',
  temporaryName: 'named like a temporary file of a restore',
  tooLarge: 'larger than the limit',
  undecided: 'git could not say whether it is ignored',
  unknownAuthor: 'the ledger cannot say who changed it',
  unreadable: 'you have no permission to read it',
  unsafeName: 'the stored name is unsafe',
  unsaved: 'the file in its place cannot be saved',
  unstable: 'it changed during each reading',
  unsupported: 'this disk cannot hold such a file',
  vanished: 'it disappeared during the capture',
};

/** Returns a reason as text for people. Returns the unknown reason of a newer daemon unchanged. */
export function inWords(reason: string): string {
  return words[reason] ?? reason;
}

/** Returns all reasons that have a text. @forTests */
export const reasonsInWords: readonly string[] = Object.keys(words);
