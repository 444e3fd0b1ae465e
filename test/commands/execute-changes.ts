// Lists every change of a session, and the steps that lead to the state before the change.
import type { CommandMethod } from '../../src/commands/command.ts';
import type { ParamsOf, SessionOpenParams } from '../../src/protocol/types.ts';
import type { SessionRig } from '../support/session-rig.ts';

export type Ask = <M extends CommandMethod>(
  method: M,
  params?: Omit<ParamsOf<M>, 'session'>,
) => Promise<unknown>;

/** A change, and the steps that must come before the change. */
export interface Change {
  readonly method: CommandMethod;
  readonly params?: object;
  readonly prepare?: (ask: Ask, rig: SessionRig) => Promise<unknown>;
  readonly open?: Partial<SessionOpenParams>;
}

const turn = { kind: 'turn' } as const;
const entry = { user: { content: 'hello' }, assistant: { content: 'hi' } };

/** Unchanged lines that separate the lines of two authors. */
const middle = ['a', 'b', 'c', 'd', 'e', 'f'];

async function restored(ask: Ask, rig: SessionRig): Promise<void> {
  rig.write('a.txt', 'two\n');
  await ask('checkpoint/create', turn);
  await ask('checkpoint/restore', { tag: 'first', mode: 'hard' });
}

/** The changes, each under a unique name. */
export const changes: Readonly<Record<string, Change>> = {
  create: {
    method: 'checkpoint/create',
    params: turn,
    prepare: async (_ask, rig) => rig.write('a.txt', 'two\n'),
  },
  createDurably: {
    method: 'checkpoint/create',
    params: turn,
    open: { durability: 'power' },
    prepare: async (_ask, rig) => rig.write('a.txt', 'two\n'),
  },
  restore: {
    method: 'checkpoint/restore',
    params: { tag: 'first', mode: 'hard' },
    prepare: async (_ask, rig) => rig.write('a.txt', 'two\n'),
  },
  // Reverts one author's line in a file that was also edited by hand. This revert has all the steps of other reverts.
  revert: {
    method: 'checkpoint/revert',
    params: { from: 'reverted', author: 'codex' },
    open: { conversationId: 'codex:1' },
    prepare: async (ask, rig) => {
      const write = (...lines: string[]): void => rig.write('a.txt', `${lines.join('\n')}\n`);
      write('one', ...middle, 'one');
      await ask('checkpoint/rename', { tag: 'reverted' }).catch(() => undefined);
      await ask('checkpoint/create', { ...turn, name: 'reverted' });
      write('by codex', ...middle, 'one');
      await ask('ledger/recordWrite', { path: 'a.txt' });
      await ask('checkpoint/create', turn);
      write('by codex', ...middle, 'by hand');
      await ask('checkpoint/create', turn);
    },
  },
  undo: { method: 'checkpoint/undo', prepare: restored },
  redo: {
    method: 'checkpoint/redo',
    prepare: async (ask, rig) => {
      await restored(ask, rig);
      await ask('checkpoint/undo');
    },
  },
  delete: {
    method: 'checkpoint/delete',
    params: { tag: 'going' },
    prepare: async (ask) => {
      await ask('checkpoint/rename', { tag: 'going' }).catch(() => undefined);
      await ask('checkpoint/create', { ...turn, name: 'going' });
    },
  },
  rename: {
    method: 'checkpoint/rename',
    params: { tag: 'old', name: 'new' },
    prepare: async (ask) => {
      for (const tag of ['new', 'old']) await ask('checkpoint/rename', { tag }).catch(() => undefined);
      await ask('checkpoint/create', { ...turn, name: 'old' });
    },
  },
  clean: {
    method: 'checkpoint/clean',
    prepare: async (ask) => {
      await ask('checkpoint/init');
      await ask('checkpoint/create', turn);
    },
  },
  init: { method: 'checkpoint/init', prepare: (ask) => ask('checkpoint/clean').catch(() => undefined) },
  gc: {
    method: 'store/gc',
    // Sets only a limit of age. The session enforces all other limits by itself, and would remove checkpoints during a
    // test.
    open: { limits: { maxAgeDays: 0 } },
    prepare: async (ask, rig) => {
      for (const text of ['two\n', 'three\n', 'two\n', 'three\n']) {
        rig.write('a.txt', text);
        await ask('checkpoint/create', turn);
      }
    },
  },
  append: { method: 'conversation/append', params: { entry } },
  appendTranscript: { method: 'conversation/appendTranscript', params: { text: 'a note' } },
  setNextMessage: { method: 'conversation/setNextMessage', params: { message: { content: 'next' } } },
  clear: { method: 'conversation/clear', prepare: (ask) => ask('conversation/append', { entry }) },
  setValidRange: {
    method: 'conversation/setValidRange',
    params: { range: { start: 0, end: 1 } },
    prepare: async (ask) => {
      for (let n = 0; n < 2; n += 1) await ask('conversation/append', { entry });
    },
  },
  compact: {
    method: 'conversation/compact',
    params: { summary: 'short' },
    prepare: (ask) => ask('conversation/append', { entry }),
  },
  forget: {
    method: 'conversation/forget',
    params: { messages: 1 },
    prepare: (ask) => ask('conversation/append', { entry }),
  },
  recordLines: {
    method: 'conversation/recordLines',
    params: { path: 'a.txt', operation: 'create', linesBefore: 0, linesAfter: 1 },
  },
  addContext: { method: 'conversation/addContext', params: { paths: ['*.txt'] } },
  removeContext: {
    method: 'conversation/removeContext',
    params: { paths: ['a.txt'] },
    prepare: (ask) => ask('conversation/addContext', { paths: ['a.txt', 'b.txt'] }),
  },
  setTools: { method: 'conversation/setTools', params: { tools: {} } },
  setAgents: { method: 'conversation/setAgents', params: { agents: {} } },
  setModel: {
    method: 'conversation/setModel',
    params: { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } },
  },
  setMcpEnabled: { method: 'conversation/setMcpEnabled', params: { mcpEnabled: false } },
  enterTangent: { method: 'conversation/enterTangent' },
  enterTangentWithFiles: { method: 'conversation/enterTangent', params: { files: true } },
  exitTangent: {
    method: 'conversation/exitTangent',
    prepare: async (ask) => {
      await ask('conversation/enterTangent');
      await ask('conversation/append', { entry });
    },
  },
  exitTangentWithFiles: {
    method: 'conversation/exitTangent',
    prepare: async (ask, rig) => {
      await ask('conversation/enterTangent', { files: true });
      await ask('conversation/append', { entry });
      rig.write('a.txt', 'two\n');
    },
  },
  import: {
    method: 'conversation/import',
    params: {
      document: { conversation_id: 'x', next_message: null, history: [], transcript: ['> imported'] },
    },
  },
  recordWrite: {
    method: 'ledger/recordWrite',
    params: { path: 'a.txt' },
    prepare: async (_ask, rig) => rig.write('a.txt', `${Math.random()}\n`),
  },
  export: { method: 'conversation/export', params: { path: 'exported.json', overwrite: true } },
};
