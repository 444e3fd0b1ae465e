// checkpointd in VS Code: an extension with `vscode-languageclient` (9 to 11) as its only dependency. The daemon (the
// npm package `checkpointd`) must be on the PATH. In package.json, write "activationEvents": ["onStartupFinished"], and
// the three commands under "contributes".
import * as vscode from 'vscode';
import { LanguageClient, ResponseError, TransportKind } from 'vscode-languageclient/node';

interface Checkpoint {
  readonly tag?: string;
  readonly description: string;
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) return;
  const server = { command: 'checkpointd', transport: TransportKind.stdio };
  const started = new LanguageClient('checkpointd', 'checkpointd', server, { documentSelector: [] });
  started.registerFeature({
    fillClientCapabilities: (capabilities) =>
      Object.assign(capabilities, { checkpointd: { events: ['checkpoint/didCreate'] } }),
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  });
  client = started;
  await started.start();
  started.onNotification('checkpoint/didCreate', ({ checkpoint }: { checkpoint: Checkpoint }) => {
    vscode.window.setStatusBarMessage(`Checkpoint ${checkpoint.tag ?? ''}: ${checkpoint.description}`, 5000);
  });
  const { session } = await started.sendRequest<{ session: string }>('session/open', {
    workspace: folder.uri.toString(),
    init: 'force',
    // Checkpoints remain when the window closes: the next window resumes the same conversation.
    conversationId: 'vscode',
    retention: 'keep',
  });

  /** Sends a request and shows its progress in the window. Shows the error of a refused request. */
  async function request<Result>(method: string, params: object): Promise<Result | undefined> {
    const workDoneToken = `${method}-${Date.now()}`;
    try {
      return await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: method, cancellable: true },
        async (progress, token) => {
          const reports = started.onNotification('$/progress', (report) => {
            if (report.token === workDoneToken) progress.report({ message: report.value.message ?? report.value.title });
          });
          try {
            return await started.sendRequest<Result>(method, { session, workDoneToken, ...params }, token);
          } finally {
            reports.dispose();
          }
        },
      );
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error;
      const { kind, effects } = error.data as { kind: string; effects: string };
      await vscode.window.showErrorMessage(`${error.message} (${kind}, effects: ${effects})`);
      return undefined;
    }
  }

  async function pick(): Promise<string | undefined> {
    const list = await request<{ checkpoints: Checkpoint[] }>('checkpoint/list', {});
    const items = (list?.checkpoints ?? []).map((each) => ({ label: each.tag ?? '', description: each.description }));
    return (await vscode.window.showQuickPick(items.reverse()))?.label;
  }

  const commands: Record<string, () => Promise<unknown>> = {
    'checkpointd.create': () => request('checkpoint/create', { kind: 'turn', message: 'Made by hand' }),
    'checkpointd.restore': async () => {
      const tag = await pick();
      return tag === undefined ? undefined : request('checkpoint/restore', { tag });
    },
    'checkpointd.undo': () => request('checkpoint/undo', {}),
  };
  for (const [name, run] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
