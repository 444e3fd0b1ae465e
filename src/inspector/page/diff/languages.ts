// Chooses the syntax by the ending of a file's name. Loads a language when the user opens a file in this language for
// the first time.
import { type LanguageSupport, StreamLanguage, type StreamParser } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

const legacy = <State>(parser: StreamParser<State>): Extension => StreamLanguage.define(parser);

const shell = async (): Promise<Extension> =>
  legacy((await import('@codemirror/legacy-modes/mode/shell')).shell);
const typed = async (jsx: boolean): Promise<LanguageSupport> =>
  (await import('@codemirror/lang-javascript')).javascript({ typescript: true, jsx });
const cpp = async (): Promise<LanguageSupport> => (await import('@codemirror/lang-cpp')).cpp();
const yaml = async (): Promise<LanguageSupport> => (await import('@codemirror/lang-yaml')).yaml();
const json = async (): Promise<LanguageSupport> => (await import('@codemirror/lang-json')).json();
const html = async (): Promise<LanguageSupport> => (await import('@codemirror/lang-html')).html();
const css = async (): Promise<LanguageSupport> => (await import('@codemirror/lang-css')).css();

const languages: Readonly<Record<string, () => Promise<Extension>>> = {
  bash: shell,
  c: cpp,
  cc: cpp,
  cjs: () => typed(false),
  cpp,
  css,
  go: async () => (await import('@codemirror/lang-go')).go(),
  h: cpp,
  hpp: cpp,
  html,
  java: async () => (await import('@codemirror/lang-java')).java(),
  js: () => typed(false),
  json,
  jsonc: json,
  jsx: () => typed(true),
  md: async () => (await import('@codemirror/lang-markdown')).markdown(),
  mjs: () => typed(false),
  mts: () => typed(false),
  py: async () => (await import('@codemirror/lang-python')).python(),
  rb: async () => legacy((await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  rs: async () => (await import('@codemirror/lang-rust')).rust(),
  scss: css,
  sh: shell,
  svg: html,
  toml: async () => legacy((await import('@codemirror/legacy-modes/mode/toml')).toml),
  ts: () => typed(false),
  tsx: () => typed(true),
  vue: html,
  xml: html,
  yaml,
  yml: yaml,
  zsh: shell,
};

/** The longest text, in characters, that is shown with colours. */
const colouredMax = 1_500_000;

export async function languageOf(path: string, characters: number): Promise<Extension> {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const load = Object.hasOwn(languages, ending) ? languages[ending] : undefined;
  return load === undefined || characters > colouredMax ? [] : load();
}
