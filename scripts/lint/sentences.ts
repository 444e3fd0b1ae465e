// Collects the sentences that people read: comments, titles of tests, messages and pages. The check of words and the
// drawing of a sample use the same collection.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Text {
  readonly name: string;
  readonly text: string;
}

const isGenerated = (name: string): boolean => /^(src\/protocol\/|protocol\/REFERENCE\.md)/.test(name);

export const read = (name: string): Text => ({ name, text: readFileSync(join(root, name), 'utf8') });

/** Returns the files of a folder and its sub-folders that were written by hand. */
export function filesOf(folder: string, ending: string): Text[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith(ending) && !isGenerated(name))
    .filter((name) => !/(^|\/)(node_modules|target|versions)\//.test(name))
    .sort()
    .map(read);
}

/** Returns the pages in Markdown that were written by hand. */
export const pages = (): Text[] => [
  ...['README.md', 'CHANGELOG.md'].map(read),
  ...['src', 'test', 'protocol'].flatMap((folder) => filesOf(folder, '.md')),
];

/** Returns the comments of a program as plain text, without their marks. */
export function commentsOf(text: string): string[] {
  const found = text.matchAll(/^[ \t]*\/\*\*?((?:(?!\*\/)[\s\S])*)\*\/|((?:^[ \t]*\/\/[^\n]*\n)+)/gm);
  return [...found].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

/** Returns the paragraphs, list items and table cells of a page, without code blocks. */
export function blocksOf(text: string): string[] {
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\. ))/)
    .flatMap((block) => (block.trim().startsWith('|') ? block.split('|') : [block]))
    .map((block) => block.replaceAll(/\s+/g, ' ').trim());
}

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?:])\s+(?=[A-Z`"'*(@[])/);

/** Returns the titles of the tests in a file. */
export const titlesOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:test|seen|scene)\(\s*(['`])((?:(?!\1).)*)\1/g)].map(([, , title = '']) =>
    title.replaceAll(/\$\{[^}]*\}/g, '…'),
  );

/** Returns the texts of a program that look like messages for people. Each `…` stands for a value. */
export function messagesOf(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '');
  return [...code.matchAll(/(['`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)]
    .map(([, , message = '']) => message.replaceAll(/\$\{[^}]*\}/g, '…'))
    .filter((message) => message.split(/\s+/).length >= 5 && /[a-z]{3,} [a-z]{2,}/.test(message))
    .filter((message) => !/^\s*(SELECT|INSERT|CREATE|WHERE)/.test(message));
}
