// Replaces method names in the daemon's messages with quoted commands, which a person can type.

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

/**
 * Returns the text for a command that exists only in the console. The text mentions the shell command that starts the
 * console.
 */
const onlyInConsole = (word: string): string => `"${word}" in "checkpointd console"`;

/** Matches a remark about a value that only clients of the protocol can send. */
const onlyOnTheWire = / With kind "safety", it lists the states before the restores\./;

/** Matches the advice to pass a certain parameter. Only one command has this parameter as an option. */
const asParameter = /\bpass `?allowProtected`?/;

/** The methods for which the MCP server has a tool with the same name. */
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
 * Replaces the method names in a message with commands to type or tools to call. A path that ends with the name of a
 * method stays unchanged.
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
