// Serves a model on the loopback address. The model plays a script, and each call gets the next step. The server
// implements the API of Gemini (streamGenerateContent) and both APIs of OpenAI (responses, chat completions), and
// records the requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The next step of the model: an edit by the agent's tool, a command, or a text. A text ends the turn. */
export type Step = (
  | { readonly edit: string; readonly content: string }
  | { readonly shell: string }
  | { readonly say: string }
) & {
  /** The wait before the answer. Real models think for seconds, and captures are made during this time. */
  readonly after?: () => Promise<void>;
};

type Body = Readonly<Record<string, unknown>>;

export class ModelServer {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #steps: Step[] = [];
  /** The bodies of the calls that the server answered with a step. */
  readonly asked: string[] = [];
  /** The requests that the server did not recognise. */
  readonly unknown: string[] = [];
  /** The errors of waits that took too long. */
  readonly failures: string[] = [];
  #calls = 0;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  plays(...steps: Step[]): void {
    this.#steps.push(...steps);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = request.url ?? '';
    const events = url.includes(':streamGenerateContent')
      ? gemini(await this.#next(text), this.#calls)
      : url.endsWith('/responses')
        ? openAi(await this.#next(text), this.#calls, JSON.parse(text) as Body)
        : url.endsWith('/chat/completions')
          ? chat(await this.#next(text), this.#calls)
          : undefined;
    if (events === undefined) {
      this.unknown.push(`${request.method ?? ''} ${url}`);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"code":404}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events)
      response.write(
        `${'type' in event ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      );
    response.end();
  }

  async #next(text: string): Promise<Step> {
    this.asked.push(text);
    this.#calls += 1;
    const step = this.#steps.shift() ?? { say: 'The script is over.' };
    try {
      await step.after?.();
    } catch (error) {
      this.failures.push(String(error));
    }
    return step;
  }
}

function gemini(step: Step, call: number): Body[] {
  const part =
    'say' in step
      ? { text: step.say }
      : 'edit' in step
        ? { functionCall: { name: 'write_file', args: { file_path: step.edit, content: step.content } } }
        : {
            functionCall: { name: 'run_shell_command', args: { command: step.shell, description: 'a step' } },
          };
  return [
    {
      responseId: `call-${call}`,
      modelVersion: 'scripted',
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ];
}

function chat(step: Step, call: number): Body[] {
  const named = (name: string, given: object): Body => ({
    tool_calls: [
      {
        index: 0,
        id: `call_${call}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      },
    ],
  });
  const delta =
    'say' in step
      ? { content: step.say }
      : 'edit' in step
        ? named('write', { path: step.edit, content: step.content })
        : named('bash', { command: step.shell });
  const chunk = (choice: object): Body => ({
    id: `chat-${call}`,
    object: 'chat.completion.chunk',
    model: 'scripted',
    choices: [{ index: 0, finish_reason: null, delta: {}, ...choice }],
  });
  return [
    chunk({ delta: { role: 'assistant', ...delta } }),
    chunk({ finish_reason: 'say' in step ? 'stop' : 'tool_calls' }),
  ];
}

function openAi(step: Step, call: number, { tools }: Body): Body[] {
  const id = `resp_${call}`;
  const item = { id: `item_${call}`, call_id: `call_${call}`, status: 'completed', ...itemOf(step, tools) };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
  ];
}

/**
 * Returns the answer for a step. The names of tools depend on the model, so the answer takes them
 * from `tools`, the tools in the request.
 */
function itemOf(step: Step, tools: unknown): Body {
  if ('say' in step)
    return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: step.say }] };
  if ('edit' in step) {
    const lines = step.content.trimEnd().split('\n');
    const input = [
      '*** Begin Patch',
      `*** Add File: ${step.edit}`,
      ...lines.map((line) => `+${line}`),
      '*** End Patch',
    ];
    return { type: 'custom_tool_call', name: 'apply_patch', input: input.join('\n') };
  }
  const names = (Array.isArray(tools) ? (tools as Body[]) : []).map(({ name }) => name);
  const name = ['exec_command', 'shell_command'].find((each) => names.includes(each)) ?? 'shell';
  const given =
    name === 'exec_command'
      ? { cmd: step.shell }
      : { command: name === 'shell' ? ['bash', '-lc', step.shell] : step.shell };
  return { type: 'function_call', name, arguments: JSON.stringify(given) };
}
