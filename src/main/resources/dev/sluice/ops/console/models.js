import {byId, el, mark, setText} from './dom.js';
import {millis, number} from './format.js';

const MARKS = {available: 'good', start: 'busy', loading: 'busy', unloading: 'busy'};
const MOST_ROWS = 300; // A page with more is slow; the filter finds the others.
const rows = new Map();

export function showState(node, version) {
  const failed = version.error !== undefined;
  mark(node, failed && version.state === 'end' ? 'failed' : version.state, failed ? 'bad' : MARKS[version.state] || '');
}

export const modelLink = name => '#/model/' + encodeURIComponent(name);

/** A version's row and the one below it with its error: kept while they are shown, so that the focus stays. */
function makeRow(model, version, first) {
  const name = el('th', {scope: 'row', class: 'name'});
  if (first) name.append(el('a', {href: modelLink(model.name), text: model.name}));
  else name.append(el('span', {class: 'hidden', text: model.name}));
  const state = el('span');
  const cells = Array.from({length: 7}, () => el('td'));
  const number_ = el('td');
  const error = el('td', {class: 'error', colspan: 10});
  return {nodes: [el('tr', {}, name, number_, el('td', {}, state), ...cells), el('tr', {}, error)], number_, state, cells, error};
}

function fill(row, model, version, first) {
  const text = version.version + version.labels.join();
  if (row.text !== text) {
    row.text = text;
    row.number_.replaceChildren(version.version, ...version.labels.map(label => el('span', {class: 'label', text: label})));
  }
  showState(row.state, version);
  const loaded = version.inferences !== undefined;
  const figures = first
    ? [number(model.calls_per_second), number(100 * model.failed_share) + ' %', millis(model.p50_ms), millis(model.p99_ms)]
    : ['', '', '', ''];
  figures.push(
      loaded ? number(version.waiting) : '',
      loaded ? version.inferences.toLocaleString('en') : '',
      loaded && version.runs ? number(version.inferences / version.runs) : '');
  figures.forEach((figure, i) => setText(row.cells[i], figure));
  row.cells[1].className = first && model.failed_share > 0 ? 'failing' : '';
  setText(row.error, version.error || '');
  row.nodes[1].hidden = version.error === undefined;
}

function wanted(models) {
  const filter = byId('filter').value.trim().toLowerCase();
  return models.filter(model => model.name.toLowerCase().includes(filter));
}

/** Shows the models of a state; changes only what is other than before. */
export function showModels(models) {
  const shown = wanted(models);
  const nodes = [];
  const keys = new Set();
  for (const model of shown.slice(0, MOST_ROWS)) {
    const versions = model.versions.length ? model.versions : [{version: '–', state: 'none', labels: []}];
    versions.forEach((version, i) => {
      const key = JSON.stringify([model.name, version.version, i === 0]);
      keys.add(key);
      if (!rows.has(key)) rows.set(key, makeRow(model, version, i === 0));
      const row = rows.get(key);
      fill(row, model, version, i === 0);
      nodes.push(...row.nodes);
    });
  }
  for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
  place(nodes.length ? nodes : [el('tr', {}, el('td', {class: 'soft', colspan: 10,
    text: models.length ? 'No model has a name like that.' : 'No models were found.'}))]);
  setText(byId('models-title'), shown.length > MOST_ROWS ? `Models (${MOST_ROWS} of ${shown.length} shown)` : 'Models');
}

function place(nodes) {
  const body = byId('models');
  const same = body.children.length === nodes.length && nodes.every((node, i) => body.children[i] === node);
  if (!same) body.replaceChildren(...nodes);
}
