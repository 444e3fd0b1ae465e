// What vscode-jsonrpc alone does with bytes that no client should send, and what this transport does with the
// same: each case is written to both, followed by a sound request, and the table says what came back. Each row is
// held against what it should be, so that the table is never a story.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frameOf } from '../support/frames.ts';
import { WireClient } from '../support/wire-client.ts';

const entryOf = (name: string): string =>
  fileURLToPath(new URL(`../support/programs/${name}.js`, import.meta.url));
const request = (id: unknown, method = 'session/list'): Buffer =>
  frameOf({ jsonrpc: '2.0', id, method, params: {} });
const hello = request('hello', 'initialize');

/** What a program made of some bytes. */
interface Verdict {
  /** Answers to the bytes, as error codes or `ok`. */
  readonly answers: readonly string[];
  /** Whether the sound request that followed was answered. */
  readonly goesOn: boolean;
  readonly ended: number | null | 'running';
  readonly grownMb: number;
}

function residentBytes(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function judge(entry: string, bytes: Buffer): Promise<Verdict> {
  const client = new WireClient({ command: [process.execPath, entry], validate: false });
  try {
    client.write(hello);
    await client.next((frame) => frame.id === 'hello', 0);
    const before = residentBytes(client.process.pid);
    client.write(bytes);
    client.write(request('after'));
    const exited = await Promise.race([client.exited.then(({ code }) => ({ code })), sleep(400)]);
    const frames = client.frames.filter((frame) => frame.id !== 'hello' && frame.method === undefined);
    const answers = frames.filter((frame) => frame.id !== 'after');
    return {
      answers: answers.map((frame) => (frame.error === undefined ? 'ok' : String(frame.error.code))),
      goesOn: frames.some((frame) => frame.id === 'after'),
      ended: exited === undefined ? 'running' : exited.code,
      grownMb: Math.max(0, Math.round((residentBytes(client.process.pid) - before) / 1e6)),
    };
  } finally {
    await client.kill();
  }
}

const line = (text: string): Buffer => Buffer.from(text);
const ended = { goesOn: false, ended: 1, answers: ['-32700'] } as const;
const refused = (...answers: string[]): Partial<Verdict> => ({ goesOn: true, ended: 'running', answers });
const cases: readonly (readonly [string, Buffer, Partial<Verdict>])[] = [
  ['a length of 99 GB', line('Content-Length: 99000000000\r\n\r\n{}'), ended],
  ['8 MiB without a header end', Buffer.alloc(8 << 20, 'a'), ended],
  ['noise before a frame', line('npm warn something\r\n\r\n'), ended],
  ['a length that is a word', line('Content-Length: abc\r\n\r\n'), ended],
  ['a negative length', line('Content-Length: -5\r\n\r\n'), ended],
  ['two lengths', line('Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}'), ended],
  ['a body that is no JSON', frameOf('{"jsonrpc":'), refused('-32700')],
  [
    'invalid UTF-8',
    Buffer.concat([line('Content-Length: 4\r\n\r\n"'), Buffer.from([0xff, 0xfe]), line('"')]),
    refused('-32700'),
  ],
  ['a batch', frameOf([{ jsonrpc: '2.0', id: 1, method: 'session/list' }]), refused('-32600')],
  ['an id in flight twice', Buffer.concat([request(1), request(1)]), refused('-32600', 'ok')],
  ['the ids 1 and "1"', Buffer.concat([request(1), request('1')]), refused('ok', 'ok')],
  ['an id of null', request(null), refused('-32600')],
  ['jsonrpc 1.0', frameOf({ jsonrpc: '1.0', id: 1, method: 'session/list' }), refused('-32600')],
  ['a cancel without parameters', frameOf({ jsonrpc: '2.0', method: '$/cancelRequest' }), refused()],
  ['200,000 brackets', frameOf('['.repeat(200_000)), refused('-32700')],
];

function words({ answers, goesOn, ended, grownMb }: Verdict): string {
  const end = ended === 'running' ? '' : `, exit ${ended}`;
  const grown = grownMb > 4 ? `, +${grownMb} MB` : '';
  return `${answers.join(' ') || 'silence'}; ${goesOn ? 'goes on' : 'next request lost'}${end}${grown}`;
}

test('every case ends as it should, and the table beside vscode-jsonrpc alone (F103)', async () => {
  const rows = ['note: | bytes | vscode-jsonrpc alone | this transport |', 'note: |---|---|---|'];
  let differences = 0;
  for (const [name, bytes, expected] of cases) {
    const bare = await judge(entryOf('bare-echo'), bytes);
    const ours = await judge(entryOf('echo-daemon'), bytes);
    rows.push(`note: | ${name} | ${words(bare)} | ${words(ours)} |`);
    for (const [key, value] of Object.entries(expected))
      assert.equal(ours[key as keyof Verdict], value, name);
    if (words(bare) !== words(ours)) differences += 1;
  }
  console.log(rows.join('\n'));
  assert.ok(differences > 8, 'the library has learnt: see what is still needed of ours');
});

test.run();
