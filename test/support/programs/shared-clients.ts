// Starts the clients of one session, each in its own process (shared-client.ts). Lists the orders in which a test kills
// these clients.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DaemonRig } from '../daemon-rig.ts';
import { until } from '../until.ts';

const program = fileURLToPath(new URL('./shared-client.js', import.meta.url));

interface Told {
  readonly open?: string;
  readonly made?: string;
  readonly event?: string;
  readonly you?: boolean;
  readonly by?: string;
}

export class SharedClient {
  readonly name: string;
  readonly told: Told[] = [];
  readonly child: ChildProcess;

  constructor(rig: DaemonRig, name: string, how: string, place: string) {
    this.name = name;
    const child = spawn(process.execPath, [program, name, how, place, rig.work], {
      env: rig.environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.told.push(JSON.parse(line) as Told));
  }

  get session(): string | undefined {
    return this.told.find(({ open }) => open !== undefined)?.open;
  }

  events(message: string): Told[] {
    return this.told.filter(({ event }) => event === message);
  }

  async create(message: string): Promise<void> {
    this.child.stdin?.write(`${message}\n`);
    await until(`${this.name} makes ${message}`, () => this.told.some(({ made }) => made === message));
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** Every order of three clients. */
export const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];
