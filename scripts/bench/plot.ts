// Draws the measured times against the size of the work tree, as an SVG. The SVG has two plots side by side, with
// logarithmic scales. This module does not know how the times were measured.

export interface Plot {
  readonly title: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly (readonly [files: number, ms: number])[];
  }[];
}

const width = 400;
const height = 300;
const margin = { left: 62, right: 76, top: 34, bottom: 40 };
const colours = ['#b3541e', '#1f6feb', '#1a7f37', '#8250df', '#57606a'];

/** All plots use these scales, so that they can be compared. */
export function svgOf(plots: readonly Plot[]): string {
  const points = plots.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const scale = {
    x: decades(points.map(([files]) => files)),
    y: decades(points.map(([, ms]) => ms)),
  };
  const drawn = plots.map((plot, i) => `<g transform="translate(${i * width} 0)">${draw(plot, scale)}</g>`);
  const size = `width="${plots.length * width}" height="${height}" viewBox="0 0 ${plots.length * width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n${drawn.join('\n')}\n</svg>\n`;
}

type Range = readonly [from: number, to: number];

/** Returns two exponents: all values are between the powers of ten with these exponents. */
function decades(values: readonly number[]): Range {
  const logs = values.map(Math.log10);
  return [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
}

function draw({ title, lines }: Plot, scale: { readonly x: Range; readonly y: Range }): string {
  const x = (files: number): number => place(files, scale.x, margin.left, width - margin.right);
  const y = (ms: number): number => place(ms, scale.y, height - margin.bottom, margin.top);
  const parts = [`<text x="${margin.left}" y="18" font-size="13" fill="#24292f">${title}</text>`];
  for (const files of powers(scale.x)) {
    const at = x(files).toFixed(1);
    parts.push(
      `<line x1="${at}" x2="${at}" y1="${margin.top}" y2="${height - margin.bottom}" stroke="#eaeef2"/>`,
    );
    parts.push(label(at, height - margin.bottom + 16, 'middle', files.toLocaleString('en')));
  }
  for (const ms of powers(scale.y)) {
    const at = y(ms).toFixed(1);
    parts.push(
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" stroke="#eaeef2"/>`,
    );
    parts.push(label(margin.left - 6, Number(at) + 4, 'end', `${ms.toLocaleString('en')} ms`));
  }
  parts.push(label(width / 2, height - 8, 'middle', 'files in the work tree'));
  const ends = new Ends();
  for (const [i, { name, points }] of lines.entries()) {
    const colour = colours[i % colours.length] ?? '';
    const path = points.map(([files, ms]) => `${x(files).toFixed(1)},${y(ms).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    const last = points.at(-1);
    if (last !== undefined)
      parts.push(label(x(last[0]) + 6, ends.free(y(last[1]) + 4), 'start', name, colour));
  }
  return parts.join('\n');
}

/** Places each name beside the end of its line, without overlaps. */
class Ends {
  readonly #taken: number[] = [];

  free(wanted: number): number {
    let at = wanted;
    while (this.#taken.some((other) => Math.abs(other - at) < 12)) at += 12;
    this.#taken.push(at);
    return at;
  }
}

function place(value: number, [from, to]: Range, start: number, end: number): number {
  return start + ((Math.log10(value) - from) / Math.max(1, to - from)) * (end - start);
}

function powers([from, to]: Range): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
}

function label(x: number | string, y: number, anchor: string, text: string, colour = '#57606a'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}">${text}</text>`;
}
