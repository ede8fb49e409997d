"""Has one asyncio client ask a server with default settings thousands of times at once, on four models and every protocol.

    python3 burst.py HOST:PORT FOLDER [CALLS]

FOLDER is that of the server's model "millis", which takes some milliseconds; it is put there. A call that is refused, or answered
with anything but what the model computes, is a failure. Over HTTP/1.1 each burst runs twice: through the client's usual pool, and with
a connection for each call.
"""
import asyncio
import collections
import contextlib
import json
import os
import resource
import shutil
import struct
import sys
import time
from pathlib import Path

import aiohttp
import grpc

TEST = Path(__file__).resolve().parents[1]
PATIENCE = 120  # seconds for a burst; one of the slower model takes 15
ADDRESS, FOLDER, CALLS = sys.argv[1], Path(sys.argv[2]), int((sys.argv[3:] or ["5000"])[0])
HOST, PORT = ADDRESS.rsplit(":", 1)


# Protocol buffers by hand: the client needs no generated files.

def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


FLOAT, INT32 = ("FP32", "fp32", "f"), ("INT32", "int32", "i")


class Model:
    """One model, what it is asked, and what its answers must contain."""

    def __init__(self, name, inputs, kind, shape, values, output, first):
        self.name, self.inputs, self.kind, self.shape, self.values = name, inputs, kind, shape, values
        self.output, self.first = output, first

    def raw(self):
        return struct.pack(f"<{len(self.values)}{self.kind[2]}", *self.values)

    def expected(self):
        return struct.pack(f"<{self.kind[2]}", self.first)

    def nested(self):
        return self.values if len(self.shape) == 1 else [self.values]

    def v1(self):
        return json.dumps({"inputs": {name: self.nested() for name in self.inputs}}).encode()

    def v2(self):
        return json.dumps({"inputs": [
            {"name": name, "datatype": self.kind[0], "shape": self.shape, "data": self.values} for name in self.inputs]}).encode()

    def grps_json(self):
        dtype, flat = ("DT_FLOAT32", "flat_float32") if self.kind is FLOAT else ("DT_INT32", "flat_int32")
        return json.dumps({"model": self.name, "gtensors": {"tensors": [
            {"name": name, "dtype": dtype, "shape": self.shape, flat: self.values} for name in self.inputs]}}).encode()

    def oip(self):
        tensors = b"".join(field(5, field(1, name) + field(2, self.kind[0]) + field(3, b"".join(map(varint, self.shape))))
                           for name in self.inputs)
        return field(1, self.name) + tensors + b"".join(field(7, self.raw()) for _ in self.inputs)

    def tfs(self):
        shape = b"".join(field(2, field(1, size)) for size in self.shape)
        tensor = field(1, 1 if self.kind is FLOAT else 3) + field(2, shape) + field(4, self.raw())
        return field(1, field(1, self.name)) + b"".join(field(2, field(1, name) + field(2, tensor)) for name in self.inputs)

    def grps(self):
        values = field(10, self.raw()) if self.kind is FLOAT else field(7, b"".join(map(varint, self.values)))
        tensors = b"".join(field(1, field(1, name) + field(2, 7 if self.kind is FLOAT else 4)
                                 + field(3, b"".join(map(varint, self.shape))) + values) for name in self.inputs)
        return field(2, self.name) + field(5, tensors)


MODELS = [
    Model("half_plus_two", ["x"], FLOAT, [1], [4.0], "y", 4.0),
    Model("addsub", ["INPUT0", "INPUT1"], INT32, [1, 16], [21] + [0] * 15, "OUTPUT0", 42),
    Model("digits", ["image"], FLOAT, [1, 64], [0.0] * 64, "probabilities", None),
    Model("millis", ["INPUT0"], FLOAT, [1, 2], [8.0, 9.0], "OUTPUT0", 8.0),
]


def is_right(model, answer):
    """Whether an answer in JSON has the first number of the output, or is at least one."""
    return answer.startswith(b"{") and b"error" not in answer and (model.first is None or f"{model.first:g}".encode() in answer)


async def by_http(model, path, body, connections):
    connector = aiohttp.TCPConnector(limit=connections) if connections else aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=PATIENCE)) as session:
        async def call():
            async with session.post(f"http://{ADDRESS}{path}", data=body, headers={"Content-Type": "application/json"}) as answer:
                text = await answer.read()
                return "right" if answer.status == 200 and is_right(model, text) else f"{answer.status} {text[:120]!r}"
        return await all_at_once(call)


async def by_grpc(model, method, body):
    async with grpc.aio.insecure_channel(ADDRESS) as channel:
        ask = channel.unary_unary(method, request_serializer=None, response_deserializer=None)

        async def call():
            answer = await ask(body)
            return "right" if model.first is None or model.expected() in answer or varint(int(model.first)) in answer else repr(answer[:120])
        return await all_at_once(call)


async def by_brpc(model, body):
    """A connection for each call, as brpc's short connections are."""
    meta = field(1, field(1, "grps.protos.v1.GrpsBrpcService") + field(2, "Predict")) + field(4, 1)
    frame = b"PRPC" + struct.pack(">II", len(meta) + len(body), len(meta)) + meta + body

    async def call():
        reader, writer = await asyncio.open_connection(HOST, int(PORT))
        with contextlib.closing(writer):
            writer.write(frame)
            head = await reader.readexactly(12)
            answer = await reader.readexactly(struct.unpack(">I", head[4:8])[0])
            return "right" if head[:4] == b"PRPC" and b"OK" in answer else repr(answer[:120])
    return await all_at_once(call)


async def all_at_once(call):
    async def guarded():
        try:
            return await call()
        except Exception as failure:
            return f"{type(failure).__name__}: {failure}"[:200]
    return collections.Counter(await asyncio.gather(*(guarded() for _ in range(CALLS))))


def bursts(model):
    doors = [(f"/v1/models/{model.name}:predict", model.v1()), (f"/v2/models/{model.name}/infer", model.v2()),
             ("/grps/v1/infer/predict", model.grps_json())]
    for path, body in doors:
        yield path, lambda path=path, body=body: by_http(model, path, body, 100)
        yield f"{path}, {CALLS} connections", lambda path=path, body=body: by_http(model, path, body, 0)
    for method, body in (("/tensorflow.serving.PredictionService/Predict", model.tfs()),
                         ("/inference.GRPCInferenceService/ModelInfer", model.oip()), ("/grps.protos.v1.GrpsService/Predict", model.grps())):
        yield method, lambda method=method, body=body: by_grpc(model, method, body)
    yield f"brpc, {CALLS} connections", lambda: by_brpc(model, model.grps())


def put_model_of_milliseconds():
    """The model "slow" with fewer rounds of its loop."""
    slow = (TEST / "models/oip/slow/1/model.onnx").read_bytes()
    rounds = struct.pack("<q", 34_000)
    assert slow.count(rounds) == 1
    version = FOLDER / "1"
    version.mkdir(parents=True, exist_ok=True)
    (version / "model.part").write_bytes(slow.replace(rounds, struct.pack("<q", 300)))
    (version / "model.part").rename(version / "model.onnx")


async def await_models():
    async with aiohttp.ClientSession() as session:
        for model in MODELS:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                async with session.get(f"http://{ADDRESS}/v2/models/{model.name}/ready") as answer:
                    if answer.status == 200:
                        break
                await asyncio.sleep(0.2)


async def main():
    await await_models()
    failed = 0
    for model in MODELS:
        for what, burst in bursts(model):
            began = time.monotonic()
            results = await asyncio.wait_for(burst(), PATIENCE)
            refused = CALLS - results["right"]
            failed += refused
            rest = {text: count for text, count in results.items() if text != "right"}
            print(f"{model.name:14} {what:62} {results['right']} answered in {time.monotonic() - began:4.1f} s"
                  + (f"; NOT {refused}: {rest}" if refused else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    put_model_of_milliseconds()
    try:
        sys.exit(asyncio.run(main()))
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
