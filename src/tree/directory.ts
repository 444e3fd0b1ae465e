// A tree as directories in memory: what a capture builds and a store reads back.
import type { BlobId } from '../base/ids.ts';
import type { EntryMode } from './entry.ts';

/** A directory under construction or read back. Names are latin1 byte strings; a sealed one is never changed. */
export interface Directory {
  readonly entries: Map<string, Directory | FileNode>;
  /** Permission bits of the directory, only when stricter than usual (as for files). */
  permissions?: number;
  /** The store's own id of this directory's content, set when the tree is stored; shared between scans. */
  sealed?: string;
}

export interface FileNode {
  readonly mode: EntryMode;
  readonly permissions?: number;
  readonly blob: BlobId;
}

export function isDirectory(node: Directory | FileNode): node is Directory {
  return 'entries' in node;
}
