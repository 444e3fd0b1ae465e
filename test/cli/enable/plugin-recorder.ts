// A program that takes the place of our hook. The program records each event that a plugin sends, and answers a prompt.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEvent } from '../../../src/cli/hooks/payloads.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface PluginRecorder {
  readonly directory: string;
  /** The command that the plugin runs as its hook. */
  readonly words: readonly string[];
  /** Returns the recorded events, parsed in the same way as in our hook. */
  readonly events: () => readonly unknown[];
}

export function pluginRecorder(agent: 'opencode' | 'pi'): PluginRecorder {
  const directory = temporaryDirectory(agent);
  const record = join(directory, 'events');
  const recorder = join(directory, 'recorder.mjs');
  writeFileSync(
    recorder,
    `import { appendFileSync, readFileSync } from 'node:fs';
     const text = readFileSync(0, 'utf8');
     appendFileSync(${JSON.stringify(record)}, text + '\\n');
     if (text.includes('"prompt"')) process.stdout.write('files went back');`,
  );
  const lines = (): string[] => readFileSync(record, 'utf8').trim().split('\n');
  return {
    directory,
    words: [process.execPath, recorder],
    events: () => lines().map((line) => readEvent(agent, line)),
  };
}
