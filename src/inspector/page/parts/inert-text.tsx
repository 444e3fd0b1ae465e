// Text and paths of others as elements: inert, in a direction of their own, with signs for characters without a shape.
import type { PathRef } from '../../../protocol/types.ts';
import { piecesOf, plainText } from '../text.ts';

const titleFrom = 40;

/** Shows one line of text. */
export const InertText = (props: {
  readonly text: string;
  readonly isLong?: boolean;
  readonly isLines?: boolean;
}) => (
  <bdi title={props.isLong !== true && props.text.length > titleFrom ? plainText(props.text) : undefined}>
    {piecesOf(props.text, props.isLines !== true).map(({ text, code }) =>
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

/** Shows a path, its directory less prominent than its name. */
export const PathName = (props: { readonly of: PathRef }) => {
  const { path, pathBytes } = props.of;
  const at = path.lastIndexOf('/') + 1;
  return (
    <span class="path" title={plainText(path)}>
      {at > 0 ? (
        <span class="directory">
          <InertText text={path.slice(0, at)} isLong={false} />
        </span>
      ) : null}
      <InertText text={path.slice(at)} isLong={false} />
      {pathBytes === undefined ? null : (
        <span class="note" title="The name is not UTF-8.">
          not UTF-8
        </span>
      )}
    </span>
  );
};
