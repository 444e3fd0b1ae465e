// The program of this very package, for whoever starts one: a client its daemon, the command line and its hooks themselves.
import { packageFile } from '../rpc/package-files.ts';

export { packageVersion as clientVersion } from '../rpc/package-files.ts';

/** What `checkpointd` starts; everything that it needs lies beside it. */
export const programFile = (): string => packageFile('dist/program/main.cjs');
