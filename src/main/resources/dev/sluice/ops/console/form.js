// The form that sends requests to a model, made from its signatures.
import {ask, card, newScale} from './answer.js';
import {difference} from './compare.js';
import {el, field, select, setText} from './dom.js';
import {inputFields, inputsOf, Parameters, randomize, readInputs, shapeText} from './fields.js';
import {generates, protocols} from './requests.js';
import {snippets} from './snippets.js';

const LATEST = '';

/** A graph that only initialises, which TensorFlow lists among the signatures, takes no request. */
const callable = signature => signature.inputs.length > 0;
export const takesRequests = version => version.signatures && version.signatures.some(callable);

function tensorsTable(title, specs) {
  return el('div', {class: 'field'}, el('span', {class: 'caption', text: title}),
      el('ul', {class: 'keys'}, ...specs.map(spec => el('li', {text: `${spec.name}: ${shapeText(spec)}`}))));
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

/** The form for a model whose signatures are known. */
export class Form {
  constructor(model, about, carried) {
    this.model = model;
    this.usable = about.versions.filter(takesRequests);
    this.generating = this.usable.every(each => each.signatures.some(generates));
    this.answers = el('div', {class: 'answers'});
    this.result = el('p', {role: 'status'});
    this.lines = el('div', {class: 'lines'});
    this.inputs = el('div', {class: 'form'});
    this.problem = el('p', {class: 'failing', role: 'alert', hidden: true});
    this.protocols = protocols(carried, this.usable);
    const versions = this.usable.map(each => [each.version, each.version]).reverse();
    this.version = select([[LATEST, 'the latest'], ...versions]);
    this.other = select([['none', 'no'], [LATEST, 'the latest'], ...versions]);
    this.protocol = select(this.protocols.map(each => [each.id, each.text]));
    this.signature = select([]);
    this.parameters = new Parameters(this.generating);
    this.system = el('textarea', {rows: 2});
    this.systemField = field('System', this.system, 'what the model is told before the prompt; empty: nothing');
    this.send = el('button', {type: 'submit', class: 'primary', text: 'Send'});
    this.stop = el('button', {type: 'button', text: 'Stop', disabled: true, onclick: () => this.abort && this.abort.abort()});
    if (this.protocols.length) this.build();
  }

  build() {
    const random = el('button', {type: 'button', text: 'Random values', hidden: this.generating, onclick: () => {
      randomize(this.fields);
      this.showLines();
    }});
    this.signatureField = field('Signature', this.signature);
    this.versionFields = [field('Version', this.version), field('Compare with version', this.other)];
    this.form = el('form', {class: 'form', novalidate: true},
        el('div', {class: 'row'}, field('Protocol', this.protocol), ...this.versionFields, this.signatureField),
        this.systemField, this.inputs, this.parameters.node, this.problem,
        el('div', {class: 'buttons'}, this.send, this.stop, random));
    this.form.addEventListener('submit', event => {
      event.preventDefault();
      this.run();
    });
    this.form.addEventListener('input', event => this.changed(event.target));
    this.showSignatures();
    this.changed(this.protocol);
  }

  /** The protocol that is chosen. */
  by() {
    return this.protocols.find(each => each.id === this.protocol.value);
  }

  changed(control) {
    if (control === this.version) this.showSignatures();
    if (control === this.signature) this.showInputs();
    this.parameters.node.hidden = !this.by().parameters;
    this.systemField.hidden = !this.by().chat;
    this.versionFields.forEach(each => { each.hidden = Boolean(this.by().latest); });
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
    this.fields = inputFields(signature, this.generating);
    this.fields.forEach(({spec, area}) => { area.value = typed.get(spec.name + shapeText(spec)) || area.value; });
    const boxes = optional => this.fields.filter(({spec}) => spec.optional === optional).map(({box}) => box);
    const rest = boxes(true);
    this.inputs.replaceChildren(...boxes(false),
        ...(rest.length ? [el('details', {}, el('summary', {text: `Inputs that may be left out (${rest.length})`}), ...rest)] : []),
        tensorsTable('Outputs', signature.outputs));
  }

  asked(version) {
    const parameters = this.by().parameters ? this.parameters.read() : undefined;
    return {model: this.model, version, signature: this.signature.value, several: this.fields.length > 1, parameters,
      generating: this.generating, system: this.system.value};
  }

  /** The request as the form is now, or undefined with what is wrong shown. */
  make(version, inputs) {
    const protocol = this.by();
    try {
      const asked = this.asked(version);
      this.problem.hidden = true;
      return {protocol, asked, request: protocol.make(asked, inputs)};
    } catch (failure) {
      this.problem.hidden = false;
      setText(this.problem, failure.message);
      return undefined;
    }
  }

  showLines() {
    let inputs;
    try {
      inputs = inputsOf(this.fields);
    } catch {
      this.showNoLines(); // Why is said when the request is sent.
      return;
    }
    const made = this.make(this.version.value, inputs);
    if (made) this.lines.replaceChildren(...snippets(made.protocol, made.asked, inputs, made.request).map(copyLine));
    else this.showNoLines();
  }

  showNoLines() {
    this.lines.replaceChildren(el('p', {class: 'soft', text: 'The request can not be sent as it is now.'}));
  }

  /** The versions to ask, the latest for a protocol that names none. */
  versions() {
    if (this.by().latest) return [LATEST];
    return [this.version.value, ...(this.other.value === 'none' ? [] : [this.other.value])];
  }

  async run() {
    this.answers.replaceChildren();
    setText(this.result, '');
    this.showLines();
    const inputs = readInputs(this.fields);
    const versions = this.versions();
    const all = inputs && versions.map(version => this.make(version, inputs));
    if (!all || all.includes(undefined)) return;
    const scale = newScale();
    const views = versions.map((version, i) => card(version ? 'Version ' + version : 'The latest version', all[i].request, scale));
    this.answers.replaceChildren(...views.map(view => view.node));
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
