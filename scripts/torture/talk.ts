// Makes random requests that change a conversation. The parameters of these requests are valid.

const changes: readonly (readonly [string, object])[] = [
  ['conversation/append', { entry: { user: { content: 'asked' }, assistant: { content: 'answered' } } }],
  ['conversation/appendTranscript', { text: 'a line\nand another' }],
  ['conversation/setNextMessage', { message: { content: 'next' } }],
  ['conversation/clear', {}],
  ['conversation/setValidRange', { range: { start: 0, end: 0 } }],
  ['conversation/compact', { summary: 'in short', keep: 0 }],
  ['conversation/forget', { messages: 1 }],
  ['conversation/addContext', { paths: ['a.txt', 'c/*.txt'] }],
  ['conversation/removeContext', { paths: ['a.txt'] }],
  ['conversation/setTools', { tools: { builtin: [{ name: 'write' }] } }],
  ['conversation/setAgents', { agents: { helper: {} } }],
  ['conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } }],
  ['conversation/setMcpEnabled', { mcpEnabled: false }],
  ['conversation/recordLines', { path: 'a.txt', operation: 'create', linesBefore: 1, linesAfter: 2 }],
  ['ledger/recordWrite', { path: 'a.txt' }],
];

export function talk(n: number): readonly [string, object] {
  return changes[n % changes.length] ?? ['conversation/clear', {}];
}
