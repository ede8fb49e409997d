import {get} from './api.js';
import {byId, el, setText} from './dom.js';
import {number} from './format.js';

const MIB = 1 / (1 << 20);
const OF_MODELS = [
  {title: 'Requests', unit: 'per second', lines: [['requests_per_second', 'requests']]},
  {title: 'Failed requests', unit: '%', lines: [['failed_percent', 'failed']], least: 1, color: '--two'},
  {title: 'Latency', unit: 'ms', lines: [['p50_ms', 'p50'], ['p99_ms', 'p99']]},
  {title: 'Batch size', unit: 'rows per run', lines: [['rows_per_run', 'rows']]},
  {title: 'Queue', unit: 'requests', lines: [['queued', 'queued']]},
];
const OF_SERVER = [
  ...OF_MODELS,
  {title: 'Processor', unit: '% of one core', lines: [['processor_percent', 'processor']]},
  {title: 'Memory', unit: 'MiB', lines: [['resident_bytes', 'resident'], ['heap_bytes', 'Java heap']], scale: MIB},
  {title: 'Event-loop lag', unit: 'ms', lines: [['lag_ms', 'lag']]},
];
const SPANS = {minutes: 600, hours: 21600, day: 86400}; // Seconds.
const STEPS = [10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400];
const MOST_TICKS = 6;
const LEAST_SECONDS = 60; // The shortest axis of time.
const LABEL = {minutes: 44, seconds: 66}; // Pixels of a time below the axis, with the space around it.
const DOT = 2.2;
const clock = (ms, seconds) => new Date(ms).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: seconds ? '2-digit' : undefined, hour12: false});
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let span = 'minutes';

/** Ticks at full minutes and hours of the local time: as many as have room for their labels. */
function ticks(axis) {
  const wide = (axis.max - axis.min) / 1000;
  const room = step => {
    const label = step < 60 ? LABEL.seconds : LABEL.minutes;
    return Math.min(MOST_TICKS, axis.maxWidth / label - 1); // The last label may need room beside the axis.
  };
  const seconds = STEPS.find(each => wide / each <= room(each)) || STEPS.at(-1);
  const step = 1000 * seconds;
  const zone = new Date(axis.max).getTimezoneOffset() * 60000;
  axis.ticks = [];
  for (let at = Math.ceil((axis.min - zone) / step) * step + zone; at <= axis.max; at += step) {
    axis.ticks.push({value: at, label: clock(at, seconds < 60)});
  }
}

function options(chart) {
  const grid = {color: () => color('--line')};
  const ink = () => color('--soft');
  return {
    animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
    interaction: {mode: 'index', intersect: false},
    plugins: {
      legend: {display: false}, // It would move the plot down; the card has the names.
      tooltip: {callbacks: {
        title: items => clock(items[0].parsed.x, true),
        label: item => ` ${item.dataset.label}: ${number(item.parsed.y)} ${chart.unit}`,
      }},
    },
    scales: {
      x: {type: 'linear', grid, afterBuildTicks: ticks, title: {display: true, text: 'time', color: ink},
        ticks: {color: ink, maxRotation: 0, autoSkip: false, callback: (at, i, all) => all[i].label}},
      y: {beginAtZero: true, suggestedMax: chart.least || 1, grid, title: {display: true, text: chart.unit, color: ink},
        ticks: {color: ink, maxTicksLimit: 6, callback: number}},
    },
  };
}

function dataset(chart, label, i) {
  const line = () => color(i ? '--two' : chart.color || '--one');
  return {label, data: [], borderColor: line, backgroundColor: line, borderWidth: 1.8, pointRadius: 0, pointHitRadius: 8, pointHoverRadius: 4, clip: 4};
}

/** The size of each point: a line joins neighbours, so that a value with none on one side needs a dot to be seen. */
const dots = column => column.map((value, i) => {
  const gap = at => column[at] === null;
  return value !== null && (column.length === 1 || gap(i - 1) || gap(i + 1)) ? DOT : 0;
});

/** The names of a chart's lines with their colors, if there are several. */
function names(chart) {
  const several = chart.lines.length > 1;
  return el('span', {class: 'names'}, ...(several ? chart.lines.map(([, label], i) =>
      el('span', {}, el('i', {class: i ? 'two' : 'one'}), label)) : []));
}

function make(chart) {
  const canvas = el('canvas', {role: 'img', 'aria-label': chart.title});
  const value = el('b', {text: '–'});
  const node = el('div', {class: 'card'},
      el('div', {class: 'figure'}, el('h3', {text: chart.title}), value),
      el('div', {class: 'unit'}, el('span', {text: chart.unit}), names(chart)),
      el('div', {class: 'plot'}, canvas));
  const plot = new Chart(canvas, {type: 'line', options: options(chart),
    data: {datasets: chart.lines.map(([, label], i) => dataset(chart, label, i))}});
  return {chart, canvas, value, plot, node};
}

/** Says what a chart shows, for those who do not see it. */
function summary(chart, columns) {
  const parts = chart.lines.map(([, label], i) => {
    const known = columns[i].filter(value => value !== null);
    return known.length
      ? `${label} now ${number(columns[i].at(-1))}, most ${number(Math.max(...known))}`
      : `${label}: nothing to measure`;
  });
  return `${chart.title}, ${chart.unit}, over time: ${parts.join('; ')}`;
}

/** The seconds that the axis of time has: those chosen, or those that there are points of. */
const shownSeconds = known => Math.min(SPANS[span], Math.max(LEAST_SECONDS, known));

/** The charts of the server or of a model, in a node of their own. */
class Charts {
  constructor(charts, model, label) {
    this.query = model === undefined ? '' : '&model=' + encodeURIComponent(model);
    this.drawn = charts.map(make);
    this.node = el('div', {class: 'charts', role: 'group', 'aria-label': label}, ...this.drawn.map(each => each.node));
    this.clear();
  }

  clear() {
    this.span = span;
    this.step = 0;
    this.figures = {time_ms: []};
  }

  /** Asks for what is new, and draws it. */
  async refresh() {
    if (this.span !== span) this.clear();
    const {span: asked, figures} = this;
    const more = await get(`console/history.json?span=${asked}&after_ms=${figures.time_ms.at(-1) || 0}${this.query}`);
    if (figures !== this.figures || asked !== span) return;
    this.merge(more);
    this.drawn.forEach(each => this.draw(each));
  }

  merge(more) {
    this.step = more.step_seconds;
    const keep = more.most_points - more.figures.time_ms.length;
    const merged = {};
    for (const [key, added] of Object.entries(more.figures)) {
      const before = this.figures[key] || [];
      merged[key] = before.slice(Math.max(0, before.length - keep)).concat(added);
    }
    this.figures = merged;
  }

  draw({chart, canvas, value, plot}) {
    const times = this.figures.time_ms;
    const now = times.at(-1) || Date.now();
    const columns = chart.lines.map(([key]) => (this.figures[key] || []).map(each => each === null ? null : each * (chart.scale || 1)));
    plot.data.datasets.forEach((set, i) => {
      set.data = columns[i].map((y, k) => ({x: times[k], y}));
      set.pointRadius = dots(columns[i]);
    });
    // A point stands at the end of its step, which the first one has too.
    plot.options.scales.x.min = now - 1000 * shownSeconds(this.step + (now - (times[0] || now)) / 1000);
    plot.options.scales.x.max = now;
    plot.update('none');
    setText(value, columns.map(column => number(column.length ? column.at(-1) : null)).join(' / '));
    canvas.setAttribute('aria-label', summary(chart, columns));
  }

  recolor() {
    this.drawn.forEach(each => each.plot.update('none'));
  }

  close() {
    this.drawn.forEach(each => each.plot.destroy());
    open.delete(this);
  }
}

const open = new Set();

/** Makes charts of a model, or of the server if no model is named. They are closed by who asked for them. */
export function openCharts(model) {
  const charts = model === undefined ? new Charts(OF_SERVER, undefined, 'Charts of the server') : new Charts(OF_MODELS, model, 'Charts of ' + model);
  open.add(charts);
  return charts;
}

/** Radio buttons that say how far back all charts go, on the page that is shown. */
export const spanChoice = el('fieldset', {class: 'choice', id: 'span', onchange: event => { span = event.target.value; }},
    el('legend', {class: 'hidden', text: 'Time shown by the charts'}),
    ...[['minutes', '10 minutes'], ['hours', '6 hours'], ['day', '24 hours']].map(([value, text]) => el('label', {},
        el('input', {type: 'radio', name: 'span', value, checked: value === span}), el('span', {text}))));

export function start() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  addEventListener('themechange', () => open.forEach(each => each.recolor()));
}
