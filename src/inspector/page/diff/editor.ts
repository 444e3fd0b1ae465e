// Configures every view of a text: the text is read-only, its styles have the nonce of the page, and invisible
// characters are shown as signs.
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { codeOf } from '../text.ts';

/** Matches marks of direction and other invisible characters for which the editor itself shows no sign. */
const alsoSpecial = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u00ad]/g;

/** The nonce of this document. The editor creates a style element, and this element needs the nonce. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';

export const readOnlyText: Extension = [
  EditorView.cspNonce.of(nonce),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  // Only a line feed ends a line, as in the daemon. A carriage return is shown as a sign.
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

/** Gives a view a name for screen readers, and lets the keyboard focus the view. */
export const labelled = (label: string): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
