// vscode-jsonrpc alone on stdio, answering every request with its parameters: what the wire costs without us.
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest((_method, params) => params ?? {});
connection.onNotification(() => undefined);
connection.listen();
