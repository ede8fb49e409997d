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

const COLUMNS = ['Requests/s', 'Failed', 'p50', 'p99', 'Queued', 'Inferences', 'Rows/run'];

/** A name whose lines break behind the signs in it. */
export const breakable = name => name.split(/(?<=[_./-])/).flatMap((part, i) => i ? [el('wbr'), part] : [part]);

/** A cell of a table; where that has no room for its columns, the cell says which it is. */
export const cell = (label, ...children) => el('td', {'data-label': label}, ...children);

/** A row and the one below it with its error: kept while they are shown, so that the focus stays. */
function makeRow(model, kind) {
  const name = el('th', {scope: 'row', class: 'name'});
  if (kind === 'version') name.append(el('span', {class: 'hidden', text: model.name}));
  else name.append(el('a', {href: modelLink(model.name)}, ...breakable(model.name)));
  const state = el('span');
  const cells = COLUMNS.map(column => cell(column));
  const several = kind === 'several';
  const number_ = several ? el('td') : cell('Version');
  const error = el('td', {class: 'error', colspan: 3 + COLUMNS.length});
  return {nodes: [el('tr', {class: kind}, name, number_, several ? el('td') : cell('State', state), ...cells), el('tr', {class: 'problem'}, error)], number_, state, cells, error};
}

const ofCalls = model => [number(model.calls_per_second), number(100 * model.failed_share) + ' %', millis(model.p50_ms), millis(model.p99_ms)];

function ofRuns(version) {
  if (version.inferences === undefined) return ['', '', ''];
  return [number(version.waiting), version.inferences.toLocaleString('en'), version.runs ? number(version.inferences / version.runs) : ''];
}

/** Times are measured by model, so that none of several versions has any. */
function ofVersion(version) {
  const loaded = version.inferences !== undefined;
  return [...(loaded ? [number(version.requests_per_second), number(100 * version.failed_share) + ' %'] : ['', '']), '', '', ...ofRuns(version)];
}

function fill(row, figures, failedShare) {
  figures.forEach((figure, i) => setText(row.cells[i], figure));
  row.cells[1].className = failedShare > 0 ? 'failing' : '';
}

function fillVersion(row, model, version, only) {
  const text = version.version + version.labels.join();
  if (row.text !== text) {
    row.text = text;
    row.number_.replaceChildren(version.version, ...version.labels.map(label => el('span', {class: 'label', text: label})));
  }
  showState(row.state, version);
  if (only) fill(row, [...ofCalls(model), ...ofRuns(version)], model.failed_share);
  else fill(row, ofVersion(version), version.failed_share);
  setText(row.error, version.error || '');
  row.nodes[1].hidden = version.error === undefined;
}

/** The row of a model that has several: the figures of its calls, whatever version answered them. */
function fillModel(row, model) {
  setText(row.number_, `${model.versions.length} versions`);
  fill(row, [...ofCalls(model), '', '', ''], model.failed_share);
  row.nodes[1].hidden = true;
}

/** The rows of a model: its only version's, or its own and one for each version. */
function rowsOf(model, keys) {
  const kept = (kind, version) => {
    const key = JSON.stringify([model.name, kind, version]);
    keys.add(key);
    if (!rows.has(key)) rows.set(key, makeRow(model, kind));
    return rows.get(key);
  };
  const versions = model.versions.length ? model.versions : [{version: '–', state: 'none', labels: []}];
  const only = versions.length === 1;
  const shown = [];
  if (!only) {
    shown.push(kept('several', ''));
    fillModel(shown[0], model);
  }
  for (const version of versions) {
    const row = kept(only ? 'only' : 'version', version.version);
    fillVersion(row, model, version, only);
    shown.push(row);
  }
  return shown.flatMap(row => row.nodes);
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
    nodes.push(...rowsOf(model, keys));
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
