// The parts of VS Code's API and of vscode-languageclient 9 that the snippet uses. With these parts, the snippet can be
// type-checked without the packages. vscode.long.ts checks the snippet with the real declarations.
declare module 'vscode' {
  export interface Disposable {
    dispose(): void;
  }
  export interface ExtensionContext {
    readonly subscriptions: Disposable[];
  }
  export interface CancellationToken {
    readonly isCancellationRequested: boolean;
  }
  export interface QuickPickItem {
    label: string;
    description?: string;
  }
  export enum ProgressLocation {
    Window = 10,
  }
  export const workspace: {
    readonly workspaceFolders: readonly { readonly uri: { toString(): string } }[] | undefined;
  };
  export const commands: {
    registerCommand(name: string, run: () => unknown): Disposable;
  };
  export const window: {
    setStatusBarMessage(text: string, hideAfterMs: number): Disposable;
    showErrorMessage(message: string): PromiseLike<string | undefined>;
    showQuickPick<T extends QuickPickItem>(items: readonly T[]): PromiseLike<T | undefined>;
    withProgress<R>(
      options: { location: ProgressLocation; title?: string; cancellable?: boolean },
      task: (
        progress: { report(value: { message?: string }): void },
        token: CancellationToken,
      ) => PromiseLike<R>,
    ): PromiseLike<R>;
  };
}

declare module 'vscode-languageclient/node' {
  import type { CancellationToken, Disposable } from 'vscode';
  export enum TransportKind {
    stdio = 0,
  }
  export class ResponseError extends Error {
    readonly code: number;
    readonly data: unknown;
  }
  export interface StaticFeature {
    fillClientCapabilities(capabilities: object): void;
    initialize(): void;
    getState(): { kind: 'static' };
    clear(): void;
  }
  export class LanguageClient {
    constructor(
      id: string,
      name: string,
      server: { command: string; transport: TransportKind },
      client: { documentSelector: [] },
    );
    registerFeature(feature: StaticFeature): void;
    start(): Promise<void>;
    stop(): Promise<void>;
    sendRequest<R>(method: string, params: unknown, token?: CancellationToken): Promise<R>;
    // The real declaration is equally loose: the listener decides the type of the parameters.
    // oxlint-disable-next-line typescript/no-explicit-any
    onNotification(method: string, listener: (params: any) => void): Disposable;
  }
}
