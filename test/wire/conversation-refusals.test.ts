// If the daemon refuses invalid input, the error says what to do. A refused request sends no event and leaves the
// exported conversation unchanged. Requests that do not match the schema are tested in
// test/protocol/bad-values.test.ts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequestMethod } from '../../src/protocol/types.ts';
import { failureOf } from '../support/wire-client.ts';
import { withSession } from '../support/wire-session.ts';

const big = 'x'.repeat(400_001);
const lone = 'half \ud83d of a pair';
const assistant = { content: 'y' };
const exchange = { id: 'e', user: { content: 'x' }, assistant };
const document = { format_version: 1, conversation_id: 'd', history: [exchange], transcript: [] };
const withEntry = (entry: object): object => ({ document: { ...document, history: [entry] } });
const withPath = (path: string): object => ({
  document: { ...document, context_manager: { paths: ['a.txt', path] } },
});

const outside = /inside|within|relative/i;
const shorter = /Shorten it, or raise limits.maxMessageCharacters/;
const unharmed = /Nothing was changed/;

/** For each request: name, method, parameters, expected error kind, and the advice that the message must contain. */
const refusals: readonly (readonly [string, RequestMethod, object, string, RegExp])[] = [
  [
    'a message too long',
    'conversation/append',
    { entry: { user: { content: big }, assistant } },
    'MessageTooLarge',
    shorter,
  ],
  [
    'an answer too long',
    'conversation/append',
    { entry: { user: {}, assistant: { content: big } } },
    'MessageTooLarge',
    shorter,
  ],
  [
    'a next message too long',
    'conversation/setNextMessage',
    { message: { content: big } },
    'MessageTooLarge',
    shorter,
  ],
  ['a transcript line too long', 'conversation/appendTranscript', { text: big }, 'MessageTooLarge', shorter],
  ['a summary too long', 'conversation/compact', { summary: big }, 'MessageTooLarge', shorter],
  [
    'a range out of bounds',
    'conversation/setValidRange',
    { range: { start: 0, end: 9 } },
    'InvalidRange',
    /Give whole numbers with 0 <= start <= end <= 1/,
  ],
  [
    'an unknown entry',
    'conversation/compact',
    { summary: 's', keepFrom: 'ent_none' },
    'UnknownEntry',
    /conversation\/history/,
  ],
  [
    'an unknown session',
    'conversation/get',
    { session: 'ses_none' },
    'UnknownSession',
    /session\/(open|list)/,
  ],
  [
    'an import with a message too long',
    'conversation/import',
    withEntry({ ...exchange, user: { content: big } }),
    'MessageTooLarge',
    shorter,
  ],
  [
    'an import with an answer too long',
    'conversation/import',
    withEntry({ ...exchange, assistant: { content: big } }),
    'MessageTooLarge',
    shorter,
  ],
  [
    'an import with a summary too long',
    'conversation/import',
    { document: { ...document, latest_summary: [big, {}] } },
    'MessageTooLarge',
    shorter,
  ],
  [
    'an import of a later version',
    'conversation/import',
    { document: { ...document, format_version: 99 } },
    'DocumentVersion',
    /Update checkpointd/,
  ],
  [
    'an import with an id twice',
    'conversation/import',
    { document: { ...document, history: [exchange, exchange] } },
    'DocumentInvalid',
    unharmed,
  ],
  [
    'an import with a range out of bounds',
    'conversation/import',
    { document: { ...document, valid_history_range: [0, 2] } },
    'DocumentInvalid',
    unharmed,
  ],
  ...['../x', '/etc/passwd', 'a/../../x', '.git/config'].flatMap((path) => [
    [
      `context outside: ${path}`,
      'conversation/addContext',
      { paths: ['a.txt', path] },
      'PathOutsideWorkTree',
      outside,
    ] as const,
    [
      `an import with context outside: ${path}`,
      'conversation/import',
      withPath(path),
      'PathOutsideWorkTree',
      outside,
    ] as const,
  ]),
];

test('the daemon refuses invalid input, says what to do, and does not change the conversation (C6, C24, C35)', () =>
  withSession(async (rig) => {
    await rig.append('kept');
    await rig.request('conversation/addContext', { paths: ['a.txt'] });
    const before = await rig.document();
    const told = rig.events('conversation/didChange').length;
    for (const [name, method, params, kind, remedy] of refusals) {
      const asked = { session: rig.session, ...params } as never;
      const { kind: got, message } = await failureOf(rig.client.request(method, asked));
      assert.is(got, kind, `${name}: ${message}`);
      assert.match(message, remedy, name);
      assert.ok(message.length < 1000, `${name}: the bad input is not echoed whole`);
      assert.equal(await rig.document(), before, name);
    }
    assert.is(rig.events('conversation/didChange').length, told);
  }));

// JSON writes a lone surrogate as an escape, so a document with a lone surrogate is valid JSON.
test('a document with a lone surrogate anywhere is refused, from the wire and from a file (C35)', () =>
  withSession(async (rig) => {
    await rig.append('kept');
    const before = await rig.document();
    const documents: readonly (readonly [string, object])[] = [
      ['a message', { ...document, history: [{ ...exchange, user: { content: lone } }] }],
      ['an answer', { ...document, history: [{ ...exchange, assistant: { content: lone } }] }],
      ['an id', { ...document, history: [{ ...exchange, id: lone }] }],
      ['metadata', { ...document, history: [{ ...exchange, request_metadata: { deep: [{ a: lone }] } }] }],
      ['a transcript line', { ...document, transcript: ['> a', lone] }],
      ['a summary', { ...document, latest_summary: [lone, {}] }],
      ['a context path', { ...document, context_manager: { paths: [lone] } }],
    ];
    for (const [name, bad] of documents) {
      const direct = await failureOf(rig.request('conversation/import', { document: bad as never }));
      assert.match(direct.message, /well-formed|surrogate/, name);
      rig.write('bad.json', JSON.stringify(bad));
      const fromFile = await failureOf(rig.request('conversation/import', { path: 'bad.json' }));
      assert.match(fromFile.message, /well-formed/, name);
      assert.match(fromFile.message, unharmed, name);
      assert.equal(await rig.document(), before, name);
    }
  }));

test.run();
