// Runs a bundled file with code that V8 compiled earlier (the recorded code). Without recorded code, the daemon spends
// half of its processor time on compiling until the first session is open. The build records this code
// (scripts/bundle.ts), but only for the version of Node that runs the build. For any other version of Node, the first
// processes record the code in the storage. scripts/bundle.ts writes the small programs that call `runCompiled`.
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { attempt, isOfSystem } from './base/attempt.ts';
import { files } from './base/files.ts';
import { defaultStorage, directoryComplaint } from './wire/places.ts';

/** The length in bytes of the digest at the end of the recorded code. The digest covers everything before it, and the source. */
const digestBytes = 20;
/** Before the digest, one byte counts the processes that recorded code. */
const countBytes = 1;
/** After so many processes, the record in the storage has the code of the usual commands or requests. */
const processesMax = 8;
/** The number of records in the storage. Each version of Node, and each copy of the package, has two records. */
const recordsMax = 6;

interface RunFile {
  readonly exports: Readonly<Record<string, unknown>>;
  /** The number of processes that recorded the used code. 0 if V8 used no recorded code. */
  readonly recordings: number;
  /**
   * Records the code of every function that has run in this process. The next `runRecorded` with this record uses the
   * code.
   */
  readonly record: (recordFile: string) => void;
}

/**
 * Runs a bundled CommonJS file, which must not use import(). Returns its exports. `starter` is the name of the
 * program that calls this function. The daemon runs other functions than commands, so each of these programs has its own
 * record in the storage.
 */
export function runCompiled(file: string, starter: string): RunFile['exports'] {
  const ofBuild = buildRecordOf(file);
  if (files.existsSync(ofBuild)) return runRecorded(file, ofBuild).exports;
  const place = createHash('sha1').update(file).digest('hex').slice(0, 12);
  const name = `${starter}-${place}${versionEnding}`;
  const found = privateDirectory();
  const { exports, recordings, record } = runRecorded(file, found && join(found, name));
  if (recordings < processesMax)
    process.once('exit', () => {
      const directory = privateDirectory(); // perhaps this process has made the storage
      if (directory === undefined) return;
      attempt(isOfSystem, () => {
        record(join(directory, name));
        removeOldRecords(directory);
      });
    });
  return exports;
}

/** Only one version of Node on one kind of processor can use the recorded code. */
const versionEnding = `.${process.version}-${process.arch}`;

/** Returns the path of the code that the build recorded. */
export const buildRecordOf = (file: string): string => `${file}${versionEnding}`;

/**
 * Returns the directory of the records in the default storage, and makes it if it is missing. Returns undefined if there
 * is no storage yet, or if another user may write to it: that user could then run code as this user.
 */
function privateDirectory(): string | undefined {
  return attempt(isOfSystem, () => {
    const storage = defaultStorage();
    const directory = join(storage, 'compiled');
    if (directoryComplaint(storage) !== undefined) return undefined;
    if (!files.existsSync(directory)) files.mkdirSync(directory, { mode: 0o700 });
    return directoryComplaint(directory) === undefined ? directory : undefined;
  });
}

function removeOldRecords(directory: string): void {
  const records = files.readdirSync(directory).map((name) => {
    const path = join(directory, name);
    return { path, writtenMs: files.lstatSync(path).mtimeMs };
  });
  const old = records.sort((a, b) => b.writtenMs - a.writtenMs).slice(recordsMax);
  for (const { path } of old) files.rmSync(path, { force: true });
}

/**
 * Runs a bundled CommonJS file. Uses the recorded code if V8 accepts it and the digest shows that source and code are
 * unchanged. (V8 compares only their lengths, and damaged code crashes the process.) Otherwise runs the file without
 * recorded code.
 */
export function runRecorded(file: string, recordFile: string | undefined): RunFile {
  const source = files.readFileSync(file);
  const recorded = recordFile === undefined ? undefined : intactRecord(recordFile, source);
  const text = source.toString(isAscii(source) ? 'latin1' : 'utf8'); // V8 keeps latin1 with one byte for each character
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
    ...(recorded === undefined ? {} : { cachedData: recorded.subarray(0, -countBytes) }),
  });
  const recordings = script.cachedDataRejected === false ? (recorded?.at(-countBytes) ?? 0) : 0;
  const module = { exports: {} };
  const run = script.runInThisContext() as (...own: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file));
  const record = (to: string): void => {
    const count = Buffer.from([Math.min(recordings + 1, 0xff)]);
    const code = Buffer.concat([script.createCachedData(), count]);
    const temporary = `${to}.${process.pid}`;
    files.writeFileSync(temporary, Buffer.concat([code, digestOf(source, code)]), { mode: 0o600 });
    files.renameSync(temporary, to);
  };
  return { exports: module.exports, recordings, record };
}

/** Returns the recorded code and the count. Returns undefined if there is no record, or if it or the source has changed. */
function intactRecord(recordFile: string, source: Buffer): Buffer | undefined {
  const record = attempt(isOfSystem, () => files.readFileSync(recordFile));
  const code = record?.subarray(0, -digestBytes);
  return code && record?.subarray(-digestBytes).equals(digestOf(source, code)) ? code : undefined;
}

function digestOf(source: Buffer, code: Buffer): Buffer {
  return createHash('sha1').update(source).update(code).digest();
}
