// Configures every view of a text: the text is read-only, its styles have the nonce of the page, and invisible
// characters are shown as signs.
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, ViewPlugin } from '@codemirror/view';
import { codeOf, piecesOf } from '../text.ts';

/** Matches marks of direction and other invisible characters for which the editor itself shows no sign. */
const alsoSpecial = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u00ad]/g;

/** The nonce of this document. The editor creates a style element, and this element needs the nonce. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';

export const readOnlyText: Extension = [
  EditorView.cspNonce.of(nonce),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  // Only a line feed ends a line. The daemon counts lines in the same way. The editor shows a carriage return as a
  // visible sign.
  EditorState.lineSeparator.of('\n'),
  highlightSpecialChars({
    addSpecialChars: alsoSpecial,
    render: (code) => signOf(codeOf(code)),
  }),
];

/**
 * Shows the invisible characters of removed lines as signs. The merge view draws removed lines itself, without {@link
 * readOnlyText}.
 */
export const removedSigns: Extension = ViewPlugin.define((view) => {
  const signed = new WeakSet<Element>();
  const sign = (): void => {
    for (const chunk of view.contentDOM.querySelectorAll('.cm-deletedChunk')) {
      if (!signed.has(chunk)) showSigns(chunk);
      signed.add(chunk);
    }
  };
  view.requestMeasure({ read: () => undefined, write: sign });
  return { docViewUpdate: sign };
});

function showSigns(chunk: Element): void {
  const walker = document.createTreeWalker(chunk, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Text);
  for (const each of found) {
    const pieces = piecesOf(each.data, 'kept');
    if (pieces.some(({ code }) => code !== undefined))
      each.replaceWith(...pieces.map(({ text, code }) => (code === undefined ? text : signOf(code))));
  }
}

function signOf(code: string): HTMLElement {
  const sign = document.createElement('span');
  sign.className = 'sign';
  sign.title = code;
  sign.textContent = code;
  return sign;
}

/** Gives a view a name for screen readers, and lets users reach the view with the keyboard. */
export const labelled = (label: string): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
