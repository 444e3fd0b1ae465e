// The client's end of the strict transport: vscode-jsonrpc's own reader waits for 99 GB when told so and goes on
// after noise. Here whatever is no frame ends the connection, since nothing after it can be trusted.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
} from 'vscode-jsonrpc/node';
import { FrameParser, frameLimits } from '../rpc/transport/frame-parser.ts';

export class ClientReader extends AbstractMessageReader implements MessageReader {
  readonly #input: Readable;
  readonly #onFault: (fault: string) => void;

  /** Calls `onFault` once, at the first thing that is no frame; nothing is read after it. */
  constructor(input: Readable, onFault: (fault: string) => void) {
    super();
    this.#input = input;
    this.#onFault = onFault;
  }

  listen(callback: DataCallback): Disposable {
    let fault: string | undefined;
    const parser = new FrameParser((body) => {
      if (fault === undefined) fault = deliver(body, callback);
    }, frameLimits);
    this.#input.on('data', (chunk: Buffer) => {
      if (fault !== undefined) return;
      parser.push(chunk);
      fault ??= parser.fault;
      if (fault !== undefined) this.#onFault(fault);
    });
    this.#input.on('end', () => this.fireClose());
    this.#input.on('error', (error) => this.fireError(error));
    return { dispose: () => this.#input.pause() };
  }
}

/** Hands a message over; tells what is wrong with it otherwise. */
function deliver(body: Buffer, callback: DataCallback): string | undefined {
  if (!isUtf8(body)) return 'a body that is not UTF-8';
  let message: unknown;
  try {
    message = JSON.parse(body.toString('utf8'));
  } catch (error) {
    return `a body that is not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  if (typeof message !== 'object' || message === null || !('jsonrpc' in message))
    return 'a body that is no JSON-RPC message';
  callback(message as Message);
  return undefined;
}
