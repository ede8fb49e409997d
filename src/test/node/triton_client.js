// Asks a running server by stubs that gRPC for Node makes of our files, and fails if an answer is wrong.
//
//     npm install @grpc/grpc-js @grpc/proto-loader
//     node triton_client.js src/main/proto HOST:PORT
//
// The server has the models of src/test/models/oip and src/test/models/triton, and the sample "writer".
const assert = require('assert')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')
const { promisify } = require('util')

const [protos, address] = process.argv.slice(2)
const definition = loader.loadSync('oip/service.proto', {
  includeDirs: [protos], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true,
})
const { GRPCInferenceService } = grpc.loadPackageDefinition(definition).inference
const client = new GRPCInferenceService(address, grpc.credentials.createInsecure())
const call = name => promisify(client[name]).bind(client)

const A = Array.from({ length: 16 }, (_, i) => i)
const ONE = Array(16).fill(1)

function int32(values) {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeInt32LE(value, 4 * i))
  return bytes
}

function numbers(bytes) {
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32LE(4 * i))
}

function request(model, contents) {
  const input = (name, values) =>
    ({ name, datatype: 'INT32', shape: [1, 16], ...(contents ? { contents: { int_contents: values } } : {}) })
  return {
    model_name: model, inputs: [input('INPUT0', A), input('INPUT1', ONE)], outputs: [{ name: 'OUTPUT0' }, { name: 'OUTPUT1' }],
    ...(contents ? {} : { raw_input_contents: [int32(A), int32(ONE)] }),
  }
}

function checkSum(answer) {
  const [sum, difference] = answer.raw_output_contents.map(numbers)
  assert.deepStrictEqual(sum, A.map(a => a + 1))
  assert.deepStrictEqual(difference, A.map(a => a - 1))
}

/** Sends the requests on one stream; what comes back. */
function stream(requests) {
  return new Promise((done, failed) => {
    const messages = []
    const call = client.modelStreamInfer()
    call.on('data', message => messages.push(message))
    call.on('error', failed)
    call.on('end', () => done(messages))
    requests.forEach(each => call.write(each))
    call.end()
  })
}

async function failure(promise) {
  try {
    await promise
  } catch (e) {
    return e
  }
  return assert.fail('a wrong request was answered')
}

async function main() {
  assert((await call('serverLive')({})).live)
  assert((await call('serverReady')({})).ready)
  assert((await call('modelReady')({ name: 'simple' })).ready)
  const metadata = await call('modelMetadata')({ name: 'simple' })
  assert.deepStrictEqual(metadata.inputs.map(input => input.shape), [['-1', '16'], ['-1', '16']])
  assert.strictEqual((await call('modelConfig')({ name: 'simple' })).config.platform, 'onnxruntime_onnx')

  checkSum(await call('modelInfer')(request('simple', true)))
  checkSum(await call('modelInfer')(request('simple', false)))
  await Promise.all(A.map(async () => checkSum(await call('modelInfer')(request('addsub', false)))))

  const unknown = await failure(call('modelInfer')(request('nope', true)))
  assert.strictEqual(unknown.code, grpc.status.NOT_FOUND)
  const late = await failure(new Promise((done, failed) => client.modelInfer(
    { model_name: 'slow', inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 1], contents: { fp32_contents: [1] } }] },
    { deadline: Date.now() + 20 }, (error, answer) => error ? failed(error) : done(answer))))
  assert.strictEqual(late.code, grpc.status.DEADLINE_EXCEEDED)

  const answers = await stream([request('simple', false), request('nope', false), request('addsub', true)])
  assert.strictEqual(answers.length, 3)
  assert.strictEqual(answers.filter(each => each.error_message.includes('nope')).length, 1)
  answers.filter(each => !each.error_message).forEach(each => checkSum(each.infer_response))

  const letters = await stream([{
    model_name: 'writer', parameters: { steps: { int64_param: 5 }, temperature: { double_param: 0 } },
    inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], contents: { bytes_contents: [Buffer.from('My dear ')] } }],
  }])
  assert.deepStrictEqual(letters.map(each => each.error_message), Array(letters.length).fill(''))
  assert(letters.length >= 5, `${letters.length} letters`)
  client.close()
  console.log('node: all as expected')
}

main().catch(e => {
  console.error(e)
  process.exit(1)
})
