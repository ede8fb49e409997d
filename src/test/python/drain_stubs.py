"""The messages of drain_clients.py, by stubs that drain.py has made of the project's own .proto files."""
import struct

from grps import grps_pb2
from oip import service_pb2
from tfs import predict_pb2, tensor_pb2

SUM = [i + 1 for i in range(16)]


def tfs_request():
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "half_plus_two"
    tensor = request.inputs["x"]
    tensor.dtype = tensor_pb2.DT_FLOAT
    tensor.tensor_shape.dim.add().size = 2
    tensor.float_val.extend([1, 3])
    return request


def is_tfs_answer(message):
    tensor = predict_pb2.PredictResponse.FromString(message).outputs["y"]
    return list(tensor.float_val) == [2.5, 3.5] or struct.unpack("<2f", tensor.tensor_content) == (2.5, 3.5)


def addsub_request():
    request = service_pb2.ModelInferRequest(model_name="addsub")
    for name, data in (("INPUT0", range(16)), ("INPUT1", [1] * 16)):
        tensor = request.inputs.add(name=name, datatype="INT32", shape=[1, 16])
        tensor.contents.int_contents.extend(data)
    return request


def is_addsub(answer):
    return struct.unpack("<16i", answer.raw_output_contents[0]) == tuple(SUM)


def is_addsub_answer(message):
    return is_addsub(service_pb2.ModelInferResponse.FromString(message))


def is_addsub_stream_answer(message):
    answer = service_pb2.ModelStreamInferResponse.FromString(message)
    return not answer.error_message and is_addsub(answer.infer_response)


def grps_request():
    request = grps_pb2.GrpsMessage(model="half_plus_two-2")
    tensor = request.gtensors.tensors.add(name="x", dtype=grps_pb2.DT_FLOAT32, shape=[2])
    tensor.flat_float32.extend([1, 2])
    return request


def is_grps_answer(message):
    answer = grps_pb2.GrpsMessage.FromString(message)
    return answer.status.code == 200 and list(answer.gtensors.tensors[0].flat_float32) == [2.5, 3.0]


def grps_stream_request(text):
    return grps_pb2.GrpsMessage(model="writer", str_data=text)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number, value):
    """A field of a protobuf message: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message):
    """The fields of a protobuf message: by number the last one's value."""
    got, at = {}, 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = number()
        value = number()
        if tag & 7 == 2:
            at, value = at + value, message[at:at + value]
        got[tag >> 3] = value
    return got


def brpc_frame(number):
    """A call of Predict with a correlation id."""
    body = grps_request().SerializeToString()
    request = field(1, b"grps.protos.v1.GrpsBrpcService") + field(2, b"Predict")
    meta = field(1, request) + field(4, number)
    return b"PRPC" + struct.pack(">II", len(meta) + len(body), len(meta)) + meta + body


def brpc_answer(head, rest):
    """error code, correlation id, whether the answer is the right one, error text"""
    size = struct.unpack(">I", head[8:12])[0]
    meta = fields(rest[:size])
    response = fields(meta.get(2, b""))
    error = response.get(1, 0)
    return error, meta.get(4, 0), error == 0 and is_grps_answer(rest[size:]), response.get(2, b"").decode()
