// The parts of every view of a text. The text cannot be edited, its styles have the nonce of the page, and
// characters without a shape are shown as signs.
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { codeOf } from '../text.ts';

/** Marks of direction and other characters without a shape, besides those that the editor knows. */
const alsoSpecial = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u00ad]/g;

/** The editor's styles are an element that it makes itself, which needs the nonce of this document. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';

export const readOnlyText: Extension = [
  EditorView.cspNonce.of(nonce),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  // Only line feeds end lines, as they do for the daemon; a carriage return is shown as a sign.
  EditorState.lineSeparator.of('\n'),
  highlightSpecialChars({
    addSpecialChars: alsoSpecial,
    render: (code) => {
      const sign = document.createElement('span');
      sign.className = 'sign';
      sign.title = codeOf(code);
      sign.textContent = sign.title;
      return sign;
    },
  }),
];

/** Names a view for screen readers, and lets keys reach it. */
export const labelled = (label: string): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
