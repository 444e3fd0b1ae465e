// Shows two images, before and after the change, each with its size in pixels.
import { defineComponent, onBeforeUnmount, ref, watch } from 'vue';
import { sizeOf } from '../text.ts';

export const ImagePair = (props: { readonly before: Blob | undefined; readonly after: Blob | undefined }) => {
  return (
    <div class="images">
      {props.before === undefined ? null : <ImageSide of={props.before} label="Before" />}
      {props.after === undefined ? null : <ImageSide of={props.after} label="After" />}
    </div>
  );
};

const ImageSide = defineComponent(
  (props: { readonly of: Blob; readonly label: string }) => {
    const url = ref(URL.createObjectURL(props.of));
    const pixels = ref('');
    const release = (): void => URL.revokeObjectURL(url.value);
    watch(
      () => props.of,
      (now) => {
        release();
        url.value = URL.createObjectURL(now);
      },
    );
    onBeforeUnmount(release);
    function onLoad(event: Event): void {
      const { naturalWidth, naturalHeight } = event.target as HTMLImageElement;
      pixels.value = `${naturalWidth} × ${naturalHeight} px, `;
    }
    return () => (
      <figure>
        <figcaption>
          {props.label} <span class="dim">{`${pixels.value}${sizeOf(props.of.size)}`}</span>
        </figcaption>
        <img src={url.value} alt={`The image ${props.label.toLowerCase()}`} onLoad={onLoad} />
      </figure>
    );
  },
  { props: ['of', 'label'] },
);
