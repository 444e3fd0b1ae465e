// Runs a bundled file with the code that V8 compiled for the file when the package was built. Without this code, the
// compiler takes half of the processor time in which the daemon starts and opens its first session.
// scripts/bundle.ts records the code, and writes the small programs that call `runCompiled`.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { attempt, isMissing } from './base/attempt.ts';
import { files } from './base/files.ts';

/** The bytes of the digest of the source at the end of the recorded code. */
const digestBytes = 20;

export interface RunFile {
  readonly exports: Readonly<Record<string, unknown>>;
  /** True when V8 used recorded code. */
  readonly isRecorded: boolean;
  /** Records the code of every function that has run in this process. The next `runCompiled` of the file uses the code. */
  readonly record: () => void;
}

/**
 * Runs a bundled CommonJS file, which must not use import(). Uses the recorded code if V8 accepts the code, and if the
 * source is unchanged. V8 compares only the length of the source.
 */
export function runCompiled(file: string): RunFile {
  const source = files.readFileSync(file);
  const digest = createHash('sha1').update(source).digest();
  const cachedData = recordedCode(file, digest);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${source.toString('utf8')}\n})`,
    { filename: file, ...(cachedData === undefined ? {} : { cachedData }) },
  );
  const module = { exports: {} };
  const run = script.runInThisContext() as (...own: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file));
  const record = (): void =>
    files.writeFileSync(recordOf(file), Buffer.concat([script.createCachedData(), digest]));
  return { exports: module.exports, isRecorded: script.cachedDataRejected === false, record };
}

function recordedCode(file: string, digest: Buffer): Buffer | undefined {
  const record = attempt(isMissing, () => files.readFileSync(recordOf(file)));
  return record?.subarray(-digestBytes).equals(digest) ? record.subarray(0, -digestBytes) : undefined;
}

/** Returns the place of the recorded code, which only one version of Node on one kind of processor can use. */
function recordOf(file: string): string {
  return `${file}.${process.version}-${process.arch}`;
}
