// The page of one model: its versions, its signature, and the form that sends requests to it.
import {get} from './api.js';
import {ask, card} from './answer.js';
import {openCharts, spanChoice} from './charts.js';
import {difference} from './compare.js';
import {byId, el, field, select, setText} from './dom.js';
import {pretty} from './format.js';
import {showState} from './models.js';
import {protocols} from './requests.js';
import {snippets} from './snippets.js';
import {example, read} from './tensors.js';

const LATEST = '';
let opened;

const shapeText = spec => `${spec.type} ${spec.shape ? '[' + spec.shape + ']' : 'of any shape'}${spec.optional ? ', may be left out' : ''}`;

function versionRows(model) {
  return model.versions.map(version => {
    const state = el('span');
    showState(state, version);
    return el('tr', {}, el('th', {scope: 'row', text: version.version}), el('td', {text: version.labels.join(', ') || '–'}),
        el('td', {}, state), el('td', {class: 'error', text: version.error || ''}));
  });
}

function versionsCard() {
  const rows = el('tbody');
  const node = el('div', {class: 'card table texts', role: 'region', tabindex: 0, 'aria-label': 'Versions'},
      el('table', {}, el('thead', {}, el('tr', {},
          ...['Version', 'Labels', 'State', 'Last error'].map(text => el('th', {scope: 'col', text})))), rows));
  return {node, rows};
}

function tensorsTable(title, specs) {
  return el('div', {class: 'field'}, el('span', {class: 'caption', text: title}),
      el('ul', {class: 'keys'}, ...specs.map(spec => el('li', {text: `${spec.name}: ${shapeText(spec)}`}))));
}

/** The inputs of a signature as fields; what cannot be sent is said beside the field. */
function inputFields(signature) {
  return signature.inputs.map(spec => {
    const area = el('textarea', {spellcheck: 'false', rows: 3});
    area.value = spec.optional ? '' : example(spec, false);
    const wrong = el('small', {class: 'wrong', role: 'alert'});
    const box = field(spec.name, area, shapeText(spec) + ', as JSON' + (spec.optional ? '; empty: left out' : ''));
    box.append(wrong);
    return {spec, area, wrong, box};
  });
}

function readInputs(fields) {
  const values = [];
  let first;
  for (const {spec, area, wrong} of fields) {
    setText(wrong, '');
    area.removeAttribute('aria-invalid');
    if (spec.optional && !area.value.trim()) continue;
    try {
      values.push(read(spec, area.value));
    } catch (failure) {
      setText(wrong, failure.message);
      area.setAttribute('aria-invalid', 'true');
      first = first || area;
    }
  }
  if (first) {
    const folded = first.closest('details');
    if (folded) folded.open = true;
    first.focus();
  }
  return first ? undefined : values;
}

function copyLine([title, text]) {
  const button = el('button', {type: 'button', text: 'Copy', 'aria-label': 'Copy the line for ' + title});
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      setText(button, 'Copied');
    } catch {
      setText(button, 'Select it'); // Without TLS a browser gives a page no clipboard.
      getSelection().selectAllChildren(code);
    }
  });
  const code = el('pre', {tabindex: 0, role: 'region', 'aria-label': title, text});
  return el('div', {class: 'line'}, el('h4', {}, title, button), code);
}

/** A graph that only initialises, which TensorFlow lists among the signatures, takes no request. */
const callable = signature => signature.inputs.length > 0;
const takesRequests = version => version.signatures && version.signatures.some(callable);

/** The form for a model whose signatures are known. */
class Form {
  constructor(model, about, carried) {
    this.model = model;
    this.usable = about.versions.filter(takesRequests);
    this.answers = el('div', {class: 'answers'});
    this.result = el('p', {role: 'status'});
    this.lines = el('div', {class: 'lines'});
    this.inputs = el('div', {class: 'form'});
    this.problem = el('p', {class: 'failing', role: 'alert', hidden: true});
    this.protocols = protocols(carried, this.usable.every(each => each.decoupled));
    const versions = this.usable.map(each => [each.version, each.version]).reverse();
    this.version = select([[LATEST, 'the latest'], ...versions]);
    this.other = select([['none', 'no'], [LATEST, 'the latest'], ...versions]);
    this.protocol = select(this.protocols.map(each => [each.id, each.text]));
    this.signature = select([]);
    this.parameters = el('input', {type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: '{"temperature": 0}'});
    this.send = el('button', {type: 'submit', class: 'primary', text: 'Send'});
    this.stop = el('button', {type: 'button', text: 'Stop', disabled: true, onclick: () => this.abort && this.abort.abort()});
    this.build();
  }

  build() {
    const random = el('button', {type: 'button', text: 'Random values', onclick: () => this.randomize()});
    this.parametersField = field('Parameters', this.parameters, 'of the request, a JSON object; V2 alone');
    this.signatureField = field('Signature', this.signature);
    this.form = el('form', {class: 'form', novalidate: true},
        el('div', {class: 'row'}, field('Protocol', this.protocol), field('Version', this.version),
            field('Compare with version', this.other), this.signatureField),
        this.inputs, this.parametersField, this.problem,
        el('div', {class: 'buttons'}, this.send, this.stop, random));
    this.form.addEventListener('submit', event => {
      event.preventDefault();
      this.run();
    });
    this.form.addEventListener('input', event => this.changed(event.target));
    this.showSignatures();
    this.changed(this.protocol);
  }

  changed(control) {
    if (control === this.version) this.showSignatures();
    if (control === this.signature) this.showInputs();
    this.parametersField.hidden = !['v2', 'generate', 'generate_stream'].includes(this.protocol.value);
    this.showLines();
  }

  chosen() {
    return this.usable.find(each => each.version === this.version.value) || this.usable.at(-1);
  }

  showSignatures() {
    const names = this.chosen().signatures.filter(callable).map(each => each.name);
    const before = this.signature.value;
    this.signature.replaceChildren(...names.map(name => el('option', {value: name, text: name})));
    if (names.includes(before)) this.signature.value = before;
    else if (names.includes('serving_default')) this.signature.value = 'serving_default';
    this.signatureField.hidden = names.length < 2;
    this.showInputs();
  }

  showInputs() {
    const signature = this.chosen().signatures.find(each => each.name === this.signature.value);
    const typed = new Map((this.fields || []).map(({spec, area}) => [spec.name + shapeText(spec), area.value]));
    this.fields = inputFields(signature);
    this.fields.forEach(({spec, area}) => { area.value = typed.get(spec.name + shapeText(spec)) || area.value; });
    const boxes = optional => this.fields.filter(({spec}) => spec.optional === optional).map(({box}) => box);
    const rest = boxes(true);
    this.inputs.replaceChildren(...boxes(false),
        ...(rest.length ? [el('details', {}, el('summary', {text: `Inputs that may be left out (${rest.length})`}), ...rest)] : []),
        tensorsTable('Outputs', signature.outputs));
  }

  randomize() {
    this.fields.forEach(({spec, area}) => { area.value = example(spec, true); });
    this.showLines();
  }

  asked(version) {
    const text = this.parameters.value.trim();
    const parameters = text && !this.parametersField.hidden ? JSON.parse(text) : undefined;
    return {model: this.model, version, signature: this.signature.value, several: this.fields.length > 1, parameters};
  }

  /** The request as the form is now, or undefined with what is wrong shown. */
  make(version, inputs) {
    const protocol = this.protocols.find(each => each.id === this.protocol.value);
    try {
      const asked = this.asked(version);
      this.problem.hidden = true;
      return {protocol, asked, request: protocol.make(asked, inputs)};
    } catch (failure) {
      this.problem.hidden = false;
      setText(this.problem, failure instanceof SyntaxError ? 'The parameters are no JSON object.' : failure.message);
      return undefined;
    }
  }

  showLines() {
    let inputs;
    try {
      inputs = this.fields.filter(({spec, area}) => !spec.optional || area.value.trim()).map(({spec, area}) => read(spec, area.value));
    } catch {
      return; // Said when the request is sent; until then the lines are those before.
    }
    const made = this.make(this.version.value, inputs);
    if (made) this.lines.replaceChildren(...snippets(made.protocol, made.asked, inputs, made.request).map(copyLine));
  }

  async run() {
    const inputs = readInputs(this.fields);
    const versions = [this.version.value, ...(this.other.value === 'none' ? [] : [this.other.value])];
    const all = inputs && versions.map(version => this.make(version, inputs));
    if (!all || all.includes(undefined)) return;
    const views = versions.map(version => card(version ? 'Version ' + version : 'The latest version'));
    this.answers.replaceChildren(...views.map(view => view.node));
    setText(this.result, '');
    this.abort = new AbortController();
    this.send.disabled = true;
    this.stop.disabled = false;
    // One after the other, so that neither takes the other's time.
    const texts = [];
    for (const [i, {request}] of all.entries()) texts.push(await ask(request, views[i], this.abort.signal));
    if (texts.length > 1) setText(this.result, difference(...texts));
    this.send.disabled = false;
    this.stop.disabled = true;
  }
}

function why(about, carried) {
  if (!about.known) return 'The server has no model of this name.';
  const refused = about.rights.infer || (about.versions.find(version => version.refused) || {}).refused;
  if (refused) return 'You may not send requests to this model: ' + refused;
  if (!protocols(carried, false).length) return 'This listener carries no protocol of models that a browser can speak.';
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
      el('div', {class: 'bar'}, el('h2', {text: name}), el('a', {href: '#/', text: 'All models'}), spanChoice),
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
