// Whose refs a store of refs holds, where they lie, and who else may touch them.
import type { SpareFiles } from '../objects/spare-files.ts';
import type { GitPlace } from '../process/environment.ts';

export interface RefStoreOptions {
  /** The repository that holds the refs; for `local` the user's own. */
  readonly place: GitPlace;
  /** Where the ref files and their locks really lie, when that is not the place's git dir. */
  readonly refsIn?: string;
  /** Namespaces of ours, ending in `/`: nothing else is read or moved. */
  readonly prefixes: readonly string[];
  /** The directories that they lie in, looked at for the work of other programs. */
  readonly directories: readonly string[];
  /** Before refs are put back that another program moved: brings back what they hold, as far as it can. */
  readonly heal?: () => Promise<void>;
  /** Refs that another program had moved are where they were, but for those that held what is gone. */
  readonly onPutBack?: (back: number, lost: number) => void;
  /** Where an unfinished transaction is written down; in a directory of ours. */
  readonly intentFile: string;
  /** Whether moved refs survive a power cut: their directories are synced, too. */
  readonly durable: boolean;
  /** Whether the daemon syncs the ref files because this git cannot: a power cut must leave none of them empty. */
  readonly syncsFiles: boolean;
  /** Only where nobody but us makes refs: new ones are then made without asking git. */
  readonly spares?: SpareFiles | undefined;
}
