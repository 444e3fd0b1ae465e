// Translates the protocol's reasons into texts for people: `tooLarge` becomes "larger than the limit".

const words: Readonly<Record<string, string>> = {
  accessDenied: 'you have no permission to write there',
  binary: 'a binary file that was changed later',
  blocked: 'a parent of the path is not a directory',
  bothAdded: 'the reverted change deleted the file, which was created again later',
  busy: 'another program uses the file',
  changedMeanwhile: 'another program changed the file during the restore',
  collision: 'this disk does not distinguish the path from another path',
  conflict: 'changed outside this session',
  content: 'the same lines were changed later',
  contentLost: 'the store has lost the content',
  deleted: 'one of the two changes deleted or renamed the file, and the other change edited it',
  device: 'a device',
  earlier: 'an earlier push did not send the file',
  fifo: 'a named pipe',
  included: 'an ignored file that the session includes',
  inTheWay: 'a file was replaced by a directory, or a directory by a file',
  kind: 'a file was replaced by a link, or a link by a file',
  leftOut: 'you left the file out',
  link: 'the link was changed later',
  mixedAuthors: 'another session wrote to the file, too',
  mode: 'the permissions were changed later',
  nameTooLong: 'the name is too long',
  nestedGitDirectory: "git's own directory",
  notCapturedThen: 'the checkpoint did not capture the path',
  notRestored: 'the file changed later, but the reversed restore had not changed it',
  notSent: 'the file stayed on the machine that pushed the checkpoint',
  pattern: 'files with such a name often contain secrets',
  readOnly: 'the disk is read-only there',
  renamed: 'the file was renamed later, or the revert would give two files one name',
  secret: 'the file looks like a secret',
  socket: 'a socket',
  strictMode: 'other users cannot read the file',
  temporaryName: 'named like a temporary file of a restore',
  tooLarge: 'larger than the limit',
  undecided: 'git could not say whether the path is ignored',
  unknownAuthor: 'the ledger cannot say who changed the file',
  unreadable: 'you have no permission to read the file',
  unsafeName: 'the stored name is unsafe',
  unsaved: 'a file is in the way and cannot be saved first',
  unstable: 'the file changed each time it was read',
  unsupported: 'this disk cannot store a file of this kind or with this name',
  vanished: 'the file disappeared during the capture',
};

/** Returns a reason as text for people. Returns an unknown reason unchanged, because a newer daemon may send one. */
export function inWords(reason: string): string {
  return words[reason] ?? reason;
}

/** Returns all reasons that have a text. @forTests */
export const reasonsInWords: readonly string[] = Object.keys(words);
