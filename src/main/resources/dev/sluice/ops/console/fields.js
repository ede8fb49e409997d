// The fields of a form: the inputs of a signature, and the parameters of a model that generates text.
import {el, field, setText} from './dom.js';
import {isPrompt} from './requests.js';
import {example, read} from './tensors.js';

export const shapeText = spec => `${spec.type} ${spec.shape ? '[' + spec.shape + ']' : 'of any shape'}${spec.optional ? ', may be left out' : ''}`;

/** The inputs of a signature as fields; what cannot be sent is said beside the field. A prompt is typed as it is. */
export function inputFields(signature, generating) {
  return signature.inputs.map(spec => {
    const prompt = generating && isPrompt(spec);
    const area = el('textarea', {spellcheck: 'false', rows: 3});
    area.value = prompt ? 'Once upon a time' : spec.optional ? '' : example(spec, false);
    const wrong = el('small', {class: 'wrong', role: 'alert'});
    const box = field(prompt ? 'Prompt' : spec.name, area, prompt ? `${spec.name}, which the model goes on with`
        : shapeText(spec) + ', as JSON' + (spec.optional ? '; empty: left out' : ''));
    box.append(wrong);
    return {spec, area, wrong, box, prompt};
  });
}

const isLeftOut = ({spec, area}) => spec.optional && !area.value.trim();
const value = ({spec, area, prompt}) => prompt
  ? {name: spec.name, type: spec.type, value: [area.value], shape: [1]} : read(spec, area.value);

/** The inputs as they are now, without those that are left out; throws at the first that cannot be sent. */
export const inputsOf = fields => fields.filter(each => !isLeftOut(each)).map(value);

/** The inputs to send, or undefined with what is wrong shown. */
export function readInputs(fields) {
  const values = [];
  let first;
  for (const each of fields) {
    const {area, wrong} = each;
    setText(wrong, '');
    area.removeAttribute('aria-invalid');
    if (isLeftOut(each)) continue;
    try {
      values.push(value(each));
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

/** Puts examples of other values in, but not where something may be left out and is. */
export function randomize(fields) {
  fields.filter(each => !each.prompt && !isLeftOut(each)).forEach(({spec, area}) => { area.value = example(spec, true); });
}

const SAMPLING = [['max_tokens', 'Most tokens', '1', '1'], ['temperature', 'Temperature', '0', 'any'], ['seed', 'Seed', '0', '1']];

/** Parameters of a request: those of text that have a field of their own, and a JSON object of all others. */
export class Parameters {
  constructor(generating) {
    this.own = generating ? SAMPLING.map(([name, label, min, step]) =>
        ({name, label, input: el('input', {type: 'number', min, step, inputmode: 'decimal'})})) : [];
    this.others = el('input', {type: 'search', autocomplete: 'off', spellcheck: 'false',
      placeholder: generating ? '{"top_p": 0.9, "stop": ["\\n"]}' : '{"temperature": 0}'});
    this.node = el('div', {class: 'row'},
        ...this.own.map(({name, label, input}) => field(label, input, name + '; empty: as the model has it')),
        field(generating ? 'More parameters' : 'Parameters', this.others, 'of the request, a JSON object'));
  }

  /** The object to send, undefined if nothing is asked for; throws an error with a sentence for people. */
  read() {
    const asked = {};
    for (const {name, label, input} of this.own) {
      if (!input.checkValidity()) throw new Error(`${label}: ${input.validationMessage}`);
      if (input.value) asked[name] = Number(input.value);
    }
    Object.assign(asked, this.object());
    return Object.keys(asked).length ? asked : undefined;
  }

  object() {
    const text = this.others.value.trim();
    let object = {};
    try {
      if (text) object = JSON.parse(text);
    } catch {
      object = undefined;
    }
    if (!object || typeof object !== 'object' || Array.isArray(object)) throw new Error('The parameters are no JSON object.');
    return object;
  }
}
