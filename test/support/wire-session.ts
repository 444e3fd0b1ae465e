// A client over stdio with one session. The work tree is a small repository, and the storage is new. For several
// daemons see daemon-rig.ts; for a session's internals see session-rig.ts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  EventOf,
  NotificationMethod,
  ParamsOf,
  RequestMethod,
  ResultOf,
} from '../../src/protocol/types.ts';
import { temporaryDirectory } from './temporary.ts';
import { WireClient, type WireOptions } from './wire-client.ts';

export interface Places {
  readonly workTree: string;
  readonly storage: string;
}

/** Makes a new repository with one file, and a storage beside it. */
export function makePlaces(): Places {
  const root = temporaryDirectory('session');
  const workTree = join(root, 'tree');
  mkdirSync(workTree);
  execFileSync('git', ['init', '-q', workTree], { env: { PATH: process.env.PATH ?? '', HOME: root } });
  writeFileSync(join(workTree, 'a.txt'), 'one\n');
  return { workTree, storage: join(root, 'storage') };
}

type Rest<M extends RequestMethod> = Omit<ParamsOf<M>, 'session'>;

/** A client with one session open. */
export class WireSession {
  readonly client: WireClient;
  readonly places: Places;
  session = '';
  opened!: ResultOf<'session/open'>;

  constructor(places: Places, options: WireOptions = {}) {
    this.places = places;
    const args = [`--storage-dir=${places.storage}`, ...(options.args ?? [])];
    this.client = new WireClient({ ...options, args });
  }

  async open(params: Partial<ParamsOf<'session/open'>> = {}): Promise<this> {
    await this.client.initialize({
      capabilities: {
        checkpointd: {
          events: ['conversation/didChange', 'conversation/didFillWindow', 'checkpoint/didRestore'],
        },
      },
    });
    this.opened = await this.client.request('session/open', {
      workspace: this.places.workTree,
      conversationId: 'c',
      retention: 'keep',
      ...params,
    });
    this.session = this.opened.session;
    return this;
  }

  request<M extends RequestMethod>(method: M, params: Rest<M>): Promise<ResultOf<M>> {
    return this.client.request(method, { session: this.session, ...params });
  }

  /** Appends one exchange. */
  append(text: string, more: { readonly tool?: boolean } = {}): Promise<ResultOf<'conversation/append'>> {
    const user = more.tool === true ? { content: '', toolResults: [{ toolUseId: 't' }] } : { content: text };
    return this.request('conversation/append', { entry: { user, assistant: { content: `re ${text}` } } });
  }

  /** Returns the exported document of the conversation. */
  async document(): Promise<Record<string, unknown>> {
    return { ...(await this.request('conversation/export', {})).document };
  }

  /** Returns the user's messages of the history, in order. */
  async said(): Promise<string[]> {
    const { entries } = await this.request('conversation/history', { limit: 1000 });
    return entries.map(({ user }) => user.content ?? '');
  }

  events<M extends NotificationMethod>(method: M): EventOf<M>[] {
    return this.client.frames
      .filter((frame) => frame.method === method)
      .map((frame) => frame.params as EventOf<M>);
  }

  write(path: string, content: string): void {
    const file = join(this.places.workTree, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.places.workTree, path), 'utf8');
  }
}

/** Runs a test with an open session, and then ends the daemon, even if the test fails. */
export async function withSession<T>(
  run: (rig: WireSession) => Promise<T>,
  options: {
    readonly places?: Places;
    readonly open?: Partial<ParamsOf<'session/open'>>;
    readonly wire?: WireOptions;
  } = {},
): Promise<T> {
  const rig = new WireSession(options.places ?? makePlaces(), options.wire);
  try {
    const result = await run(await rig.open(options.open));
    const wrong = [...rig.client.violations, ...rig.client.undeclared];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return result;
  } finally {
    await rig.client.kill();
  }
}
