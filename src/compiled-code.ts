// Runs a bundled file with code that V8 compiled when the package was built (the recorded code). Without recorded code,
// the daemon spends half of its processor time on compiling until the first session is open. scripts/bundle.ts records
// this code, and writes the small programs that call `runCompiled`.
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { attempt, isOfSystem } from './base/attempt.ts';
import { files } from './base/files.ts';

/** The length in bytes of the digest at the end of the recorded code. The digest covers source and code. */
const digestBytes = 20;

interface RunFile {
  readonly exports: Readonly<Record<string, unknown>>;
  /** True when V8 used the recorded code. */
  readonly isRecorded: boolean;
  /**
   * Records the code of every function that has run in this process. The next `runCompiled` of the file uses this code.
   */
  readonly record: () => void;
}

/**
 * Runs a bundled CommonJS file, which must not use import(). Uses the recorded code if V8 accepts it and the digest
 * shows that source and code are unchanged. (V8 compares only their lengths, and damaged code crashes the process.)
 * Otherwise runs the file without recorded code.
 */
export function runCompiled(file: string): RunFile {
  const source = files.readFileSync(file);
  const cachedData = recordedCode(file, source);
  const text = source.toString(isAscii(source) ? 'latin1' : 'utf8'); // V8 keeps latin1 with one byte for each character
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...own: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file));
  const record = (): void => {
    const code = script.createCachedData();
    files.writeFileSync(recordOf(file), Buffer.concat([code, digestOf(source, code)]));
  };
  return { exports: module.exports, isRecorded: script.cachedDataRejected === false, record };
}

function recordedCode(file: string, source: Buffer): Buffer | undefined {
  const record = attempt(isOfSystem, () => files.readFileSync(recordOf(file)));
  const code = record?.subarray(0, -digestBytes);
  return code && record?.subarray(-digestBytes).equals(digestOf(source, code)) ? code : undefined;
}

function digestOf(source: Buffer, code: Buffer): Buffer {
  return createHash('sha1').update(source).update(code).digest();
}

/** Returns the path of the recorded code. Only one version of Node on one kind of processor can use this code. */
function recordOf(file: string): string {
  return `${file}.${process.version}-${process.arch}`;
}
