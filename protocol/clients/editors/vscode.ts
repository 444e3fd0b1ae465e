// checkpointd in a VS Code extension: a session for the first workspace folder, a checkpoint by command, a restore by
// choosing from the list. Depends on the package `checkpointd`; call `activate` from your extension's own.
import { CheckpointdClient, CheckpointdRequestError } from 'checkpointd/client';
import * as vscode from 'vscode';

let client: CheckpointdClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) return;
  const started = await CheckpointdClient.start({
    clientInfo: { name: 'Visual Studio Code', version: vscode.version },
    events: ['checkpoint/didCreate'],
  });
  client = started;
  const { session, checkpoints } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: 'Opening checkpoints' },
    (progress) =>
      started.request(
        'session/open',
        { workspace: folder.uri.toString(), storageDir: context.globalStorageUri.fsPath },
        { onProgress: (value) => progress.report(value.kind === 'end' ? {} : { message: value.message ?? '' }) },
      ),
  );
  if (!checkpoints.enabled) void vscode.window.showInformationMessage(checkpoints.message ?? 'No checkpoints here.');

  context.subscriptions.push(
    vscode.commands.registerCommand('checkpointd.create', () =>
      reporting(() => started.request('checkpoint/create', { session, kind: 'turn', message: 'By hand' })),
    ),
    vscode.commands.registerCommand('checkpointd.restore', () =>
      reporting(async () => {
        const { checkpoints: listed } = await started.request('checkpoint/list', { session });
        const items = listed.map((each) => ({ label: `[${each.tag}]`, description: each.description, id: each.id }));
        const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Restore files and conversation to …' });
        if (chosen !== undefined) await started.request('checkpoint/restore', { session, tag: chosen.id, mode: 'hard' });
      }),
    ),
  );
}

export async function deactivate(): Promise<void> {
  await client?.close();
}

/** Shows what the daemon says when a request fails: its messages name the remedy. */
async function reporting(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CheckpointdRequestError)) throw error;
    void vscode.window.showErrorMessage(error.message);
  }
}
