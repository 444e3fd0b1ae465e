// A world has a work tree in a repository, a storage, and an outside directory that no program may touch. A world may
// have its own disk.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultPlan } from '../../test/support/programs/planned-fault.ts';
import type { ClientName } from './clients/bridges.ts';
import { containerPrefix } from './container.ts';
import { Disk } from './disk.ts';
import { look as contents, differences, isTemporary, type Manifest, plainGit } from './manifest.ts';
import { containedPlainUserPrefix, giveToPlainUser, plainUserPrefix } from './plain-user.ts';
import { Seat } from './seat.ts';
import { Defect, type Tally } from './tally.ts';
import { User } from './user.ts';

export interface Circumstances {
  readonly strategy: string;
  readonly durability: 'process' | 'power';
  readonly hasPower: boolean;
  /** True when neither the daemon nor the user has root's rights. */
  readonly isPlainUser?: boolean;
  /** True when a second daemon may run in its own container. */
  readonly hasContainers?: boolean;
  readonly patienceMs: number;
  /** A storage that several worlds use at the same time. When absent, the world makes its own storage. */
  readonly storage?: string;
  /**
   * The client that starts the daemons and sends requests. With `inProcess` the daemon runs in this process. The
   * default is the torture test's own driver.
   */
  readonly client?: ClientName | 'inProcess';
  readonly planted?: FaultPlan | undefined;
}

export class World {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-torture-')));
  readonly disk: Disk | undefined;
  readonly work: string;
  readonly outside: string;
  readonly user: User;
  readonly tally: Tally;
  readonly circumstances: Circumstances;
  readonly #outsideThen: Manifest;
  readonly #repositoryThen: string;
  readonly #seats: Seat[] = [];

  constructor(circumstances: Circumstances, tally: Tally) {
    this.circumstances = circumstances;
    this.tally = tally;
    for (const name of ['home', 'run', 'outside', 'aside']) mkdirSync(join(this.top, name), { mode: 0o700 });
    this.disk = circumstances.hasPower ? new Disk(this.top) : undefined;
    const root = this.disk?.root ?? this.top;
    this.work = join(root, 'work');
    this.outside = join(this.top, 'outside');
    mkdirSync(join(this.work, 'c'), { recursive: true });
    for (const name of ['canary', 'd.txt', 'e.txt', 'inner.log'])
      writeFileSync(join(this.outside, name), `${name}: no program may change this\n`);
    this.#outsideThen = contents(this.outside);
    writeFileSync(join(this.work, 'a.txt'), 'tracked\n');
    writeFileSync(join(this.work, 'c/inner.log'), 'tracked, whatever the rules say\n');
    plainGit(['init', '-q', '-b', 'main', this.work]);
    plainGit(['-C', this.work, 'add', '-A']);
    plainGit(['-C', this.work, 'commit', '-q', '-m', 'first']);
    this.#repositoryThen = this.#repository();
    this.user = new User(this.work, this.outside, () => this.#own());
    this.#own(this.top);
  }

  /** Returns a new seat. With `isApart`, the seat's daemon runs in its own container. */
  seat(name: string, conversation = name, isApart = false): Seat {
    const { strategy, durability, patienceMs, planted, client = 'own' } = this.circumstances;
    const storage = this.circumstances.storage ?? join(this.disk?.root ?? this.top, 'storage');
    const isContained = isApart && this.circumstances.hasContainers === true;
    const plainUser = isContained ? containedPlainUserPrefix : plainUserPrefix;
    const prefix = (): readonly string[] => [
      ...(isContained ? containerPrefix : []),
      ...(this.disk?.prefix ?? []),
      ...(this.circumstances.isPlainUser === true ? plainUser : []),
    ];
    const { top, work, tally } = this;
    const seat = new Seat({
      top,
      storage,
      work,
      name,
      conversation,
      strategy,
      durability,
      patienceMs,
      client,
      tally,
      prefix,
      planted,
    });
    this.#seats.push(seat);
    return seat;
  }

  /** Makes the daemon's user the owner of the files that root has made in this world. */
  #own(place = this.work): void {
    if (this.circumstances.isPlainUser === true) giveToPlainUser(place);
  }

  get running(): Seat[] {
    return this.#seats.filter(({ isRunning }) => isRunning);
  }

  look(): Manifest {
    return contents(this.work);
  }

  /** Checks that the daemon has not changed files outside the work tree, or the user's repository. @throws Defect */
  assertUntouched(where: string): void {
    const changed = differences(this.#outsideThen, contents(this.outside));
    if (changed.length > 0)
      throw new Defect(`${where}: changed outside the work tree: ${changed.join(', ')}`);
    if (this.#repository() !== this.#repositoryThen)
      throw new Defect(`${where}: the user's HEAD, index, config or refs changed`);
  }

  /** Checks the user's repository with git. @throws Defect */
  assertRepository(where: string): void {
    fsck(this.work, where);
    plainGit(['--no-optional-locks', '-C', this.work, 'status', '--porcelain']);
  }

  /** Checks all repositories with git, and checks that no temporary files are left. @throws Defect */
  assertHealthy(where: string): void {
    this.assertRepository(where);
    for (const { shadow } of this.running) if (shadow !== undefined) fsck(shadow, where);
    const left = [...this.look().keys()].filter(isTemporary);
    if (left.length > 0) throw new Defect(`${where}: left in the work tree: ${left.join(', ')}`);
  }

  /** Ends the world and removes all its files. @throws Defect when a daemon or its client does not end */
  async dispose(): Promise<void> {
    const ends = await Promise.allSettled(this.#seats.map((seat) => seat.kill()));
    this.disk?.remove();
    rmSync(this.top, { recursive: true, force: true });
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #repository(): string {
    const git = join(this.work, '.git');
    const own = ['HEAD', 'index', 'config'].map((name) => readFileSync(join(git, name)).toString('latin1'));
    const refs = plainGit(['-C', this.work, 'for-each-ref']).toString('utf8').split('\n');
    return [...own, ...refs.filter((line) => !line.includes('refs/checkpointd/'))].join('\n');
  }
}

function fsck(directory: string, where: string): void {
  try {
    plainGit(['-C', directory, 'fsck', '--strict', '--no-dangling', '--no-progress']);
  } catch (error) {
    throw new Defect(`${where}: ${(error as Error).message}`);
  }
}
