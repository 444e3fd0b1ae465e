// The source text of the function by which our plugins for agents run the hook. It is plain JavaScript without imports
// of ours: the agent that loads the plugin brings its own runtime.

/** Returns the text of `tell(event)`; `words` start the hook. */
export function reportingSource(words: readonly string[]): string {
  return `import { spawn } from 'node:child_process';

const [program, ...words] = ${JSON.stringify(words)};

/** Tells checkpointd; resolves with what the agent should hear, within 1.5 s and never with an error. */
function tell(event) {
  return new Promise((resolve) => {
    let said = '';
    const late = setTimeout(() => resolve(''), 1500);
    const done = (text) => {
      clearTimeout(late);
      resolve(text);
    };
    try {
      const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
      child.on('error', () => done(''));
      child.stdin.on('error', () => undefined);
      child.stdout.on('data', (chunk) => (said += chunk));
      child.on('close', () => done(said));
      child.stdin.end(JSON.stringify(event));
    } catch {
      done('');
    }
  });
}
`;
}
