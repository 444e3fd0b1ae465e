// Shows text and paths from other programs, so that they cannot affect the rest of the page. Right-to-left letters do
// not change the direction of other text, and invisible characters are shown as signs.
import type { PathRef } from '../../../protocol/types.ts';
import { type Blanks, piecesOf, plainText } from '../text.ts';

const titleFrom = 40;

/** Shows one line of text. */
export const InertText = (props: {
  readonly text: string;
  readonly isLong?: boolean;
  /** How line feeds and tabs are shown. Default: as spaces. */
  readonly blanks?: Blanks;
}) => (
  <bdi title={props.isLong !== true && props.text.length > titleFrom ? plainText(props.text) : undefined}>
    {piecesOf(props.text, props.blanks).map(({ text, code }) =>
      code === undefined ? (
        text
      ) : (
        <span class="sign" title={code}>
          {text}
        </span>
      ),
    )}
  </bdi>
);

/** Shows a path, with the directory less prominent than the name. */
export const PathName = (props: { readonly of: PathRef }) => {
  const { path, pathBytes } = props.of;
  const at = path.lastIndexOf('/') + 1;
  return (
    <span class="path" title={plainText(path, 'signs')}>
      {at > 0 ? (
        <span class="directory">
          <InertText text={path.slice(0, at)} blanks="signs" />
        </span>
      ) : null}
      <InertText text={path.slice(at)} blanks="signs" />
      {pathBytes === undefined ? null : (
        <span class="note" title="The name is not UTF-8.">
          not UTF-8
        </span>
      )}
    </span>
  );
};
