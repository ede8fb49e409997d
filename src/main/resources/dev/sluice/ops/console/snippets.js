// Lines to copy that send the same request from elsewhere. A token is never in them: they name a variable.
import {hasToken, root} from './api.js';
import {flatten} from './tensors.js';

const PROTO = {BOOL: 'bool', INT8: 'int', INT16: 'int', INT32: 'int', INT64: 'int64', UINT8: 'uint', UINT16: 'uint', UINT32: 'uint', UINT64: 'uint64', FP32: 'fp32', FP64: 'fp64', BYTES: 'bytes'};
const NUMPY = {BOOL: 'bool_', INT8: 'int8', INT16: 'int16', INT32: 'int32', INT64: 'int64', UINT8: 'uint8', UINT16: 'uint16', UINT32: 'uint32', UINT64: 'uint64', FP16: 'float16', FP32: 'float32', FP64: 'float64', BYTES: 'object_'};
const TF = {BOOL: ['DT_BOOL', 'bool_val'], INT8: ['DT_INT8', 'int_val'], INT16: ['DT_INT16', 'int_val'], INT32: ['DT_INT32', 'int_val'], INT64: ['DT_INT64', 'int64_val'], UINT8: ['DT_UINT8', 'int_val'], UINT16: ['DT_UINT16', 'int_val'], UINT32: ['DT_UINT32', 'uint32_val'], UINT64: ['DT_UINT64', 'uint64_val'], FP32: ['DT_FLOAT', 'float_val'], FP64: ['DT_DOUBLE', 'double_val'], BYTES: ['DT_STRING', 'string_val']};

/** A text as one word of a POSIX shell. */
const quote = text => "'" + text.replaceAll("'", "'\\''") + "'";
// A surrogate or control character is an escape in JSON, and Python reads JSON's escapes.
const python = text => JSON.stringify(text);
const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const url = path => new URL(path, root).href;

function curl(request) {
  const parts = ['curl', request.stream ? '-sN' : '-s', "-H 'Content-Type: application/json'"];
  if (hasToken()) parts.push('-H "Authorization: Bearer $TOKEN"');
  parts.push('-d ' + quote(JSON.stringify(request.body)), quote(url(request.path)));
  return parts.join(' ');
}

function requests(request) {
  const lines = ['import json, os, requests', '', `body = json.loads(${python(JSON.stringify(request.body))})`];
  const headers = hasToken() ? ', headers={"Authorization": "Bearer " + os.environ["TOKEN"]}' : '';
  const stream = request.stream ? ', stream=True' : '';
  lines.push(`answer = requests.post(${python(url(request.path))}, json=body${headers}${stream})`);
  lines.push(...(request.stream ? ['for line in answer.iter_lines():', '    print(line.decode())'] : ['print(answer.json())']));
  return lines.join('\n');
}

/** OpenAI's own client takes what it has no argument for as extra_body, and sends that beside the rest. */
function openai(request) {
  const base = url('openai/v1');
  const lines = [hasToken() ? 'import json, os' : 'import json', 'from openai import OpenAI', '',
    `client = OpenAI(base_url=${python(base)}, api_key=${hasToken() ? 'os.environ["TOKEN"]' : '"none"'})`];
  if (request.path.endsWith('/embeddings')) {
    const input = python(JSON.stringify(request.body.input));
    return [...lines, `answer = client.embeddings.create(model=${python(request.body.model)}, input=json.loads(${input}))`,
      'for row in answer.data:', '    print(row.embedding)'].join('\n');
  }
  const {model, prompt, messages, stream, ...rest} = request.body;
  const asked = messages ? `messages=json.loads(${python(JSON.stringify(messages))})` : `prompt=${python(prompt)}`;
  lines.push(`answer = client.${messages ? 'chat.' : ''}completions.create(`,
    `    model=${python(model)}, ${asked}, stream=${stream ? 'True' : 'False'},`,
    `    extra_body=json.loads(${python(JSON.stringify(rest))}))`);
  const text = messages ? (stream ? 'choice.delta.content or ""' : 'choice.message.content') : 'choice.text';
  lines.push(...(stream
    ? ['for chunk in answer:', '    for choice in chunk.choices:', `        print(${text}, end="", flush=True)`]
    : ['for choice in answer.choices:', `    print(${text})`]));
  return lines.join('\n');
}

function triton(asked, inputs) {
  const lines = ['import json, os', 'import numpy as np', 'import tritonclient.http as triton', ''];
  const place = root.host + root.pathname.replace(/\/$/, '');
  lines.push(`client = triton.InferenceServerClient(${python(place)}${root.protocol === 'https:' ? ', ssl=True' : ''})`, 'inputs = []');
  for (const {name, type, shape, value} of inputs) {
    lines.push(`tensor = triton.InferInput(${python(name)}, [${shape}], "${type}")`);
    lines.push(`tensor.set_data_from_numpy(np.array(json.loads(${python(JSON.stringify(flatten(value)))}), dtype=np.${NUMPY[type]}).reshape([${shape}]))`);
    lines.push('inputs.append(tensor)');
  }
  const version = asked.version ? `, model_version="${asked.version}"` : '';
  const headers = hasToken() ? ', headers={"Authorization": "Bearer " + os.environ["TOKEN"]}' : '';
  const parameters = asked.parameters ? `, parameters=json.loads(${python(JSON.stringify(asked.parameters))})` : '';
  lines.push(`answer = client.infer(${python(asked.model)}, inputs${version}${headers}${parameters})`);
  lines.push('for output in answer.get_response()["outputs"]:', '    print(output["name"], answer.as_numpy(output["name"]))');
  return lines.join('\n');
}

/** Parameters as V2's messages have them; those of OpenAI that are lists or objects are texts of JSON. */
function grpcParameter(value) {
  switch (typeof value) {
    case 'boolean': return {bool_param: value};
    case 'number': return Number.isSafeInteger(value) ? {int64_param: value} : {double_param: value};
    default: return {string_param: typeof value === 'string' ? value : JSON.stringify(value)};
  }
}

function grpcMessage(kind, asked, inputs, body) {
  if (kind === 'grps') return ['grps.protos.v1.GrpsService/Predict', body];
  if (kind === 'v1') {
    const tensors = inputs.map(({name, type, shape, value}) => {
      const values = flatten(value);
      return [name, {dtype: TF[type][0], tensor_shape: {dim: shape.map(size => ({size}))},
        [TF[type][1]]: type === 'BYTES' ? values.map(base64) : values}];
    });
    const spec = {name: asked.model, ...(asked.version ? {version: asked.version} : {}),
      ...(asked.signature ? {signature_name: asked.signature} : {})};
    return ['tensorflow.serving.PredictionService/Predict', {model_spec: spec, inputs: Object.fromEntries(tensors)}];
  }
  const tensors = inputs.map(({name, type, shape, value}) => ({name, datatype: type, shape,
    contents: {[PROTO[type] + '_contents']: type === 'BYTES' ? flatten(value).map(base64) : flatten(value)}}));
  const parameters = Object.entries(asked.parameters || {}).map(([name, value]) => [name, grpcParameter(value)]);
  return ['inference.GRPCInferenceService/ModelInfer',
    {model_name: asked.model, ...(asked.version ? {model_version: asked.version} : {}),
      ...(parameters.length ? {parameters: Object.fromEntries(parameters)} : {}), inputs: tensors}];
}

/** gRPC has no prefix of paths: it reaches the server's own address. */
function grpcurl(protocol, asked, inputs, request) {
  const kind = protocol.id.split('-')[0];
  const types = kind === 'v1' ? TF : kind === 'grps' ? undefined : PROTO;
  const other = types && inputs.find(input => !types[input.type]);
  if (other) return `# ${other.type} is sent as raw bytes over gRPC, which is no line to type.`;
  let [method, message] = grpcMessage(kind, asked, inputs, request.body);
  if (protocol.id === 'grps-stream') method += 'Streaming';
  if (['generate_stream', 'grpc-stream'].includes(protocol.id)) method = 'inference.GRPCInferenceService/ModelStreamInfer';
  const plain = root.protocol === 'https:' ? '' : '-plaintext ';
  const header = hasToken() ? '-H "authorization: Bearer $TOKEN" ' : '';
  const port = root.port || (root.protocol === 'https:' ? '443' : '80');
  return `grpcurl ${plain}${header}-d ${quote(JSON.stringify(message))} ${root.hostname}:${port} ${method}`;
}

/** The lines for a request, by what they are called. */
export function snippets(protocol, asked, inputs, request) {
  if (request.grpc) return [['grpcurl', grpcurl(protocol, asked, inputs, request)]];
  const lines = [['curl', curl(request)]];
  if (protocol.of) {
    const client = protocol.id === 'rerank' ? [] : [['Python, openai', openai(request)]];
    return [...lines, ...client, ['Python, requests', requests(request)]];
  }
  if (protocol.id === 'v2' && inputs.every(input => NUMPY[input.type])) {
    lines.push(['Python, tritonclient', triton(asked, inputs)]);
  }
  lines.push(['Python, requests', requests(request)], ['grpcurl', grpcurl(protocol, asked, inputs, request)]);
  return lines;
}
