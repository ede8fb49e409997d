// The page of one model: its versions, its signature, and the form that sends requests to it.
import {get} from './api.js';
import {openCharts, spanChoice} from './charts.js';
import {byId, el} from './dom.js';
import {Form, takesRequests} from './form.js';
import {pretty} from './format.js';
import {breakable, cell, showState} from './models.js';

let opened;

function versionRows(model) {
  return model.versions.map(version => {
    const state = el('span');
    showState(state, version);
    return el('tr', {}, el('th', {scope: 'row', class: 'name', text: version.version}), cell('Labels', version.labels.join(', ') || '–'),
        cell('State', state), el('td', {class: 'error', text: version.error || ''}));
  });
}

function versionsCard() {
  const rows = el('tbody');
  const node = el('div', {class: 'card table texts', role: 'region', tabindex: 0, 'aria-label': 'Versions'},
      el('table', {}, el('thead', {}, el('tr', {},
          ...['Version', 'Labels', 'State', 'Last error'].map(text => el('th', {scope: 'col', text})))), rows));
  return {node, rows};
}

function why(about, carried) {
  if (!about.known) return 'The server has no model of this name.';
  const refused = about.rights.infer || (about.versions.find(version => version.refused) || {}).refused;
  if (refused) return 'You may not send requests to this model: ' + refused;
  if (!about.versions.some(takesRequests)) return 'No version of this model takes requests now.';
  return '';
}

function fill(view, about, carried) {
  const problem = why(about, carried);
  if (problem) {
    view.body.replaceChildren(el('p', {text: problem, role: 'status'}));
    return;
  }
  const form = new Form(view.name, about, carried);
  if (!form.protocols.length) {
    view.body.replaceChildren(el('p', {text: 'This listener carries no protocol of models that a browser can speak.', role: 'status'}));
    return;
  }
  view.form = form;
  const first = form.usable.at(-1);
  view.body.replaceChildren(
      el('p', {class: 'soft', text: `${first.platform || 'a model'}${first.max_batch_size ? ', batches of up to ' + first.max_batch_size + ' rows' : ''}`}),
      form.form, form.result, form.answers,
      el('h3', {text: 'The same request from elsewhere'}), form.lines);
}

/** Shows a model's page. */
export async function openModel(name, state) {
  closeModel();
  const versions = versionsCard();
  const charts = openCharts(name);
  const body = el('div', {class: 'form'}, el('p', {class: 'soft', text: 'Loading …'}));
  opened = {name, versions, charts, body, shown: '', known: false};
  const view = opened;
  byId('model').replaceChildren(
      el('div', {class: 'bar'}, el('h2', {}, ...breakable(name)), el('a', {href: '#/', text: 'All models'}), spanChoice),
      charts.node, versions.node, el('div', {class: 'card'}, el('h3', {text: 'Try it'}), body));
  if (state()) updateModel(state());
  try {
    const about = await get('console/model.json?name=' + encodeURIComponent(name));
    const carried = state() ? state().protocols : (await get('console.json')).protocols;
    if (view === opened) fill(view, about, carried);
  } catch (failure) {
    if (view === opened) body.replaceChildren(el('p', {class: 'failing', text: failure.message}));
  }
}

export function closeModel() {
  if (opened) opened.charts.close();
  opened = undefined;
  byId('model').replaceChildren();
}

/** Draws what is new in the charts. A name that no model has has none. */
export async function refreshModel() {
  if (opened && opened.known) await opened.charts.refresh();
}

/** Shows what has changed since: the states of the versions. */
export function updateModel(state) {
  const model = opened && state.models.find(each => each.name === opened.name);
  if (!opened) return;
  opened.known = Boolean(model);
  if (!model) return;
  const shown = pretty(model.versions.map(({version, labels, state: how, error}) => [version, labels, how, error || '']));
  if (shown === opened.shown) return;
  const changed = opened.shown !== '';
  opened.shown = shown;
  opened.versions.rows.replaceChildren(...versionRows(model));
  if (changed && !opened.form) openModel(opened.name, () => state); // A version may take requests now.
}
