// Open Inference V2 by gRPC-Web: its messages in protobuf's form, as far as the form sends and shows them, in frames.
const utf8 = new TextEncoder();
const text = new TextDecoder();

/** How numbers of a type lie in a tensor: their bytes, and the methods of a DataView for them. */
const NUMBERS = {INT8: [1, 'Int8'], INT16: [2, 'Int16'], INT32: [4, 'Int32'], INT64: [8, 'BigInt64'], UINT8: [1, 'Uint8'], UINT16: [2, 'Uint16'],
  UINT32: [4, 'Uint32'], UINT64: [8, 'BigUint64'], FP32: [4, 'Float32'], FP64: [8, 'Float64'], BOOL: [1, 'Uint8']};
const LENGTH = 2; // The kind of fields that begin with their length.
const TRAILERS = 0x80;

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.of(...bytes, Number(rest));
}

const field = (number, content) => {
  const bytes = typeof content === 'string' ? utf8.encode(content) : content;
  return joined([varint(number << 3 | LENGTH), varint(bytes.length), bytes]);
};

/** A number may be one that keeps the digits that it was written with. */
const digits = value => value && value.rawJSON !== undefined ? value.rawJSON : value;

function raw({name, type, value}) {
  if (type === 'BYTES') {
    return joined(value.flatMap(each => {
      const bytes = utf8.encode(each);
      return [new Uint8Array(Uint32Array.of(bytes.length).buffer), bytes];
    }));
  }
  if (!NUMBERS[type]) throw new Error(`${name}: ${type} can not be written by this page; choose JSON.`);
  const [size, how] = NUMBERS[type];
  const view = new DataView(new ArrayBuffer(size * value.length));
  value.forEach((each, i) => view['set' + how](i * size, how.startsWith('Big') ? BigInt(digits(each)) : Number(digits(each)), true));
  return new Uint8Array(view.buffer);
}

function parameter(value) {
  switch (typeof value) {
    case 'boolean': return joined([varint(1 << 3), varint(value ? 1 : 0)]);
    case 'number': {
      if (Number.isSafeInteger(value)) return joined([varint(2 << 3), varint(value)]);
      return joined([varint(4 << 3 | 1), raw({type: 'FP64', value: [value]})]);
    }
    default: return field(3, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

/** A ModelInferRequest in its frame; the values of inputs are flat lists. */
export function inferRequest({model, version, parameters = {}}, inputs) {
  const message = joined([
    field(1, model), field(2, version || ''),
    ...Object.entries(parameters).map(([name, value]) => field(4, joined([field(1, name), field(2, parameter(value))]))),
    ...inputs.map(({name, type, shape}) => field(5, joined([field(1, name), field(2, type), field(3, joined(shape.map(varint)))]))),
    ...inputs.map(input => field(7, raw(input)))]);
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, message.length);
  return joined([new Uint8Array(head.buffer), message]);
}

/** Reads the bytes of a message, one value after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get more() {
    return this.at < this.bytes.length;
  }

  varint() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (!(byte & 128)) return value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** A field's number, and what it holds: bytes, or a number. */
  field() {
    const tag = Number(this.varint());
    const kind = tag & 7;
    return [tag >> 3, kind === 0 ? this.varint() : this.take(kind === LENGTH ? Number(this.varint()) : kind === 1 ? 8 : 4)];
  }
}

function repeated(bytes, read) {
  const found = [];
  for (const reader = new Reader(bytes); reader.more;) found.push(read(reader));
  return found;
}

const fields = bytes => repeated(bytes, reader => reader.field());
const all = (message, number) => message.filter(([each]) => each === number).map(([, content]) => content);
const string = (message, number) => all(message, number).map(bytes => text.decode(bytes)).join('');

/** Numbers of a field that has them one by one or all at once. */
const numbers = (message, number) => all(message, number)
    .flatMap(content => typeof content === 'bigint' ? [content] : repeated(content, reader => reader.varint())).map(Number);

function shown(type, value) {
  if (type === 'BOOL') return value !== 0;
  if (typeof value === 'bigint') return JSON.rawJSON ? JSON.rawJSON(String(value)) : Number(value);
  if (type !== 'FP32' || !Number.isFinite(value)) return value;
  for (let count = 1; ; count++) { // As few digits as tell it from other numbers of 32 bits.
    const short = Number(value.toPrecision(count));
    if (Math.fround(short) === value) return short;
  }
}

function values(type, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (type === 'BYTES') {
    return repeated(bytes, reader => text.decode(reader.take(view.getUint32(reader.take(4).byteOffset - bytes.byteOffset, true))));
  }
  if (!NUMBERS[type]) return `${bytes.length} bytes`;
  const [size, how] = NUMBERS[type];
  return Array.from({length: bytes.length / size}, (_, i) => shown(type, view['get' + how](i * size, true)));
}

/** A ModelInferResponse as an object, as V2 has it in JSON. */
function inferResponse(bytes) {
  const message = fields(bytes);
  const contents = all(message, 6);
  const outputs = all(message, 5).map(fields).map((output, i) => ({name: string(output, 1), datatype: string(output, 2),
    shape: numbers(output, 3), data: contents[i] ? values(string(output, 2), contents[i]) : []}));
  return {model_name: string(message, 1), model_version: string(message, 2), outputs};
}

/** A ModelStreamInferResponse: an answer, or why there is none. */
function streamResponse(bytes) {
  const message = fields(bytes);
  const error = string(message, 1);
  return error ? {error} : inferResponse(all(message, 2)[0] || new Uint8Array());
}

const trailersOf = bytes => Object.fromEntries(text.decode(bytes).split('\r\n').filter(line => line.includes(':'))
    .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));

/** Reads the frames of an answer as they arrive; gives each message to `take`, and returns the trailers. */
export async function readFrames(answer, stream, take) {
  const reader = answer.body.getReader();
  let trailers = Object.fromEntries(answer.headers);
  let bytes = new Uint8Array();
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return trailers;
    bytes = joined([bytes, value]);
    for (;;) {
      const length = bytes.length < 5 ? Infinity : new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
      if (bytes.length < 5 + length) break;
      const content = bytes.subarray(5, 5 + length);
      if (bytes[0] & TRAILERS) trailers = {...trailers, ...trailersOf(content)};
      else take((stream ? streamResponse : inferResponse)(content));
      bytes = bytes.subarray(5 + length);
    }
  }
}
