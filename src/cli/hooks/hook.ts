// checkpointd hook <agent> [event]: what an agent runs. It reads the event, hands it to the keeper and waits for it,
// but never long: an agent is neither held up nor told of a failure. So it always ends with 0, within a second.
import { programFile } from '../../client/this-package.ts';
import { contextFor } from './agent-context.ts';
import type { AgentEvent } from './agent-event.ts';
import { logHook } from './hook-log.ts';
import { askKeeper, keeperSocket } from './keeper-socket.ts';
import { readEvent } from './payloads.ts';

/** Counted from the start of the process. */
const patienceMs = 850;
/** What is read of an event; more is no event of an agent that we know. */
const inputBytesMax = 32 * 1024 * 1024;
/** A longer prompt is cut: it is the name of a turn here and nothing else. */
const promptCharactersMax = 20_000;

export async function runHook(agent: string, event: string | undefined, storage: string): Promise<never> {
  const late = setTimeout(
    () => {
      logHook(storage, `${agent}: not done in time; the keeper goes on with what it was told`);
      process.exit(0);
    },
    Math.max(1, patienceMs - performance.now()),
  );
  try {
    await report(agent, event, storage);
  } catch (error) {
    logHook(storage, `${agent}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  clearTimeout(late);
  process.exit(0);
}

async function report(agent: string, name: string | undefined, storage: string): Promise<void> {
  const text = await standardInput();
  if (text === undefined)
    return logHook(storage, `${agent}: an event of over ${inputBytesMax} bytes is left out`);
  const event = readEvent(agent, text, name);
  if ('nothing' in event) {
    if (event.quiet !== true) logHook(storage, `${agent}: ${event.nothing}`);
    return;
  }
  const line = JSON.stringify({
    ...event,
    atMs: Math.round(performance.timeOrigin),
    ...(event.text === undefined ? {} : { text: wellFormed(event.text.slice(0, promptCharactersMax)) }),
  });
  const { told } = JSON.parse(await handOver(storage, event, line)) as { readonly told?: string };
  if (told === undefined) return;
  const output = contextFor(event.agent, told);
  if (output !== undefined) await new Promise((resolve) => process.stdout.write(output, resolve));
}

/** The wire refuses half a character, which a cut may leave. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** All of it is read, so that the agent's write succeeds; undefined when it is too much. */
async function standardInput(): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes <= inputBytesMax) chunks.push(chunk as Buffer);
    else chunks.length = 0;
  }
  return bytes > inputBytesMax ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Gives the event to the keeper, which is started where none answers. An end alone starts nothing. */
async function handOver(storage: string, { kind }: AgentEvent, line: string): Promise<string> {
  try {
    return await askKeeper(keeperSocket(storage), line);
  } catch (error) {
    const isAbsent = error instanceof Error && /: there is nothing$|ECONNREFUSED|ENOENT/.test(error.message);
    if (!isAbsent) throw error;
    return kind === 'end' ? '{}' : startKeeper(storage, line);
  }
}

/** The event goes with the start, so that it is not lost however long that takes. */
async function startKeeper(storage: string, line: string): Promise<string> {
  const program = programFile();
  // Loaded here: a hook that finds its keeper starts nothing.
  const { spawn } = await import('node:child_process');
  // Nothing of ours stays open in it: some agents wait until everybody has closed the hook's output.
  const child = spawn(process.execPath, [program, 'hook-keeper', `--storage=${storage}`], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
    cwd: '/',
  });
  child.unref();
  child.stdin.end(line);
  let answer = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) answer += chunk as string;
  return answer === '' ? '{}' : answer;
}
