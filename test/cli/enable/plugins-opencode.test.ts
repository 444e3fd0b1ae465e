// Calls the plugin as opencode does. A recorder takes the place of our hook.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isOurPlugin, opencodePlugin } from '../../../src/cli/enable/plugins.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { pluginRecorder } from './plugin-recorder.ts';

type Hook = (...values: unknown[]) => Promise<void>;

async function plugin(words: readonly string[], directory: string): Promise<Record<string, Hook>> {
  const file = join(directory, 'plugin.mjs');
  writeFileSync(file, opencodePlugin(words));
  const { Checkpointd } = (await import(pathToFileURL(file).href)) as {
    Checkpointd: (context: object) => Promise<Record<string, Hook>>;
  };
  return Checkpointd({ directory });
}

const call = (hooks: Record<string, Hook>, name: string, ...values: unknown[]): Promise<void> =>
  hooks[name]?.(...values) ?? Promise.reject(new Error(name));

test('our hook reads the plugin’s events for start, prompt, tool and end; the events of a subagent count as events of its parent', async () => {
  const { directory, words, events } = pluginRecorder('opencode');
  const hooks = await plugin(words, directory);
  const created = (info: object): object => ({ event: { type: 'session.created', properties: { info } } });
  await call(hooks, 'event', created({ id: 'main' }));
  await call(hooks, 'event', created({ id: 'child', parentID: 'main' }));
  const output = { message: { id: 'msg_1' }, parts: [{ type: 'text', text: 'tidy up' }] };
  await call(hooks, 'chat.message', { sessionID: 'main' }, output);
  await call(hooks, 'chat.message', { sessionID: 'child' }, { message: { id: 'x' }, parts: [] });
  const input = { tool: 'write', sessionID: 'child', callID: 'c1', args: { filePath: join(directory, 'a') } };
  await call(hooks, 'tool.execute.after', input, {});
  await call(hooks, 'dispose');
  const base = { agent: 'opencode', conversation: 'main', directory };
  assert.equal(events(), [
    { ...base, kind: 'start' },
    { ...base, kind: 'prompt', text: 'tidy up' },
    { ...base, kind: 'tool', tool: 'write', call: 'c1', files: [join(directory, 'a')] },
    { ...base, kind: 'end' },
  ]);
  const told = output.parts[1] as unknown as { text: string; synthetic: boolean };
  assert.equal([told.text, told.synthetic], ['files went back', true]);
});

test('if our hook is missing or fails, the user’s prompt continues', async () => {
  const directory = temporaryDirectory('opencode');
  const hooks = await plugin([join(directory, 'not-there'), 'hook'], directory);
  const output = { message: { id: 'm' }, parts: [] };
  await call(hooks, 'chat.message', { sessionID: 'main' }, output);
  await call(hooks, 'event', { event: undefined });
  await call(hooks, 'event', {});
  assert.equal(output.parts, []);
  assert.not.ok(existsSync(join(directory, 'events')));
});

test('our plugin of opencode is recognised as ours', () => {
  assert.ok(isOurPlugin(opencodePlugin(['x'])));
  assert.not.ok(isOurPlugin('export const mine = 1;'));
});

test.run();
