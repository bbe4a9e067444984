// Line and scatter plots as SVG text, without a library.

export interface Series {
  name: string;
  points: ReadonlyArray<{ x: number; y: number }>;
}

export interface PlotOptions {
  title: string;
  xLabel: string;
  yLabel: string;
  /** Labels at these places of the x axis, which reaches at least from the first to the last. */
  xTicks: ReadonlyArray<{ at: number; label: string }>;
  /** Points alone, each with its series' name beside it. */
  scatter?: boolean;
  /** The x axis is logarithmic. */
  logX?: boolean;
}

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 64;
const RIGHT = 190;
const TOP = 44;
const BOTTOM = 56;
const X_MARGIN = 0.05;
const LEGEND_STEP = 20;
/** Colours that differ in hue and lightness (after Okabe and Ito); series beyond them are hollow and dashed. */
const COLOURS = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#7f7f7f',
  '#8c510a',
  '#5e3c99',
  '#b2182b',
  '#1b7837',
  '#c2a5cf',
  '#35978f',
  '#000000',
];

/** One plot; series are coloured and named in the order given. */
export function plot(series: readonly Series[], options: PlotOptions): string {
  const { xTicks } = options;
  const points = series.flatMap((one) => one.points);
  const scaleX = (x: number) => (options.logX === true ? Math.log2(x) : x);
  const x = axis(
    [...points.map((point) => point.x), ...xTicks.map(({ at }) => at)].map(scaleX),
    X_MARGIN,
    LEFT,
    WIDTH - RIGHT,
  );
  const yTicks = tenths(points.map((point) => point.y));
  const y = axis(yTicks, 0, HEIGHT - BOTTOM, TOP);
  const step = Math.min(LEGEND_STEP, (HEIGHT - TOP - 20) / series.length);
  const place = (point: { x: number; y: number }) =>
    `${x(scaleX(point.x)).toFixed(1)},${y(point.y).toFixed(1)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(LEFT, 24, options.title, 'font-size="15" font-weight="bold"'),
    ...yTicks.flatMap((at) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(at).toFixed(1)}" y2="${y(at).toFixed(1)}" stroke="#dddddd"/>`,
      text(LEFT - 8, y(at) + 4, at.toFixed(1), 'text-anchor="end"'),
    ]),
    ...xTicks.map(({ at, label }) =>
      text(x(scaleX(at)), HEIGHT - BOTTOM + 18, label, 'text-anchor="middle"'),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, options.xLabel, 'text-anchor="middle"'),
    `<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(options.yLabel)}</text>`,
    ...series.flatMap((one, number) => drawn(one, number, TOP + 10 + number * step, place, options)),
    '</svg>',
    '',
  ].join('\n');
}

function drawn(
  { name, points }: Series,
  number: number,
  legendY: number,
  place: (point: { x: number; y: number }) => string,
  { scatter = false }: PlotOptions,
): string[] {
  const colour = COLOURS[number % COLOURS.length] ?? '#000000';
  const hollow = number >= COLOURS.length;
  const dot = (cx: string, cy: string) =>
    `<circle cx="${cx}" cy="${cy}" r="4" fill="${hollow ? 'white' : colour}" stroke="${colour}"/>`;
  const marks = points.map((point) => {
    const [cx = '', cy = ''] = place(point).split(',');
    return dot(cx, cy);
  });
  const legend = [
    dot(String(WIDTH - RIGHT + 18), (legendY - 4).toFixed(1)),
    text(WIDTH - RIGHT + 30, legendY, name, ''),
  ];
  if (scatter) return [...marks, ...legend];
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2"${hollow ? ' stroke-dasharray="4 3"' : ''} points="${points.map(place).join(' ')}"/>`,
    ...marks,
    ...legend,
  ];
}

/** Maps the values' range, widened by a share `margin` on both sides, to pixels. */
function axis(
  values: readonly number[],
  margin: number,
  from: number,
  to: number,
): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || 1) * margin;
  const [low, high] = [least - room, most + room];
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** The tenths around the values, lowest first. */
function tenths(values: readonly number[]): number[] {
  const low = Math.floor(Math.min(...values) * 10);
  const high = Math.max(low + 1, Math.ceil(Math.max(...values) * 10));
  return Array.from({ length: high - low + 1 }, (_, step) => (low + step) / 10);
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
