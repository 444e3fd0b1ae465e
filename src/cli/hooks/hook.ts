// checkpointd hook <agent> [event]: the command that agents run. An agent waits for every hook, so the hook does not
// load the library of the other commands. The hook reads the event and writes it to the disk. Then the hook asks the
// keeper to process the event, and waits a short time for the answer. The hook must neither delay an agent nor report a
// failure to the agent. The hook therefore always ends with exit code 0, within a second.
import { storageAt } from '../../wire/places.ts';
import { handOver } from './hand-over.ts';
import { logHook, writeLastHook } from './hook-notes.ts';
import { agentNames, readEvent } from './payloads.ts';
import { writeEvent } from './written-events.ts';

/** The time after which the hook gives up, measured from the start of the process. */
const patienceMs = 850;
/** The additional time for reading an event that arrives late. */
const inputGraceMs = 150;
/** The size limit of an event. No supported agent sends a larger event. */
const inputBytesMax = 32 * 1024 * 1024;
/**
 * The maximum length of a prompt. The hook cuts a longer prompt, because checkpointd uses the prompt only to name the
 * turn.
 */
const promptCharactersMax = 20_000;

async function runHook(agent: string, event: string | undefined, storage: string): Promise<never> {
  let isWritten = false;
  const giveUp = (): never => {
    const fate = isWritten
      ? 'the event is on the disk, and the keeper will process it'
      : 'the agent had not sent the whole event, so the event is lost';
    failed(storage, agent, `the hook ran out of time; ${fate}`);
    process.exit(0);
  };
  let late = setTimeout(
    () => {
      if (isWritten) giveUp();
      // If the process started slowly, the hook has perhaps not read its input yet. So the hook reads the input that
      // the agent has already sent, and only then gives up.
      late = setTimeout(() => setImmediate(giveUp), inputGraceMs);
    },
    Math.max(1, patienceMs - performance.now()),
  );
  try {
    await report(agent, event, storage, () => (isWritten = true));
  } catch (error) {
    failed(storage, agent, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  clearTimeout(late);
  process.exit(0);
}

/** Writes a failure to the log, and into the note about the agent's last hook. */
function failed(storage: string, agent: string, failure: string): void {
  logHook(storage, `${agent}: ${failure}`);
  const [firstLine = ''] = failure.split('\n');
  if (agentNames.includes(agent))
    writeLastHook(storage, { agent, at: new Date().toISOString(), failure: firstLine });
}

async function report(
  agent: string,
  name: string | undefined,
  storage: string,
  onWritten: () => void,
): Promise<void> {
  const text = await standardInput();
  if (text === undefined)
    return failed(storage, agent, `the hook ignored an event of more than ${inputBytesMax} bytes`);
  const event = readEvent(agent, text, name);
  if ('nothing' in event) {
    if (event.quiet !== true) failed(storage, agent, event.nothing);
    return;
  }
  const id = writeEvent(storage, {
    ...event,
    atMs: Math.round(performance.timeOrigin),
    // Cutting the prompt may leave half a character, which the daemon would refuse. The conversion to UTF-8 replaces
    // this half.
    ...(event.text === undefined
      ? {}
      : { text: Buffer.from(event.text.slice(0, promptCharactersMax)).toString() }),
  });
  onWritten();
  const { forModel } = await handOver(storage, { event: id });
  if (forModel === undefined) return;
  const output = contextFor(event.agent, forModel);
  if (output !== undefined) await new Promise((resolve) => process.stdout.write(output, resolve));
}

/** Reads the whole input, so that the agent's write succeeds. Returns undefined when the input is too large. */
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

// Formats a message that an agent reads as context when the user sends a prompt. Only some agents accept context from
// hooks.

/**
 * Returns the text that the hook prints. Returns undefined for an agent whose documentation describes no output of
 * hooks.
 */
function contextFor(agent: string, text: string): string | undefined {
  switch (agent) {
    case 'claude-code':
    case 'codex':
      return hookOutput('UserPromptSubmit', text);
    case 'gemini':
      return hookOutput('BeforeAgent', text);
    case 'copilot':
      return JSON.stringify({ additionalContext: text });
    case 'opencode':
    case 'pi':
      return text; // our own plugin reads this text
    default:
      return undefined;
  }
}

function hookOutput(hookEventName: string, additionalContext: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
}

const help = `Usage: checkpointd hook <agent> [event] [--storage=DIR]

Agents run this command for each event; "checkpointd enable" writes it into their settings. The command reads
the event as JSON from standard input. It makes a checkpoint of a turn at each prompt, a checkpoint of a tool after
each tool that changed files, and a last checkpoint at the end of the conversation. It always exits with 0 within
a second, and prints nothing. It logs failures in hooks/hook.log of the storage.

Agents: ${agentNames.join(', ')}
`;

export async function hookCommand(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  const given = rest.find((word) => word.startsWith('--storage='))?.slice('--storage='.length);
  const storage = storageAt(given === '' ? undefined : given);
  if (command === 'hook-keeper') {
    const { runKeeper } = await import('./keeper.ts');
    return runKeeper(storage);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const [agent = '', event] = rest.filter((word) => !word.startsWith('-'));
  return runHook(agent, event, storage);
}
