// The icons of the page, drawn with lines in the colour of the surrounding text.

const shapes = {
  back: 'M10 3 5 8l5 5',
  beside: 'M2.5 3h4v10h-4zM9.5 3h4v10h-4z',
  close: 'm4 4 8 8m0-8-8 8',
  compare: 'M5 3v10m0 0-2.5-2.5M5 13l2.5-2.5M11 13V3m0 0L8.5 5.5M11 3l2.5 2.5',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  folded: 'm6 4 4 4-4 4',
  help: 'M5.7 6a2.3 2.3 0 1 1 3.4 2c-.8.5-1.1.9-1.1 1.7M8 12.2v.1',
  history: 'M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 3v2.8h2.8M8 5.2V8l2 1.4',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  next: 'm6 3 5 5-5 5',
  play: 'M5 3.5v9l7-4.5z',
  push: 'M8 13V5m0 0L5 8m3-3 3 3M3 2.5h10',
  redo: 'M12.5 6H6a3 3 0 0 0 0 6h4M12.5 6 10 3.5M12.5 6 10 8.5',
  restore: 'M8 3v7m0 0L5 7m3 3 3-3M3 13h10',
  revert: 'M13 3.5V8a3 3 0 0 1-3 3H3m0 0 2.8-2.8M3 11l2.8 2.8',
  screen: 'M2.5 3.5h11v7h-11zM6 13h4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.6-1.4L14 14',
  store: 'M3 4.5C3 3 13 3 13 4.5v7c0 1.5-10 1.5-10 0zM3 4.5c0 1.5 10 1.5 10 0M3 8c0 1.5 10 1.5 10 0',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  undo: 'M3.5 6H10a3 3 0 0 1 0 6H6M3.5 6 6 3.5M3.5 6 6 8.5',
  unfolded: 'm4 6 4 4 4-4',
  window: 'M2.5 3.5h11v9h-11zM2.5 6.2h11',
  wire: 'M2.5 5h8m0 0L8 2.5M10.5 5 8 7.5M13.5 11h-8m0 0L8 8.5M5.5 11 8 13.5',
} as const;

export type IconName = keyof typeof shapes;

export const Icon = (props: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={shapes[props.name]} />
  </svg>
);
