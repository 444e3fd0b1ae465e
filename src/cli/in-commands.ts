// Replaces the protocol's method names in the daemon's messages by commands that a person can type, in quotes.

const inShell: Readonly<Record<string, string>> = {
  'checkpoint/create': 'checkpointd create',
  'checkpoint/diff': 'checkpointd diff',
  'checkpoint/list': 'checkpointd list',
  'checkpoint/redo': 'checkpointd redo',
  'checkpoint/restore': 'checkpointd restore',
  'checkpoint/revert': 'checkpointd revert',
  'checkpoint/undo': 'checkpointd undo',
  'remote/add': 'checkpointd remote add',
  'remote/list': 'checkpointd remote list',
  'remote/push': 'checkpointd push',
  'remote/sessions': 'checkpointd sessions --remote',
  'session/list': 'checkpointd sessions',
  'store/gc': 'checkpointd gc',
  'store/verify': 'checkpointd verify',
};

const inConsole: Readonly<Record<string, string>> = {
  ...inShell,
  'checkpoint/clean': '/checkpoint clean',
  'checkpoint/create': '/checkpoint create',
  'checkpoint/diff': '/checkpoint diff',
  'checkpoint/init': '/checkpoint init',
  'checkpoint/list': '/checkpoint list',
  'checkpoint/restore': '/checkpoint restore',
  'checkpoint/revert': '/checkpoint revert',
  'conversation/compact': '/compact',
};

/** Only the console has a word for this, so the text for the shell says how to start the console. */
const onlyInConsole = (word: string): string => `"${word}" in "checkpointd console"`;

/** A remark about an option that exists only on the wire. */
const onlyOnTheWire = /, and with kind "safety" also the states before each restore/;

/** Advice that only one command can follow. */
const asParameter = /\bpass `?allowProtected`?/;

/** Tools of the MCP server have the names of the methods. */
const tools: ReadonlySet<string> = new Set([
  'list',
  'show',
  'diff',
  'create',
  'restore',
  'revert',
  'undo',
  'redo',
]);

/**
 * Returns a message with commands to type, or tools to call, in place of methods. A path that ends like a method
 * stays unchanged.
 */
export function inCommands(message: string, where: 'shell' | 'console' | 'tools' = 'shell'): string {
  return message
    .replace(onlyOnTheWire, '')
    .replace(asParameter, where === 'shell' ? 'run "checkpointd create --allow-protected"' : '$&')
    .replace(
      /(?<![\w./-])(`?)([a-z]+)\/([a-zA-Z]+)\1(?![\w/-])/g,
      (found, _tick, noun: string, verb: string) => {
        const method = `${noun}/${verb}`;
        if (where === 'tools') return noun === 'checkpoint' && tools.has(verb) ? `${noun}_${verb}` : found;
        const typed = where === 'shell' ? inShell[method] : inConsole[method];
        if (typed?.startsWith('/') === true) return typed;
        if (typed !== undefined) return `"${typed}"`;
        const word = inConsole[method];
        return where === 'console' || word === undefined ? found : onlyInConsole(word);
      },
    );
}
