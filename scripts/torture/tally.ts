// Counts what a run has done and found. The run prints the counts at its end.
import type { ClientName } from './clients/bridges.ts';

export class Defect extends Error {}

export class Tally {
  episodes = 0;
  steps = 0;
  kills = 0;
  killsInRecovery = 0;
  deepestRecovery = 0;
  powerCuts = 0;
  errors = 0;
  requestsWithErrors = 0;
  /** The number of kills and errors during the background packing of a shadow. */
  inPacking = 0;
  linksSwapped = 0;
  fullDisks = 0;
  clockJumps = 0;
  asPlainUser = 0;
  containers = 0;
  checkpoints = 0;
  restores = 0;
  refused = 0;
  /**
   * Gets every answer of a session, and every listing of its work tree. A caller sets this function in order to compare
   * several sessions.
   */
  heard: ((what: string, answer: unknown, root: string) => void) | undefined;
  readonly kinds = new Map<string, number>();
  readonly clients = new Map<ClientName, number>();

  failed(kind: string): void {
    this.refused += 1;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }

  through(client: ClientName): void {
    this.clients.set(client, (this.clients.get(client) ?? 0) + 1);
  }

  describe(): string {
    const kinds = [...this.kinds].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${kind} ${count}`);
    const clients = [...this.clients]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([client, count]) => `${client} ${count}`);
    return [
      `${this.episodes} episodes (${clients.join(', ')}), ${this.steps} steps`,
      `${this.kills} kills (${this.killsInRecovery} of them during recovery, nested up to ${this.deepestRecovery} deep)`,
      `${this.powerCuts} power cuts`,
      `${this.errors} injected errors in ${this.requestsWithErrors} requests, ${this.inPacking} kills and errors in a packing, ${this.linksSwapped} links swapped in`,
      `${this.fullDisks} full disks, ${this.clockJumps} jumps of the clock, ${this.containers} containers, ${this.asPlainUser} episodes without root`,
      `${this.checkpoints} checkpoints, ${this.restores} restores, ${this.refused} refusals (${kinds.join(', ')})`,
    ].join('\n');
  }
}
