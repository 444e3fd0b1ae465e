// Records the first session of REFERENCE.md from a real daemon. The steps are in this file. The recorded frames go to
// scripts/generate/first-session.ts. Run this script when a test reports the recorded session as outdated.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FrameParser } from '../src/wire/frame-parser.ts';
import { programFile } from '../src/wire/places.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-first-')));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const work = join(place, 'project');
execFileSync('git', ['init', '-q', work]);

const daemon = spawn(process.execPath, [programFile(), '--stdio'], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { PATH: process.env.PATH, HOME: place, XDG_STATE_HOME: join(place, '.local/state') },
});
const bodies: string[] = [];
let wake: () => void = () => undefined;
const parser = new FrameParser((body) => {
  bodies.push(body.toString());
  wake();
});
daemon.stdout.on('data', (chunk: Buffer) => parser.push(chunk));

const steps: { who: 'client' | 'server' | 'note'; text: string }[] = [];
const plain = (text: string): string => text.replaceAll(place, '/home/ada');
function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  daemon.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  steps.push({ who: 'client', text: plain(body) });
}
async function ask(id: number, method: string, params?: object): Promise<Record<string, unknown>> {
  send({ id, method, ...(params === undefined ? {} : { params }) });
  while (bodies.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  const body = bodies.shift() ?? '';
  steps.push({ who: 'server', text: plain(body) });
  return (JSON.parse(body) as { result: Record<string, unknown> }).result;
}
function note(text: string): void {
  steps.push({ who: 'note', text });
}

note(
  'The client starts `checkpointd --stdio`, writes to its standard input and reads from its standard output. `→` marks messages of the client, and `←` messages of the daemon.',
);
await ask(1, 'initialize', {
  processId: null,
  clientInfo: { name: 'first', version: '1' },
  capabilities: {},
});
send({ method: 'initialized', params: {} });
note(
  '`/home/ada/project` is an empty git repository. Opening a session there makes the base, checkpoint `0`.',
);
const { session } = await ask(2, 'session/open', { workspace: work, conversationId: 'first' });
note('The agent writes `hello.txt`. The client makes a checkpoint of a turn, which contains this file.');
writeFileSync(join(work, 'hello.txt'), 'hello\n');
await ask(3, 'checkpoint/create', { session, kind: 'turn', message: 'Say hello' });
note('A hard restore of the base deletes `hello.txt`.');
await ask(4, 'checkpoint/restore', { session, tag: '0', mode: 'hard' });
note('The client ends the daemon, and the daemon exits with 0.');
await ask(5, 'shutdown');
send({ method: 'exit' });
await new Promise((resolve) => daemon.once('exit', resolve));

const lines = steps.map(({ who, text }) => `  { who: '${who}', text: ${JSON.stringify(text)} },\n`).join('');
const content = `// Recorded by scripts/record-first-session.ts from a real daemon. Do not edit.

export interface WireStep {
  /** The writer of the frame; 'note' marks a note between frames. */
  readonly who: 'client' | 'server' | 'note';
  /** The frame's body, or the note. */
  readonly text: string;
}

/** A whole session on the wire. */
export const firstSession: readonly WireStep[] = [
${lines}];
`;
writeFileSync(join(root, 'scripts/generate/first-session.ts'), content);
