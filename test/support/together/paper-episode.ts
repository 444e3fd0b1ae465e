// An episode of the torture without a daemon: what each request comes to stands on paper, and the checker judges it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Course, Episode } from '../../../scripts/torture/episode.ts';
import { look, type Manifest } from '../../../scripts/torture/manifest.ts';
import { type Seat } from '../../../scripts/torture/seat.ts';
import type { Step } from '../../../scripts/torture/steps.ts';
import { take } from '../../../scripts/torture/take.ts';
import { Defect, Tally } from '../../../scripts/torture/tally.ts';

type Files = Readonly<Record<string, string>>;

/** A session on paper: what it lists, and what each checkpoint holds. */
export class Paper {
  readonly session = 'ses';
  readonly checkpoints = new Map<string, { kind: string; tag?: string; files: Manifest }>();

  isOpen = true;

  ask(method: string): Promise<unknown> {
    assert.is(method, 'checkpoint/list');
    if (!this.isOpen) return Promise.resolve({ is: 'failed', kind: 'UnknownSession', effects: 'none' });
    const checkpoints = [...this.checkpoints].map(([id, { kind, tag }]) => ({ id, kind, tag }));
    return Promise.resolve({ is: 'answered', result: { checkpoints } });
  }

  kill(): Promise<void> {
    return Promise.resolve();
  }

  read(_method: string, { tag }: { readonly tag: string }): Promise<unknown> {
    const held = this.checkpoints.get(tag)?.files ?? new Map();
    const files = [...held].map(([path, { git, mode }]) => ({
      path,
      hash: git,
      mode: (mode & 0o100) === 0 ? '100644' : '100755',
    }));
    return Promise.resolve({ files });
  }
}

export class PaperEpisode {
  readonly paper = new Paper();
  readonly episode = new Episode(
    { strategy: 'shadow', durability: 'process', hasPower: false, patienceMs: 1 },
    new Tally(),
  );
  readonly seat = this.paper as unknown as Seat;
  /** What the next request does, besides what its step says. */
  does: () => Partial<Course> = () => ({});

  constructor() {
    Object.defineProperty(this.episode, 'seat', { value: this.seat });
    Object.defineProperty(this.episode.world, 'running', { value: [this.seat] });
    Object.defineProperty(this.episode, 'open', { value: () => Promise.resolve((this.paper.isOpen = true)) });
    Object.defineProperty(this.episode, 'change', { value: () => Promise.resolve(this.course(this.does())) });
  }

  course(own: Partial<Course>): Course {
    const now = this.episode.world.look();
    return {
      outcome: { is: 'answered', result: {} },
      answer: {},
      before: now,
      capturedBefore: now,
      resumed: now,
      after: now,
      opened: undefined,
      edited: new Set(),
      isSwapped: false,
      isDisturbed: false,
      wasUnfinished: false,
      ...own,
    };
  }

  /** Writes files and returns what they are. */
  written(files: Files): Manifest {
    const { work } = this.episode.world;
    for (const [path, content] of Object.entries(files)) writeFileSync(join(work, path), content);
    return new Map([...look(work)].filter(([path]) => path in files));
  }

  holds(id: string, kind: string, files: Manifest, tag?: string): void {
    this.paper.checkpoints.set(id, { kind, files, ...(tag === undefined ? {} : { tag }) });
  }

  /** The daemon takes what stands there away, and puts these in its place. */
  displaced(files: Files): void {
    const before = this.episode.world.look();
    this.written(files);
    this.episode.oracle.took(before, this.episode.world.look(), 'a restore');
  }

  async step(step: Step, does: () => Partial<Course> | void): Promise<string> {
    this.does = () => does() ?? {};
    return this.defect(async () => {
      await take(this.episode, step);
      await this.episode.oracle.assertNothingLost([this.seat], this.episode.world.look(), 'at rest');
    });
  }

  /** What the checker says; empty when it finds nothing. */
  async defect(judge: () => Promise<unknown>): Promise<string> {
    try {
      await judge();
      return '';
    } catch (error) {
      if (!(error instanceof Defect)) throw error;
      return error.message;
    }
  }
}

/** Gives an episode to `body` and takes it away afterwards. */
export async function onPaper(body: (paper: PaperEpisode) => Promise<void>): Promise<void> {
  const paper = new PaperEpisode();
  try {
    await body(paper);
  } finally {
    await paper.episode.world.dispose();
  }
}
