// Prints sentences drawn at random, each without its neighbours: messages, README, the reference, comments and titles of
// tests. Readers who do not know the code mark each sentence that they have to read twice.
import { commandLine } from './command-line.ts';
import {
  blocksOf,
  commentsOf,
  filesOf,
  messagesOf,
  read,
  sentencesOf,
  type Text,
  titlesOf,
} from './lint/sentences.ts';
import { Random } from './torture/random.ts';

const help = `
node dist/scripts/draw-sentences.js [--seed 1] [--each 80]
  --seed   the same seed draws the same sentences from the same sources
  --each   the number of sentences of each kind`;

const { values } = commandLine(help, {
  options: { seed: { type: 'string', default: '1' }, each: { type: 'string', default: '80' } },
});

const wordsMin = 4;

/** Returns the sentences of the texts that `textsOf` finds in each file, each with the name of its file. */
function sentences(files: readonly Text[], textsOf: (text: string) => readonly string[]): string[] {
  return files.flatMap(({ name, text }) =>
    textsOf(text)
      .flatMap(sentencesOf)
      .filter((sentence) => sentence.split(/\s+/).length >= wordsMin)
      .map((sentence) => `${sentence}   [${name}]`),
  );
}

const programs = ['src', 'test', 'scripts'].flatMap((folder) => filesOf(folder, '.ts'));
const inFolder = (folder: string): Text[] => programs.filter(({ name }) => name.startsWith(folder));
const kinds = {
  messages: sentences(inFolder('src/'), messagesOf),
  README: sentences([read('README.md')], blocksOf),
  reference: sentences([read('protocol/REFERENCE.md')], blocksOf),
  comments: sentences(programs, commentsOf),
  titles: sentences(inFolder('test/'), titlesOf),
};

const random = new Random(Number(values.seed));
let number = 0;
for (const [kind, found] of Object.entries(kinds)) {
  const all = [...new Set(found)];
  console.log(`\n## ${kind} (${all.length} in all)`);
  for (let left = Math.min(Number(values.each), all.length); left > 0; left -= 1) {
    const [sentence = ''] = all.splice(random.below(all.length), 1);
    number += 1;
    console.log(`${number}. ${sentence}`);
  }
}
