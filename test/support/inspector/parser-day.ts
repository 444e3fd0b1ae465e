// A day's work of an agent and a user on a small parser. The day has turns, tools, a restore that detaches some
// checkpoints, and an edit that is not in a checkpoint yet.
import type { Inspected } from './inspected.ts';

const parser = `import { type Token, tokens } from './lexer.ts';

export interface Node {
  readonly kind: 'number' | 'sum' | 'product';
  readonly value?: number;
  readonly children: readonly Node[];
}

/** Parses an expression of sums and products. */
export function parse(text: string): Node {
  const all = tokens(text);
  const [node, rest] = sum(all);
  if (rest.length > 0) throw new SyntaxError(\`unexpected \${rest[0]?.text}\`);
  return node;
}

function sum(all: readonly Token[]): [Node, readonly Token[]] {
  let [node, rest] = product(all);
  while (rest[0]?.text === '+') {
    const [next, left] = product(rest.slice(1));
    node = { kind: 'sum', children: [node, next] };
    rest = left;
  }
  return [node, rest];
}

function product(all: readonly Token[]): [Node, readonly Token[]] {
  let [node, rest] = atom(all);
  while (rest[0]?.text === '*') {
    const [next, left] = atom(rest.slice(1));
    node = { kind: 'product', children: [node, next] };
    rest = left;
  }
  return [node, rest];
}

function atom([first, ...rest]: readonly Token[]): [Node, readonly Token[]] {
  if (first === undefined) throw new SyntaxError('unexpected end');
  return [{ kind: 'number', value: Number(first.text), children: [] }, rest];
}
`;

const lexer = `export interface Token {
  readonly text: string;
  readonly at: number;
}

export function tokens(text: string): Token[] {
  return [...text.matchAll(/\\d+|[+*()]/g)].map((found) => ({ text: found[0], at: found.index }));
}
`;

async function say(inspected: Inspected, user: string, agent: string): Promise<void> {
  const entry = { user: { content: user }, assistant: { content: agent } };
  await inspected.ask('conversation/append', { entry });
}

/** Does the work of the day. At the end, the session is at its last turn. */
export async function parserDay(inspected: Inspected): Promise<void> {
  const { rig } = inspected;
  rig.write('src/parser.ts', parser);
  rig.write('src/lexer.ts', lexer);
  rig.write('README.md', '# calc\n\nA small calculator.\n');
  rig.write('test/parser.test.ts', "import { parse } from '../src/parser.ts';\n\nparse('1 + 2 * 3');\n");
  await inspected.open('claude-code:calc');
  await inspected.turn('Tidy up the parser and say where an error is');
  const located = parser
    .replace('unexpected ${rest[0]?.text}', 'unexpected "${rest[0]?.text}" at ${rest[0]?.at}')
    .replace("'unexpected end'", "'unexpected end of the expression'");
  rig.write('src/parser.ts', located);
  await inspected.tool('edit', 'src/parser.ts: errors say where they are');
  await inspected.tool('bash', 'npm test');
  await say(
    inspected,
    'Tidy up the parser and say where an error is',
    'Errors name the token and its offset now.',
  );
  await inspected.turn('Allow parentheses');
  const nested = located.replace(
    '  return [{ kind:',
    `  if (first.text === '(') {
    const [node, [close, ...after]] = sum(rest);
    if (close?.text !== ')') throw new SyntaxError(\`missing ")" for "(" at \${first.at}\`);
    return [node, after];
  }
  return [{ kind:`,
  );
  rig.write('src/parser.ts', nested);
  rig.write(
    'test/parser.test.ts',
    "import { parse } from '../src/parser.ts';\n\nparse('(1 + 2) * 3');\nparse('1 + 2 * 3');\n",
  );
  rig.write(
    'notes/grammar.md',
    'sum = product { "+" product }\nproduct = atom { "*" atom }\natom = number | "(" sum ")"\n',
  );
  await inspected.tool('edit', 'src/parser.ts: parentheses');
  await say(inspected, 'Allow parentheses', 'Parentheses nest to any depth. I wrote down the grammar, too.');
  await inspected.turn('Rewrite it as a Pratt parser');
  rig.write('src/pratt.ts', `${parser.replaceAll('sum', 'pratt')}\n// half done\n`);
  rig.write('src/parser.ts', "export { parse } from './pratt.ts';\n");
  await inspected.tool('write', 'src/pratt.ts');
  rig.write('src/lexer.ts', lexer.replace('[+*()]', '[-+*/()]'));
  await inspected.tool('edit', 'src/lexer.ts: more operators');
  await say(
    inspected,
    'Rewrite it as a Pratt parser',
    'The new parser is in src/pratt.ts. Subtraction is next.',
  );
  await inspected.ask('checkpoint/restore', { tag: '2.1', mode: 'hard', scope: 'both' });
  await inspected.turn('Keep the old parser, and add subtraction and division');
  rig.write('src/lexer.ts', lexer.replace('[+*()]', '[-+*/()]'));
  await inspected.tool('edit', 'src/lexer.ts: more operators');
  rig.write('src/parser.ts', nested.replaceAll("=== '+'", "=== '+' || rest[0]?.text === '-'"));
  await inspected.tool('edit', 'src/parser.ts: subtraction');
  await inspected.tool('bash', 'npm test');
  await say(
    inspected,
    'Keep the old parser, and add subtraction and division',
    'Subtraction works; division is next.',
  );
  await inspected.turn('Write it up in the README');
  rig.write(
    'README.md',
    '# calc\n\nA small calculator: sums, products and parentheses.\n\n```sh\nnpm start "(1 + 2) * 3"\n```\n',
  );
  await inspected.tool('edit', 'README.md');
  rig.write('src/lexer.ts', lexer.replace('[+*()]', '[-+*/%()]'));
}
