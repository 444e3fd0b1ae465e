// Checks rules of this repository that no linter checks.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../', import.meta.url));

function sources(folder: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') }));
}

interface LintRules {
  readonly rules: Readonly<Record<string, unknown>>;
  readonly overrides: readonly {
    readonly files: readonly string[];
    readonly rules: Readonly<Record<string, unknown>>;
  }[];
}

const src = sources('src').filter(({ name }) => !name.startsWith('src/protocol/'));
const tests = sources('test');
const map = readFileSync(join(root, 'src/README.md'), 'utf8');

test('every test file calls .run(), because uvu otherwise runs nothing and reports no failure', () => {
  const files = tests.filter(({ name }) => /\.(test|long)\.ts$/.test(name));
  const silent = files.filter(({ text }) => !/\.run\(\);|storeSuite\(|Suite\(/.test(text));
  assert.equal(
    silent.map(({ name }) => name),
    [],
  );
  assert.ok(files.length > 20);
});

test('every source file begins with a comment about its purpose', () => {
  const bare = src.filter(({ text }) => !/^(#!.*\n)?\/\/ /.test(text));
  assert.equal(
    bare.map(({ name }) => name),
    [],
  );
});

test('no file is named utils, helpers, common, manager, service or misc', () => {
  const vague = src.filter(({ name }) =>
    /(^|[/-])(utils?|helpers?|common|managers?|services?|misc)([./-]|$)/.test(name),
  );
  assert.equal(
    vague.map(({ name }) => name),
    [],
  );
  const odd = src.filter(({ name }) => !/^src\/[a-z0-9-]+(\/[a-z0-9-]+)*\.tsx?$/.test(name));
  assert.equal(
    odd.map(({ name }) => name),
    [],
  );
});

test('no test is skipped or focused by accident', () => {
  const marked = tests.filter(
    ({ name, text }) => !name.startsWith('test/tidy') && /\btest\.(skip|only)\(/.test(text),
  );
  assert.equal(
    marked.map(({ name }) => name),
    [],
  );
});

/** Folders with tests of the whole daemon or the protocol. These folders have no corresponding folder in src. */
const wholeDaemon = /^test\/(clients|daemon|hosts|protocol|scenarios|strategies|wire)\//;
/** Folders and files with tests of the repository, its package and its scripts. */
const wholeRepository = /^test\/(demo|package|reliability|specification|tidy|tidy-imports|tidy-words)\./;

test('a test file is in the folder of its subject, and its name begins with the name of the tested file', () => {
  const sourceNames = new Set(src.map(({ name }) => name.slice('src/'.length).replace(/\.tsx?$/, '')));
  const isAbout = (name: string): boolean => {
    const words = name.split('-');
    return words.some((_, i) => sourceNames.has(words.slice(0, words.length - i).join('-')));
  };
  const astray = tests
    .map(({ name }) => name)
    .filter((name) => /\.(test|long)\.ts$/.test(name))
    .filter((name) => !wholeDaemon.test(name) && !wholeRepository.test(name))
    .filter((name) => !isAbout(name.slice('test/'.length).replace(/\.(test|long)\.ts$/, '')));
  assert.equal(astray, []);
});

test('the linter limits every function of src to sixty lines', () => {
  const { rules, overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as LintRules;
  const limit = 'eslint/max-lines-per-function';
  assert.equal(rules[limit], ['error', { max: 60, skipBlankLines: true, skipComments: true }]);
  const exceptions = overrides.filter((each) => limit in each.rules).map(({ files }) => files);
  assert.equal(exceptions, [['test/**', 'scripts/**']]);
});

test('a comment names only existing files', () => {
  const known = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(^|\/)(node_modules|\.git|dist)\//.test(name))
    .map((name) => `/${name}`);
  const all = [...src, ...tests, ...sources('scripts')];
  const missing = all.flatMap(({ name, text }) =>
    [...text.matchAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm)]
      .flatMap(([line]) => [...line.matchAll(/[\w./-]*\w\.(?:ts|md|lua|el)\b/g)].map(([file]) => file))
      .filter((file) => !known.some((path) => path.endsWith(`/${file.replace(/^(\.{1,2}\/)+/, '')}`)))
      .map((file) => `${name}: ${file}`),
  );
  assert.equal(missing, []);
});

test('no comment or title refers to a document from outside the repository', () => {
  const all = [...src, ...tests, ...sources('scripts')].filter(({ name }) => name !== 'test/tidy.test.ts');
  const foreign = all.flatMap(({ name, text }) =>
    [
      ...text.matchAll(
        /.*(?:\brulings? \d|\b00[0-3] §|\b00[0-3]['’]s|\((?:00[0-3]|safety\.md|wire\.md)\)).*/g,
      ),
    ].map(([line]) => `${name}: ${line.trim()}`),
  );
  assert.equal(foreign, []);
});

test('no text of the protocol refers to a specification or its numbers', () => {
  const files = readdirSync(join(root, 'protocol'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|md|py|rs|ts|el|lua)$/.test(name))
    .filter((name) => !/(^|\/)(versions|target|node_modules)\//.test(name));
  assert.ok(files.some((name) => name === 'protocol.json') && files.length > 20);
  const pointers =
    /§|\b00[0-3](?:['’]s|\)| of\b| §)|\b(?:of|in|by|see) 00[0-3]\b|\((?:00[0-3]|[A-Z]{1,2}\d{1,3})(?:[,)])|, [A-Z]\d{1,2}\)/;
  const foreign = files.flatMap((name) =>
    readFileSync(join(root, 'protocol', name), 'utf8')
      .split('\n')
      .filter((line) => pointers.test(line))
      .map((line) => `${name}: ${line.trim().slice(0, 200)}`),
  );
  assert.equal(foreign, []);
});

test('each export is used by another file, or marked if only tests use it', () => {
  const everything = [...src, ...sources('src/protocol'), ...tests, ...sources('scripts')];
  const wordsOf = new Map(everything.map(({ name, text }) => [name, new Set(text.match(/[\w$]+/g))]));
  const found = src.flatMap(({ name, text }) => {
    if (/^src\/(main|client\/client)\.ts$/.test(name)) return [];
    const declarations = text.matchAll(
      /((?:^ ?\*.*\n|^\/\*\*.*\n)*)^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm,
    );
    return [...declarations].flatMap(([, comment = '', word = '']) => {
      const users = [...wordsOf]
        .filter(([user, words]) => user !== name && words.has(word))
        .map(([user]) => user);
      const inside = (text.match(new RegExp(`\\b${word}\\b`, 'g')) ?? []).length > 1;
      if (users.length === 0 && !inside) return [`${name}: ${word} is used nowhere`];
      const isTestedOnly = !inside && users.every((user) => user.startsWith('test/'));
      return isTestedOnly && !comment.includes('@forTests') ? [`${name}: only tests use ${word}`] : [];
    });
  });
  assert.equal(found, []);
});

test('an exported name has one meaning in the whole of src', () => {
  const places = new Map<string, string[]>();
  for (const { name, text } of src) {
    const declared = text.matchAll(
      /^export (?:abstract )?(?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm,
    );
    for (const [, word = ''] of declared) places.set(word, [...(places.get(word) ?? []), name]);
  }
  const twice = [...places].filter(([, files]) => files.length > 1);
  assert.equal(twice, []);
});

test('no name, comment or title uses a word that the glossary forbids', () => {
  const refused = /^Words that are not used.*$/m.exec(map)?.[0] ?? '';
  const words = [...refused.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  assert.ok(words.length > 5);
  // If a word begins with a capital letter, it is the name of a type. In lower case, the word is normal English, as in
  // "out of sight".
  const patterns = words
    .filter((word) => word !== 'settle')
    .map((word) => (/^[A-Z]/.test(word) ? `(?:\\b|[a-z])${word}(?![a-z])` : `\\b${word}`));
  const plain = new RegExp(patterns.join('|'), 'g');
  const promises = /allSettled|op(?:: | === )'settle'|`settle` on disk|capture\/settled/g;
  const all = [...src, ...tests, ...sources('scripts')].filter(({ name }) => name !== 'test/tidy.test.ts');
  const found = all.flatMap(({ name, text }) => {
    const isCapture = /^(src|test)\/capture\//.test(name);
    const settling = isCapture ? [] : [...text.replace(promises, '').matchAll(/\w*settle\w*/gi)];
    return [...text.matchAll(plain), ...settling].map(([word]) => `${name}: ${word}`);
  });
  assert.equal(found, []);
});

test('the number at the end of each title is in a list of this repository', () => {
  const lists = ['test/specification.md', 'test/RELIABILITY.md']
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
  const found = tests.flatMap(({ name, text }) =>
    [...text.matchAll(/ \(([A-Z]\d+(?:, [A-Z]\d+)*)\)['`],/g)]
      .flatMap(([, numbers = '']) => numbers.split(', '))
      .filter((number) => !new RegExp(`\\b${number}\\b`).test(lists))
      .map((number) => `${name}: ${number}`),
  );
  assert.equal(found, []);
});

test('the map of src lists every folder', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const unmapped = folders.filter(({ name }) => !map.includes(`| \`${name}/\` |`));
  assert.equal(
    unmapped.map(({ name }) => name),
    [],
  );
});

test('no file contains a download address, or a path of the machine on which the file was made', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  assert.not.match(lock, /"resolved":/);
  const texts = [...src, ...tests, ...sources('scripts')].filter(({ text }) => text.includes(`${root}src`));
  assert.equal(
    texts.map(({ name }) => name),
    [],
  );
});

test.run();
