// Values of a form: examples for a signature, and what people have typed, checked before it is sent.
import {parse} from './format.js';

const INTEGERS = /^U?INT(8|16|32|64)$/;

/** The shape of an example: one for what is open, and a row for a shape that is not known. */
const exampleShape = spec => (spec.shape || [1]).map(size => Number(size) < 0 ? 1 : Number(size));

function nest(shape, value) {
  if (!shape.length) return value();
  const [size, ...inner] = shape;
  return Array.from({length: size}, () => nest(inner, value));
}

function one(type, random) {
  if (type === 'BYTES') return 'text';
  if (type === 'BOOL') return random ? Math.random() < 0.5 : false;
  if (INTEGERS.test(type)) return random ? Math.floor(Math.random() * 10) : 1;
  return random ? Math.round(Math.random() * 1000) / 1000 : 1;
}

/** JSON text of an example value for an input. */
export function example(spec, random) {
  const shape = exampleShape(spec);
  const count = shape.reduce((a, b) => a * b, 1);
  if (count > 100000) return ''; // Nobody reads so many; the size is said beside the field.
  return JSON.stringify(nest(shape, () => one(spec.type, random)));
}

const isList = Array.isArray;

/** The sizes of nested lists; throws if they are not a tensor's. */
export function shapeOf(value) {
  if (!isList(value)) return [];
  if (!value.length) return [0];
  const shapes = value.map(shapeOf);
  const first = JSON.stringify(shapes[0]);
  if (shapes.some(shape => JSON.stringify(shape) !== first)) throw new Error('The lists inside differ in length.');
  return [value.length, ...shapes[0]];
}

export const flatten = value => isList(value) ? value.flat(Infinity) : [value];

/** The shape of lists, with the sizes that lists cannot tell since there are none inside: those that are declared. */
const wholeShape = (shape, spec) => !spec.shape || shape.at(-1) !== 0 ? shape
    : [...shape, ...exampleShape(spec).slice(shape.length)];

/** Whether a shape is one that is declared. */
function fits(shape, declared) {
  return !declared || (declared.length === shape.length
      && declared.every((size, i) => Number(size) < 0 || Number(size) === shape[i]));
}

/** Reads a field; throws an error with a sentence for people. */
export function read(spec, text) {
  let value;
  try {
    value = parse(text);
  } catch {
    throw new Error(spec.type === 'BYTES'
      ? 'Wanted JSON: a text in double quotes, or a list of texts.'
      : 'Wanted JSON: a number, or nested lists of numbers.');
  }
  const shape = wholeShape(shapeOf(value), spec);
  if (!fits(shape, spec.shape)) {
    throw new Error(`The shape is [${shape}], and the model wants [${spec.shape}] (-1 is any size).`);
  }
  return {name: spec.name, type: spec.type, value, shape};
}
