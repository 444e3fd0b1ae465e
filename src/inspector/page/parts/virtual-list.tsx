// Shows a long list of rows of equal height. Only the visible rows exist as elements. The focus is on the list itself,
// and the list tells screen readers which row is active.
import { defineComponent, onBeforeUnmount, onMounted, ref, type VNode, watch } from 'vue';

/** The number of rows above and below the view that are also rendered, so that scrolling shows no gaps. */
const spareRows = 12;

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly id: string;
  readonly role: 'tree' | 'listbox' | 'log';
  /** The index of the active row, or -1. When the index changes, the list scrolls to the row. */
  readonly active: number;
  /** True when a list that is scrolled to its end scrolls to the new end after rows are added. */
  readonly sticks?: boolean;
  readonly row: (index: number) => VNode;
}

export const VirtualList = defineComponent(
  (props: VirtualListProps) => {
    // The element is null when a scroll event arrives after the list was removed.
    const element = ref<HTMLElement | null>(null);
    const [top, height] = [ref(0), ref(600)];
    let isAtEnd = props.sticks === true;
    const observer = new ResizeObserver(() => measure());

    function measure(): void {
      const list = element.value;
      if (list === null) return;
      height.value = list.clientHeight;
      if (isAtEnd && props.sticks === true) list.scrollTop = list.scrollHeight;
      top.value = list.scrollTop;
    }
    function onScroll(): void {
      const list = element.value;
      if (list === null) return;
      top.value = list.scrollTop;
      isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - props.rowHeight;
    }
    const reveal = (index: number): void => {
      if (element.value !== null && index >= 0) scrollTo(element.value, index, props.rowHeight);
    };
    onMounted(() => {
      if (element.value !== null) observer.observe(element.value);
      measure();
      reveal(props.active);
    });
    onBeforeUnmount(() => observer.disconnect());
    watch(() => props.active, reveal, { flush: 'post' });
    watch(() => props.count, measure, { flush: 'post' });

    return () => {
      const { count, rowHeight, active, id } = props;
      const first = Math.max(0, Math.floor(top.value / rowHeight) - spareRows);
      const last = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + spareRows);
      const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => props.row(first + i));
      const isActiveShown = active >= first && active < last;
      return (
        <div
          ref={element}
          id={id}
          class="virtual"
          role={props.role}
          aria-label={props.label}
          aria-activedescendant={isActiveShown ? `${id}-${active}` : undefined}
          tabindex={0}
          onScroll={onScroll}
        >
          <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
            <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
              {rows}
            </div>
          </div>
        </div>
      );
    };
  },
  { props: ['count', 'rowHeight', 'label', 'id', 'role', 'active', 'sticks', 'row'] },
);

/** Scrolls only as far as is needed to show a row and its neighbours. */
function scrollTo(list: HTMLElement, index: number, rowHeight: number): void {
  const from = index * rowHeight;
  const to = from + rowHeight;
  if (from < list.scrollTop + rowHeight) list.scrollTop = Math.max(0, from - rowHeight);
  else if (to > list.scrollTop + list.clientHeight - rowHeight)
    list.scrollTop = to + rowHeight - list.clientHeight;
}
