// Shows a long list of rows of equal height. Only the visible rows exist as elements. The focus is on the list itself,
// and the list tells screen readers which row is active.
import { defineComponent, onBeforeUnmount, onMounted, ref, type VNode, watch } from 'vue';

/** The number of rows above and below the view that are also rendered, so that scrolling shows no gaps. */
const spareRows = 12;

/** For each key, the number of rows by which the key moves the active row. */
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  Home: -Infinity,
  End: Infinity,
};

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly id: string;
  readonly role: 'tree' | 'listbox' | 'log';
  /** The index of the active row, or -1. When the index changes, the list scrolls to the row. */
  readonly active: number;
  /** True to show the end of the list after rows are added, if the end was visible before. */
  readonly sticks?: boolean;
  readonly row: (index: number) => VNode;
  /** Makes a row active, because the user pressed a key. */
  readonly go?: (index: number) => void;
  /** Receives all other keys. */
  readonly press?: (event: KeyboardEvent) => void;
}

export const VirtualList = defineComponent(
  (props: VirtualListProps) => {
    // The element is null when a scroll event arrives after the list was removed.
    const element = ref<HTMLElement | null>(null);
    const [top, height] = [ref(0), ref(600)];
    let isAtEnd = props.sticks === true;
    const observer = new ResizeObserver(() => adapt());

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
    function onKey(event: KeyboardEvent): void {
      const next = rowAfter(event.key, props);
      if (next === undefined) return props.press?.(event);
      event.preventDefault();
      props.go?.(next);
    }
    const reveal = (index: number): void => scrollTo(element.value, index, props.rowHeight);
    const adapt = (): void => (measure(), reveal(props.active));
    onMounted(() => {
      if (element.value !== null) observer.observe(element.value);
      adapt();
    });
    onBeforeUnmount(() => observer.disconnect());
    watch(() => props.active, reveal, { flush: 'post' });
    watch(() => props.count, measure, { flush: 'post' });

    return () => {
      const { count, rowHeight, active, id } = props;
      const first = Math.max(0, Math.floor(top.value / rowHeight) - spareRows);
      const last = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + spareRows);
      const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => props.row(first + i));
      return (
        <div
          ref={element}
          id={id}
          class="virtual"
          role={props.role}
          aria-label={props.label}
          aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
          tabindex={0}
          onScroll={onScroll}
          onKeydown={onKey}
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
  { props: ['count', 'rowHeight', 'label', 'id', 'role', 'active', 'sticks', 'row', 'go', 'press'] },
);

/** Returns the row that a key makes active. Returns undefined for a key that moves to no row. */
function rowAfter(key: string, { active, count, sticks }: VirtualListProps): number | undefined {
  const by = steps[key];
  if (by === undefined || count === 0) return undefined;
  const from = active < 0 && sticks === true ? count - 1 : active;
  return Math.min(count - 1, Math.max(0, from + by));
}

/** Scrolls only as far as is needed to show a row and its neighbours. */
function scrollTo(list: HTMLElement | null, index: number, rowHeight: number): void {
  if (list === null || index < 0) return;
  const from = index * rowHeight;
  const to = from + rowHeight;
  if (from < list.scrollTop + rowHeight) list.scrollTop = Math.max(0, from - rowHeight);
  else if (to > list.scrollTop + list.clientHeight - rowHeight)
    list.scrollTop = to + rowHeight - list.clientHeight;
}
