// One request by each protocol that a browser can speak: the path, and the JSON of its body.
import {inferRequest} from './grpcweb.js';
import {flatten} from './tensors.js';

const encode = encodeURIComponent;
const GRPS = {UINT8: 'UINT8', INT8: 'INT8', INT16: 'INT16', INT32: 'INT32', INT64: 'INT64', FP16: 'FLOAT16', FP32: 'FLOAT32', FP64: 'FLOAT64', BYTES: 'STRING'};

const COMPLETIONS = 'openai/v1/completions';
const CHAT = 'openai/v1/chat/completions';
const V2 = 'inference.GRPCInferenceService/';
const TEXT = 'text';
const QUERY = 'query';

const v1Path = ({model, version}) => `v1/models/${encode(model)}${version ? '/versions/' + version : ''}:predict`;
const v2Path = ({model, version}, verb) => `v2/models/${encode(model)}${version ? '/versions/' + version : ''}/${verb}`;

const named = inputs => Object.fromEntries(inputs.map(input => [input.name, input.value]));
const signed = ({signature}) => signature && signature !== 'serving_default' ? {signature_name: signature} : {};

function instances(asked, inputs) {
  if (inputs.some(input => !input.shape.length)) {
    throw new Error('An input without rows (a single value) can not be sent by rows: choose columns.');
  }
  if (!asked.several) return inputs[0].value;
  if (new Set(inputs.map(input => input.shape[0])).size > 1) {
    throw new Error('All inputs need the same number of rows to be sent by rows: choose columns.');
  }
  return inputs[0].value.map((_, row) => Object.fromEntries(inputs.map(input => [input.name, input.value[row]])));
}

const tensors = inputs => inputs.map(({name, type, shape, value}) => ({name, datatype: type, shape, data: flatten(value)}));

const flattened = inputs => inputs.map(input => ({...input, value: flatten(input.value)}));

/** A single element is a plain value in flat JSON, which has no lists in lists: those are sent as tensors. */
function flat(inputs, parameters) {
  if (inputs.some(input => input.shape.length > 1)) return {inputs: tensors(inputs), ...(parameters ? {parameters} : {})};
  const value = input => flatten(input.value).length === 1 ? flatten(input.value)[0] : input.value;
  return {...Object.fromEntries(inputs.map(input => [input.name, value(input)])), ...parameters};
}

function grpsTensors(inputs) {
  return inputs.map(({name, type, shape, value}) => {
    if (!GRPS[type]) throw new Error(`grps has no tensors of type ${type}.`);
    return {name, dtype: 'DT_' + GRPS[type], shape, ['flat_' + GRPS[type].toLowerCase()]: flatten(value)};
  });
}

const grpsBody = (asked, inputs) => ({
  model: asked.version ? `${asked.model}-${asked.version}` : asked.model, gtensors: {tensors: grpsTensors(inputs)}});

/** A completion's choices, and the numbers of tokens behind the last of them. */
const completion = ({choices, usage}) => ({tokens: usage && usage.completion_tokens,
  parts: (choices || []).map(choice => ({index: choice.index, text: choice.text, reason: choice.finish_reason}))});
/** Flat JSON of V2 has one text. */
const written = ({text, finish_reason: reason, completion_tokens: tokens}) => ({tokens, parts: [{index: 0, text, reason}]});

/** A message of gRPC has it in outputs of one element each. */
function writtenIn({outputs = []}) {
  const {completion_tokens: tokens, ...rest} = Object.fromEntries(outputs.map(({name, data}) => [name, data[0]]));
  return written({...rest, completion_tokens: tokens === undefined ? undefined : Number(tokens.rawJSON ?? tokens)});
}

const textsOf = (inputs, name) => flatten(inputs.find(input => input.name === name).value);
const completionOf = (asked, inputs) => ({model: asked.model, prompt: textsOf(inputs, TEXT)[0], ...asked.parameters});

/** The choices of an answer in a conversation, whole or a piece of it. */
const said = ({choices, usage}) => ({tokens: usage && usage.completion_tokens,
  parts: (choices || []).map(({index, message, delta, finish_reason: reason}) => ({index, text: (message || delta || {}).content, reason}))});

/** A conversation: what the system is told, if it is told anything, and what the user says. */
const conversationOf = (asked, inputs) => ({model: asked.model, messages: [
  ...(asked.system ? [{role: 'system', content: asked.system}] : []), {role: 'user', content: textsOf(inputs, TEXT)[0]}], ...asked.parameters});
const streamed = {stream: true, stream_options: {include_usage: true}};

/**
 * What a choice of the form can do: `make` makes the request. `of`: which models it is for; `latest`: it names no version;
 * `parameters`: it takes some; `chat`: it asks in a conversation; `stream`, `whole`: how it answers. A request's `written`
 * finds the pieces of generated text in a message of its answer.
 */
const BY = {
  openai: [
    {id: 'completions-stream', text: 'OpenAI completions, streamed', of: 'text', parameters: true, stream: true, latest: true, make: (asked, inputs) => ({
      path: COMPLETIONS, stream: 'events', written: completion, body: {...completionOf(asked, inputs), ...streamed}})},
    {id: 'completions', text: 'OpenAI completions', of: 'text', parameters: true, latest: true, whole: true, make: (asked, inputs) =>
      ({path: COMPLETIONS, written: completion, body: completionOf(asked, inputs)})},
    {id: 'chat-stream', text: 'OpenAI chat, streamed', of: 'text', chat: true, parameters: true, stream: true, latest: true, make: (asked, inputs) => ({
      path: CHAT, stream: 'events', written: said, body: {...conversationOf(asked, inputs), ...streamed}})},
    {id: 'chat', text: 'OpenAI chat', of: 'text', chat: true, parameters: true, latest: true, whole: true, make: (asked, inputs) =>
      ({path: CHAT, written: said, body: conversationOf(asked, inputs)})},
    {id: 'embeddings', text: 'OpenAI embeddings', of: 'vectors', latest: true, make: (asked, inputs) =>
      ({path: 'openai/v1/embeddings', body: {model: asked.model, input: textsOf(inputs, TEXT)}})},
    {id: 'rerank', text: 'Cohere rerank', of: 'scores', latest: true, make: (asked, inputs) =>
      ({path: 'openai/v1/rerank', body: {model: asked.model, query: textsOf(inputs, QUERY)[0], documents: textsOf(inputs, TEXT)}})},
  ],
  oip: [
    {id: 'v2', text: 'Open Inference V2, JSON', parameters: true, make: (asked, inputs) =>
      ({path: v2Path(asked, 'infer'), body: {inputs: tensors(inputs), ...(asked.parameters ? {parameters: asked.parameters} : {})}})},
    {id: 'generate', text: 'V2 generate, flat JSON', parameters: true, whole: true, make: (asked, inputs) =>
      ({path: v2Path(asked, 'generate'), body: flat(inputs, asked.parameters), written: asked.generating && written})},
    {id: 'generate_stream', text: 'V2 generate_stream, server-sent events', parameters: true, stream: true, make: (asked, inputs) =>
      ({path: v2Path(asked, 'generate_stream'), body: flat(inputs, asked.parameters), stream: 'events', written: asked.generating && written})},
  ],
  web: [
    {id: 'grpc', text: 'Open Inference V2, gRPC-Web', parameters: true, make: (asked, inputs) =>
      ({path: V2 + 'ModelInfer', grpc: inferRequest(asked, flattened(inputs))})},
    {id: 'grpc-stream', text: 'Open Inference V2, gRPC-Web, streamed', parameters: true, stream: true, make: (asked, inputs) =>
      ({path: V2 + 'ModelStreamInfer', stream: 'frames',
        written: asked.generating && writtenIn, grpc: inferRequest(asked, flattened(inputs))})},
  ],
  v1: [
    {id: 'v1-rows', text: 'V1, rows (instances)', make: (asked, inputs) =>
      ({path: v1Path(asked), body: {...signed(asked), instances: instances(asked, inputs)}})},
  ],
  tfs: [
    {id: 'v1-columns', text: 'V1, columns (inputs)', make: (asked, inputs) =>
      ({path: v1Path(asked), body: {...signed(asked), inputs: named(inputs)}})},
  ],
  grps: [
    {id: 'grps', text: 'grps, gtensors', make: (asked, inputs) =>
      ({path: 'grps/v1/infer/predict', body: grpsBody(asked, inputs)})},
    {id: 'grps-stream', text: 'grps, gtensors, streamed', stream: true, make: (asked, inputs) =>
      ({path: 'grps/v1/infer/predict?streaming=true', body: grpsBody(asked, inputs), stream: 'chunks'})},
  ],
};

/** Whether models with this signature generate text, which OpenAI's protocol asks for. */
export const generates = ({inputs, outputs}) => inputs.some(isPrompt)
    && ['finish_reason', 'prompt_tokens', 'completion_tokens'].every(name => outputs.some(output => output.name === name));

/** Whether an input is the text that a generating model goes on with. */
export const isPrompt = ({name, type}) => name === TEXT && type === 'BYTES';

/** Whether models with this signature answer numbers to texts: a row or a number for each, under this name. */
const encodes = (texts, output, rank) => ({inputs, outputs}) =>
  texts.every(name => inputs.some(input => input.name === name && input.type === 'BYTES'))
    && inputs.every(input => input.optional || texts.includes(input.name))
    && outputs.some(({name, type, shape}) => name === output && type === 'FP32' && shape && shape.length === rank);

/** What models are for, by what a listener's protocol for texts asks of them. */
const KINDS = {text: generates, vectors: encodes([TEXT], 'embedding', 2), scores: encodes([QUERY, TEXT], 'score', 1)};

/**
 * The protocols of a listener that a browser can speak.
 *
 * @param versions of the model, which all have to be for what is asked
 */
export function protocols(carried, versions) {
  const is = kind => versions.every(({signatures}) => signatures.some(KINDS[kind]));
  const has = name => carried.includes(name);
  const all = [
    ...(has('openai') ? BY.openai.filter(each => is(each.of)) : []),
    ...(has('oip') ? BY.oip : []),
    ...(has('tfs') || has('kserve') ? BY.v1 : []),
    ...(has('tfs') ? BY.tfs : []),
    ...(has('grps') ? BY.grps : []),
    ...(has('oip') ? BY.web : []),
  ];
  // The pieces of generated text can be asked for as one; those of other streams cannot.
  return versions.every(each => each.decoupled) ? all.filter(each => each.stream || (is('text') && each.whole)) : all;
}
