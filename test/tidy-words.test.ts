// A program can check some of the rules for sentences. This test checks these rules. The rules are about the first
// words of comments, words that hide the actor, the length of a sentence, and the headings of DECISIONS. Each number
// may only become smaller.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, commentsOf, filesOf, pages, read, sentencesOf } from '../scripts/lint/sentences.ts';

/** For each rule, the number of findings that is allowed. Lower a number when you have removed findings; never raise one. */
const allowed = {
  opening: 0,
  unnamed: 0,
  long: 1,
  decision: 0,
} as const;

/** Code, links and references count as one word each, because a reader skips each of them at once. */
const wordCount = (sentence: string): number =>
  sentence
    .replaceAll(/`[^`]*`|\([^()]*\)/g, 'x')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;

const sources = ['src', 'test', 'scripts'].flatMap((folder) => filesOf(folder, '.ts'));

const wordsMax = 35;
const openings = /^(?:Of|What|Those|The same|Whatever)\b/;
const unnamed = /\b(?:nobody|somebody|anybody|whoever)(?:['’]s)?\b/gi;

/** The verbs of the headings of DECISIONS. When you write a heading with a new verb, add the verb to this list. */
const verbs =
  /\b(?:is|are|has|have|names|watches|gets?|goes|falls|holds?|keeps?|moves|narrows|owns?|proves?|runs?|sweeps|syncs|stays|takes?|waits?|works|writes?|answers?|blocks|checks?|closing|commits|compared|counts?|creates|decides|disappears|empties|follows|leaves?|loads|looks|made|makes|opens?|packs|puts?|reads?|records|refuses|removes|repaired|replaces|reports?|returns?|saves|says?|serves?|shares?|skips?|starts?|tells|uses?|changes?|deletes?)\b/;

/** Returns the faults of the entries of DECISIONS: no verb, no row in the table, or too many words. */
function wrongEntries(page: string): string[] {
  return page
    .split(/^### /m)
    .slice(1)
    .flatMap((entry) => {
      const [heading = '', ...rest] = entry.split('\n');
      const body = rest.join('\n').split(/^## /m)[0] ?? '';
      const words = body.split(/\s+/).filter((word) => word !== '').length;
      return [
        verbs.test(heading) ? '' : `no known verb: ${heading}`,
        page.includes(`| [${heading}](#`) ? '' : `no row in the table: ${heading}`,
        words <= 60 ? '' : `${words} words: ${heading}`,
      ].filter((text) => text !== '');
    });
}

/** Returns one line for each finding: the rule, the file, the text. */
function findings(): ReadonlyMap<keyof typeof allowed, readonly string[]> {
  const comments = sources.flatMap(({ name, text }) =>
    commentsOf(text).map((comment) => ({ name, text: comment })),
  );
  const blocks = pages().flatMap(({ name, text }) => blocksOf(text).map((block) => ({ name, text: block })));
  const short = (name: string, text: string): string => `${name}: ${text.slice(0, 100)}`;
  const all = [...sources, ...pages(), read('protocol/protocol.json')].filter(
    ({ name }) => name !== 'test/tidy-words.test.ts',
  );
  return new Map([
    ['decision', wrongEntries(read('src/DECISIONS.md').text)],
    [
      'opening',
      comments.filter(({ text }) => openings.test(text)).map(({ name, text }) => short(name, text)),
    ],
    [
      'unnamed',
      all.flatMap(({ name, text }) =>
        [...text.matchAll(unnamed)].map(({ index }) =>
          short(name, text.slice(Math.max(0, index - 40), index + 40).replaceAll('\n', ' ')),
        ),
      ),
    ],
    [
      'long',
      [...comments, ...blocks].flatMap(({ name, text }) =>
        sentencesOf(text)
          .filter((sentence) => wordCount(sentence) > wordsMax)
          .map((sentence) => short(name, sentence)),
      ),
    ],
  ]);
}

for (const [rule, found] of findings()) {
  test(`the rule "${rule}" for words is broken in no more places than allowed`, () => {
    console.log(`note: ${rule}: ${found.length} of ${allowed[rule]} allowed`);
    const text = process.env['WORDS'] === undefined ? found.slice(-20) : found;
    assert.ok(found.length <= allowed[rule], `${found.length} > ${allowed[rule]}; ${text.join('\n')}`);
  });
}

test('the rules for words count code and text in brackets as one word each, and skip comment signs such as //', () => {
  assert.equal(commentsOf('/** Of a\n * thing. */\nx();\n// One.\n// Two.\n'), ['Of a thing.', 'One. Two.']);
  assert.equal(sentencesOf('A `b` is. Then (D) comes: `e`.'), ['A `b` is.', 'Then (D) comes:', '`e`.']);
  assert.equal(wordCount('Reads `a b c` (see d, e) twice.'), 4);
  assert.equal(blocksOf('# A\ntext\n```\nskip me\n```\n- b\n| c | d |'), [
    '# A text',
    '- b',
    '',
    'c',
    'd',
    '',
  ]);
});

test.run();
