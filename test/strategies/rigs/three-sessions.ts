// The same work tree three times, one for each strategy, under one daemon; what is done to one is done to all, and
// what comes back must be the same from all.
import { cpSync, realpathSync, rmSync } from 'node:fs';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { strategies } from '../../../src/store/strategies.ts';
import { InProcessDaemon, manifest } from '../../support/in-process-daemon.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { apply, type Edit, emptyRepository } from './edits.ts';

export interface Place {
  readonly strategy: string;
  readonly root: string;
  readonly session: string;
}

export class ThreeSessions {
  readonly daemon = new InProcessDaemon();
  places: readonly Place[] = [];

  /** Starts over: three empty repositories, three new sessions. */
  async begin(): Promise<void> {
    await this.end();
    const places: Place[] = [];
    for (const strategy of Object.keys(strategies)) {
      const root = realpathSync(temporaryDirectory(strategy));
      cpSync(emptyRepository(), root, { recursive: true });
      const { session } = await this.daemon.open(root, { strategy });
      places.push({ strategy, root, session });
    }
    this.places = places;
  }

  /** Deletes the sessions and work trees; the daemon lives on. */
  async end(): Promise<void> {
    for (const { session, root } of this.places) {
      await this.daemon.call('session/delete', { session });
      rmSync(root, { recursive: true, force: true });
    }
    this.places = [];
  }

  async close(): Promise<void> {
    await this.end();
    await this.daemon.close();
  }

  edit(edits: readonly Edit[]): void {
    for (const { root } of this.places) for (const edit of edits) apply(root, edit);
  }

  /** Asks all, and returns the answer that all gave. `comparable` leaves out what must differ. */
  async all<T, C>(
    ask: (place: Place, daemon: InProcessDaemon) => Promise<T>,
    comparable: (answer: T, place: Place) => C,
    what: string,
  ): Promise<C> {
    let first: C | undefined;
    for (const [i, place] of this.places.entries()) {
      const answer = comparable(await ask(place, this.daemon), place);
      if (i === 0) first = answer;
      else {
        const message = `${what}: ${place.strategy} as ${this.places[0]?.strategy}`;
        assert.equal(answer, first, `${message}\n${JSON.stringify(answer)}\n${JSON.stringify(first)}`);
      }
    }
    if (first === undefined) throw new Error('nobody was asked');
    return first;
  }

  create(kind: Wire.CreateKind = 'turn'): Promise<object> {
    return this.all(
      ({ session }, daemon) => daemon.call('checkpoint/create', { session, kind, message: `edit ${kind}` }),
      ({ checkpoint, skipped, created }) => ({ ...plain(checkpoint), skipped, created }),
      'create',
    );
  }

  /** The work trees without any `.git`, all alike. */
  manifest(): Promise<Record<string, string>> {
    return this.all(
      async ({ root }) => withoutGit(manifest(root)),
      (m) => m,
      'work tree',
    );
  }
}

export function withoutGit(found: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(found).filter(([path]) => path !== '.git' && !/(^|\/)\.git\//.test(path)),
  );
}

/** A checkpoint without what must differ between strategies: ids, times, and how content is named. */
export function plain(checkpoint: Wire.Checkpoint): object {
  const {
    id: _id,
    parent,
    timestamp: _timestamp,
    snapshot: _snapshot,
    commit: _commit,
    ...rest
  } = checkpoint;
  const description = rest.description.replace(/ckpt_\w+/, '<id>');
  return { ...rest, description, hasParent: parent !== undefined };
}

/** Each strategy names contents in its own way. */
export function withoutHashes({ files, ...counts }: Wire.CheckpointFilesResult): Wire.CheckpointFilesResult {
  return { ...counts, files: files.map(({ hash: _hash, ...file }) => file) };
}
