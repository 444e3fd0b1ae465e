// The version of this package, and a daemon of another one: that is said, and gone on with where both speak the same
// protocol.
import { clientVersion } from '../client/this-package.ts';
import type { InitializeResult } from '../protocol/types.ts';
import { note, plain } from './terminal.ts';

/** The protocol that we speak, by its first number: within it a later one only adds. */
const spoken = '1';

/** The daemon speaks another protocol; the message says what helps. */
export class OtherProtocol extends Error {
  readonly code = 'OTHER_PROTOCOL';
}

/** Says that the versions differ. @throws OtherProtocol */
export function compareVersions({
  serverInfo,
  protocolVersion,
}: Pick<InitializeResult, 'serverInfo' | 'protocolVersion'>): void {
  const own = clientVersion();
  const theirs = plain(serverInfo.version);
  if (protocolVersion.split('.')[0] !== spoken)
    throw new OtherProtocol(
      `the daemon that has this session open is checkpointd ${theirs} and speaks protocol ${plain(protocolVersion)}; this is ${own} and speaks ${spoken}. Use the command of that version, or end the daemon's client first.`,
    );
  if (theirs !== own)
    note(
      `the daemon of this session is checkpointd ${theirs}, this is ${own}; what one of them does not know is refused`,
    );
}
