// Protects the objects of strategy `local` until they are certain to stay in the user's repository. The protection is
// like git's quarantine for received objects, but lasts longer. New objects are written to a directory of the daemon.
// This directory does not use the user's objects as an alternate, because the user's git may prune those objects at any
// moment. At publication the new objects are linked into the user's repository before the ref moves. A `gc` that began
// before the publication may still remove the linked object. Until this is impossible, the daemon keeps its own copy of
// the object. This code never removes anything from the user's repository.
import { join } from 'node:path';
import { syncAll, syncDirectory } from '../../base/atomic-file.ts';
import { attempt, attemptAsync, hasCode } from '../../base/attempt.ts';
import { CheckpointdError, fileLimit, isExpected, isNoSpace, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { stateOfLoose } from '../../git/objects/object.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { runGit } from '../../git/process/run.ts';
import { removeStaleObjects } from '../../git/repository/bare-repository.ts';

/** After this time, a `git prune` that read the refs before the publication has certainly ended. */
const pruneMsMax = 600_000;
/**
 * The shortest and the longest interval between checks that the linked objects still exist. The intervals grow after a
 * publication.
 */
const lookMsMin = 50;
const lookMsMax = 60_000;
/**
 * A publication also checks the objects that were linked at most this many milliseconds earlier. The checks between two
 * publications handle older objects.
 */
const youngMs = 5_000;
/** The interval at which the daemon checks whether the user's `gc` has ended. */
const gcPollMs = 500;

interface QuarantinePlaces {
  readonly incoming: string;
  /** The daemon's copies of the linked objects. */
  readonly kept: string;
  /** The object directory of the user's repository. */
  readonly theirs: string;
  /** A git dir of the daemon, in which git runs without reading the user's settings. */
  readonly gitDir: string;
  /** The place of the user's `gc.pid`, if it exists. */
  readonly commonDir: string;
  /** The setting for a repository with several users. Absent when only one user uses the repository. */
  readonly sharing?: Sharing | undefined;
}

export class Quarantine {
  readonly #places: QuarantinePlaces;
  /**
   * Objects that the current publication linked. The daemon watches these objects after the ref of the publication has
   * moved.
   */
  #fresh: ObjectFile[] = [];
  /**
   * Objects that were linked recently. A `prune` that read the refs before the publication may remove these objects at
   * any moment.
   */
  #recent: { readonly file: ObjectFile; readonly atMs: number }[] = [];
  #watch: NodeJS.Timeout | undefined;

  constructor(places: QuarantinePlaces) {
    this.#places = places;
  }

  /**
   * Makes the directories. Removes objects that were never published: a power cut may have damaged them. The next
   * publication would link the damaged objects. Keeps the daemon's copies of published objects. If the user's
   * repository lacks a published object, links it again.
   */
  async open(): Promise<void> {
    files.rmSync(this.#places.incoming, { recursive: true, force: true });
    for (const directory of [this.#places.incoming, this.#places.kept]) {
      files.mkdirSync(join(directory, 'pack'), { recursive: true, mode: 0o700 });
      files.mkdirSync(join(directory, 'info'), { recursive: true, mode: 0o700 });
      removeStaleObjects(directory);
    }
    await this.restoreObjects();
  }

  /** Returns a place in which git sees only one object directory. */
  place(directory: string): GitPlace {
    return { gitDir: this.#places.gitDir, environment: { GIT_OBJECT_DIRECTORY: directory } };
  }

  /**
   * Links all new objects into the user's repository. The contents are synced before the objects get a name in the
   * repository. Otherwise a power cut could leave an empty object, which the user's git would trust.
   * @throws ReadOnlyStore, NoSpace, StoreUnavailable. After an error no ref has moved.
   */
  async release(): Promise<void> {
    const { incoming, theirs } = this.#places;
    const fresh = objectFiles(incoming);
    try {
      await syncAll(fresh.map(({ directory, name }) => join(incoming, directory, name)));
      this.#link(fresh);
      await this.#syncNames(fresh);
    } catch (error) {
      throw refused(theirs, error);
    }
  }

  #link(fresh: readonly ObjectFile[]): void {
    const { incoming, kept } = this.#places;
    for (const file of fresh) {
      this.#linkOver(incoming, file);
      files.mkdirSync(join(kept, file.directory), { recursive: true, mode: 0o700 });
      files.renameSync(join(incoming, file.directory, file.name), join(kept, file.directory, file.name));
      this.#fresh.push(file);
    }
    // The next publication then lists only directories with new objects. Listing 256 empty ones takes milliseconds.
    removeEmptyDirectories(incoming, new Set(fresh.map(({ directory }) => directory)));
  }

  /** True when the user's repository has everything that the roots need. */
  async isWhole(roots: readonly string[]): Promise<boolean> {
    if (roots.length === 0) return true;
    const run = await runGit({
      place: this.place(this.#places.theirs),
      args: ['rev-list', '--objects', '--quiet', '--stdin'],
      input: Buffer.from(`${roots.join('\n')}\n`, 'latin1'),
      accept: [0, 1, 128],
    });
    return run.exitCode === 0;
  }

  /**
   * Watches the objects after the refs have moved. If a `gc` or `prune` has removed linked objects, links
   * them again, now and at each later check. The daemon can see a running `gc`, but not a running `prune`. A
   * `prune` may leave refs without their objects, and the user's own git fails on such refs. So the daemon checks the
   * objects often after a publication, and rarely later.
   */
  async watchOver(): Promise<void> {
    const nowMs = Date.now();
    this.#recent.push(...this.#fresh.splice(0).map((file) => ({ file, atMs: nowMs })));
    // The refs have moved, so a failure here is no failure of the publication. The next check tries again.
    await attemptAsync(isExpected, () => this.#healRecent(nowMs - youngMs));
    this.#armWatch(lookMsMin);
  }

  /** If the user's repository lacks an object that the daemon has, links the object again. */
  async restoreObjects(): Promise<void> {
    const { kept, theirs } = this.#places;
    const there = objectFiles(kept);
    const loose = there.filter(({ directory }) => directory !== 'pack');
    const missing = await this.#missing(loose.map(({ directory, name }) => directory + name));
    const again = loose.filter((file) => missing.has(file.directory + file.name));
    const packs = there.filter(({ directory }) => directory === 'pack');
    for (const { name } of packs.filter(({ name }) => name.endsWith('.idx'))) {
      if (files.existsSync(join(theirs, 'pack', name))) continue;
      const ids = await this.#packed(name);
      if ((await this.#missing(ids)).size === 0) continue; // the user's git has repacked the objects
      const stem = name.slice(0, -'.idx'.length);
      again.push(...packs.filter((other) => other.name.startsWith(stem)));
    }
    for (const file of again) this.#linkOver(kept, file);
    await this.#syncNames(again);
  }

  /** Syncs the names of linked objects: if a ref survives a power cut, its objects must survive, too. */
  async #syncNames(linked: readonly ObjectFile[]): Promise<void> {
    const { theirs } = this.#places;
    const directories = new Set(linked.map(({ directory }) => join(theirs, directory)));
    if (linked.length > 0) await syncAll([...directories, theirs]);
  }

  /**
   * Removes the daemon's copies of linked objects. A copy that is not in `needed` is removed at once. Any other copy is
   * removed when its object is certain to stay in the user's repository.
   */
  async drop(needed: ReadonlySet<string>): Promise<void> {
    await this.restoreObjects();
    const { kept } = this.#places;
    const isCalm = !this.#isCollecting();
    const limit = Date.now() - pruneMsMax;
    const isOld = ({ directory, name }: ObjectFile): boolean =>
      isCalm && files.lstatSync(join(kept, directory, name)).ctimeMs < limit;
    const there = objectFiles(kept);
    for (const file of there) {
      if (file.directory === 'pack') continue;
      if (!needed.has(file.directory + file.name) || isOld(file))
        files.rmSync(join(kept, file.directory, file.name), { force: true });
    }
    for (const file of there.filter(({ name }) => name.endsWith('.idx'))) {
      const ids = await this.#packed(file.name);
      if (ids.some((id) => needed.has(id)) && !isOld(file)) continue;
      const stem = file.name.slice(0, -'.idx'.length);
      for (const part of there.filter(({ name }) => name.startsWith(stem)))
        files.rmSync(join(kept, part.directory, part.name), { force: true });
    }
    for (const objects of [this.#places.incoming, kept])
      removeEmptyDirectories(objects, files.readdirSync(objects));
  }

  /** Checks once more, then ends the checks. If a `gc` is still running, the next {@link open} repairs its effects. */
  async close(): Promise<void> {
    this.kill();
    await this.#healRecent(0);
  }

  /** Ends the checks at once. */
  kill(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }

  #isCollecting(): boolean {
    return files.existsSync(join(this.#places.commonDir, 'gc.pid'));
  }

  /** Links missing recent objects again. Returns true when an object was missing. */
  async #healRecent(sinceMs: number): Promise<boolean> {
    const { theirs } = this.#places;
    const isThere = ({ directory, name }: ObjectFile): boolean =>
      files.existsSync(join(theirs, directory, name));
    if (this.#recent.every(({ file, atMs }) => atMs < sinceMs || isThere(file))) return false;
    const isCollecting = this.#isCollecting();
    await this.restoreObjects();
    if (isCollecting) return true;
    // An object that still has no file is either missing, or in a pack of the user, where it stays. Selects the objects
    // without a file before the query to git, because a prune may remove more files during the query.
    const away = this.#recent.filter(({ file }) => !isThere(file)).map(({ file }) => idOf(file));
    const missing = await this.#missing(away.filter((id) => id.length === 40));
    const packed = new Set(away.filter((id) => !missing.has(id)));
    this.#recent = this.#recent.filter(({ file }) => !packed.has(idOf(file)));
    return true;
  }

  #armWatch(delayMs: number): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => void this.#checkRecent(delayMs), delayMs);
    this.#watch.unref();
  }

  async #checkRecent(delayMs: number): Promise<void> {
    const armed = this.#watch;
    const oldestMs = Date.now() - pruneMsMax;
    this.#recent = this.#recent.filter(({ atMs }) => atMs > oldestMs);
    const isCollecting = this.#isCollecting();
    // Ignores an error, such as a full disk or a missing repository. The next publication or opening checks again.
    const isHealed = (await attemptAsync(isExpected, () => this.#healRecent(0))) === true;
    const isAtWork = isHealed || isCollecting;
    // The store was closed meanwhile, or a publication has scheduled its own check.
    if (this.#watch !== armed || (this.#recent.length === 0 && !isAtWork)) return;
    this.#armWatch(isAtWork ? Math.min(delayMs, gcPollMs) : Math.min(delayMs * 2, lookMsMax));
  }

  /**
   * Makes a hard link, which copies no bytes. The daemon's file remains when the user's git removes the link. Between
   * two file systems, copies the file and renames the copy.
   */
  #linkOver(from: string, { directory, name }: ObjectFile): void {
    const { theirs, sharing } = this.#places;
    const [source, target] = [join(from, directory, name), join(theirs, directory, name)];
    const copy = (): void =>
      copyOver(source, target, join(theirs, directory, `tmp_obj_${process.pid}_${name}`));
    shareFile(source, sharing);
    for (let triesLeft = 20; ; triesLeft -= 1) {
      try {
        this.#makeDirectory(directory);
        try {
          files.linkSync(source, target);
        } catch (error) {
          const code = systemCode(error) ?? '';
          // Replaces an existing file if a power cut has left it damaged, because the user's git would fail on it.
          if (
            code === 'EEXIST' &&
            (directory === 'pack' || stateOfLoose(target, directory + name, true) === 'whole')
          )
            return;
          if (!['EEXIST', 'EXDEV', 'EPERM', 'EMLINK'].includes(code)) throw error;
          copy();
        }
        return;
      } catch (error) {
        // While this code runs, the user's `prune` may remove empty directories, and files that look temporary.
        if (systemCode(error) !== 'ENOENT' || triesLeft === 0 || !files.existsSync(source)) throw error;
      }
    }
  }

  /**
   * Makes a directory with the permissions of the repository. A shared repository grants more permissions than the
   * umask allows.
   */
  #makeDirectory(directory: string): void {
    const { theirs, sharing } = this.#places;
    const path = join(theirs, directory);
    if (files.existsSync(path)) return;
    const mode = files.statSync(theirs).mode & 0o7777;
    files.mkdirSync(path, { recursive: true, mode });
    if (sharing !== undefined) files.chmodSync(path, mode);
  }

  async #missing(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const { stdout } = await runGit({
      place: this.place(this.#places.theirs),
      args: ['cat-file', '--batch-check=%(objectname)'],
      input: Buffer.from(`${ids.join('\n')}\n`, 'latin1'),
    });
    const lines = stdout.toString('latin1').split('\n');
    return new Set(lines.filter((line) => line.endsWith(' missing')).map((line) => line.slice(0, 40)));
  }

  /** Returns the ids of the objects in one of the daemon's packs. */
  async #packed(index: string): Promise<string[]> {
    const input = files.readFileSync(join(this.#places.kept, 'pack', index));
    const place = { gitDir: this.#places.gitDir };
    const { stdout } = await runGit({ place, args: ['show-index'], input });
    return stdout.toString('latin1').match(/(?<= )[0-9a-f]{40}(?= |$)/gm) ?? [];
  }
}

/** Returns the id of a loose object. For the file of a pack, returns a text that is not an id. */
const idOf = ({ directory, name }: ObjectFile): string => directory + name;

// Lists the finished files of an object directory, and moves files from one object directory to another. Reads no file.

/** A file of an object directory: `ab/cdef…` or `pack/pack-….pack`. */
interface ObjectFile {
  readonly directory: string;
  readonly name: string;
}

/**
 * Returns the finished object files. The index of a pack comes after the pack, so each program that sees the index also
 * finds the pack.
 */
function objectFiles(objects: string): ObjectFile[] {
  const found: ObjectFile[] = [];
  for (const directory of files.readdirSync(objects)) {
    const isPacks = directory === 'pack';
    if (!isPacks && !/^[0-9a-f]{2}$/.test(directory)) continue;
    const names = files.readdirSync(join(objects, directory));
    const form = isPacks ? /^pack-[0-9a-f]{40}\.(?:pack|rev|idx)$/ : /^[0-9a-f]{38}$/;
    names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
    for (const name of names) {
      // A pack without an index is still being written.
      const isWhole = !isPacks || names.includes(`${name.slice(0, name.lastIndexOf('.'))}.idx`);
      if (form.test(name) && isWhole) found.push({ directory, name });
    }
  }
  return found;
}

/** Moves everything from one directory to another on the same file system. */
export function moveObjects(from: string, to: string): void {
  for (const { directory, name } of objectFiles(from)) {
    files.mkdirSync(join(to, directory), { recursive: true, mode: 0o700 });
    files.renameSync(join(from, directory, name), join(to, directory, name));
  }
}

/** Copies a file. The copy gets its final name after it is complete and synced. */
function copyOver(source: string, target: string, temporary: string): void {
  files.copyFileSync(source, temporary);
  syncDirectory(temporary);
  files.renameSync(temporary, target);
}

/**
 * Removes those of the directories of loose objects that are empty. 512 empty directories take 2 MiB on disk, which
 * would count against the size limit of a small store.
 */
function removeEmptyDirectories(objects: string, directories: Iterable<string>): void {
  for (const directory of directories) {
    if (!/^[0-9a-f]{2}$/.test(directory)) continue;
    // A directory that is not empty stays. A git process that needs a removed directory makes it again.
    attempt(hasCode('ENOTEMPTY', 'EEXIST', 'ENOENT'), () => files.rmdirSync(join(objects, directory)));
  }
}

// Handles a repository to which several users write (`core.sharedRepository`). A file that the daemon adds gets the
// permission bits that git would give to the file. With other bits, the other users of the repository could no longer
// commit, collect garbage or look up objects.

/**
 * The permission bits that git adds to the mode of a new file after the umask was applied. If the setting is an octal
 * number (`isExact`), files get exactly these bits.
 */
interface Sharing {
  readonly bits: number;
  readonly isExact: boolean;
}

/** Parses the setting as git does. Returns undefined when the umask alone decides. */
export function sharingOf(value: string): Sharing | undefined {
  if (/^(group|true|yes|on|1|)$/.test(value)) return { bits: 0o660, isExact: false };
  if (/^(all|world|everybody|2)$/.test(value)) return { bits: 0o664, isExact: false };
  if (!/^0?[0-7]{3}$/.test(value)) return undefined;
  return { bits: Number.parseInt(value, 8) & 0o666, isExact: true };
}

/** Returns the permission bits of a file or directory in a shared repository. */
function sharedMode(mode: number, { bits, isExact }: Sharing): number {
  let more = (mode & 0o200) === 0 ? bits & ~0o222 : bits;
  if ((mode & 0o100) !== 0) more |= (more & 0o444) >> 2;
  return isExact ? (mode & ~0o777) | more : mode | more;
}

function shareFile(file: string, sharing: Sharing | undefined): void {
  if (sharing === undefined) return;
  const mode = files.lstatSync(file).mode & 0o7777;
  const wanted = sharedMode(mode, sharing);
  if (wanted !== mode) files.chmodSync(file, wanted);
}

// Makes the error that a client gets when the system refuses to write objects into the user's repository.

/**
 * Returns the error for a failed write below `directory`. Returns an error unchanged if it did not come from the
 * system.
 */
export function refused(directory: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined || cause instanceof CheckpointdError) return cause;
  const facts = { details: { path: directory, code }, cause };
  if (isNoSpace(cause)) {
    const message = `The disk of ${directory} is full. Free some space and try again. Nothing was changed.`;
    return new CheckpointdError('NoSpace', message, { ...facts, retryable: true });
  }
  const limited = fileLimit(cause, facts);
  if (limited !== undefined) return limited;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const remedy =
      code === 'EROFS'
        ? 'Their file system is read-only: make it writable'
        : 'Make this user their owner (sudo chown -R "$USER" .git)';
    const message = `The objects of your repository, ${directory}, cannot be written (${code}). ${remedy}, or use the strategy "shadow". Nothing was changed.`;
    return new CheckpointdError('ReadOnlyStore', message, facts);
  }
  const message = `The objects of your repository, ${directory}, cannot be used (${code}). Check that the repository exists and is undamaged. Nothing was changed.`;
  return new CheckpointdError('StoreUnavailable', message, facts);
}
