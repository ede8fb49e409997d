"""Asks a running server by Triton's own Python client, and fails with a text if an answer is wrong.

    pip install tritonclient[all]
    python triton_client.py HOST:HTTP_PORT HOST:GRPC_PORT

The server has the models of src/test/models/oip and src/test/models/triton.
"""
import asyncio
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.grpc.aio as grpc_aio
import tritonclient.http as http
import tritonclient.http.aio as http_aio
from tritonclient.utils import InferenceServerException

A = np.arange(16, dtype=np.int32).reshape(1, 16)
ONE = np.ones((1, 16), np.int32)


def inputs(api, datatype="INT32", left=A, right=ONE, **how):
    made = []
    for name, value in (("INPUT0", left), ("INPUT1", right)):
        tensor = api.InferInput(name, list(value.shape), datatype)
        tensor.set_data_from_numpy(value, **how)
        made.append(tensor)
    return made


def check_sum(result):
    assert (result.as_numpy("OUTPUT0") == A + ONE).all(), result.as_numpy("OUTPUT0")
    assert (result.as_numpy("OUTPUT1") == A - ONE).all(), result.as_numpy("OUTPUT1")


def refused(text, call):
    try:
        call()
    except InferenceServerException as e:
        assert text in str(e), f"wanted '{text}' in: {e}"
        return
    raise AssertionError(f"was not refused: {text}")


def one(api, model_input, datatype, shape, value):
    tensor = api.InferInput(model_input, shape, datatype)
    tensor.set_data_from_numpy(np.array(value).reshape(shape))
    return [tensor]


def both(api, client):
    """What HTTP and gRPC have in common."""
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("simple") and client.is_model_ready("two", "3")
    check_sum(client.infer("simple", inputs(api)))
    check_sum(client.infer("addsub", inputs(api), priority=1, timeout=30_000_000, parameters={"x": "y"}))
    assert client.infer("addsub", inputs(api), request_id="q").get_response()

    text = [np.array([str(i) for i in value.flatten()], dtype=object).reshape(1, 16) for value in (A, ONE)]
    result = client.infer("simple_string", inputs(api, "BYTES", *text))
    assert result.as_numpy("OUTPUT0").flatten()[3] == b"4", result.as_numpy("OUTPUT0")

    scores = np.array([0.5, 3.25, 1], np.float32)
    scores = np.concatenate([scores, np.zeros(7, np.float32)])
    asked = [api.InferRequestedOutput("OUTPUT0", class_count=2)]
    result = client.infer("cls", one(api, "INPUT0", "FP32", [1, 10], scores), outputs=asked)
    classes = [c.decode() for c in result.as_numpy("OUTPUT0").flatten()]
    assert classes == ["3.250000:1:l1", "1.000000:2:l2"], classes

    for name in (1001, "a-text"):
        total = 0
        for step in range(1, 5):
            total += step
            answer = client.infer("seq", one(api, "INPUT", "INT32", [1, 1], np.int32(step)), sequence_id=name,
                                  sequence_start=step == 1, sequence_end=step == 4)
            assert answer.as_numpy("OUTPUT")[0][0] == total, answer.as_numpy("OUTPUT")
    refused("must specify the START flag",
            lambda: client.infer("seq", one(api, "INPUT", "INT32", [1, 1], np.int32(1)), sequence_id=42))
    refused("Request for unknown model: 'nope' is not found", lambda: client.infer("nope", inputs(api)))
    refused("expected 2 inputs but got 1 inputs", lambda: client.infer("addsub", inputs(api)[:1]))
    refused("expects 'INT32'", lambda: client.infer("addsub", inputs(api, "FP32", A.astype(np.float32), ONE.astype(np.float32))))


def over_http(address):
    with http.InferenceServerClient(address) as client:
        both(http, client)
        check_sum(client.infer("addsub", inputs(http, binary_data=False)))
        wanted = [http.InferRequestedOutput("OUTPUT0", binary_data=False), http.InferRequestedOutput("OUTPUT1")]
        check_sum(client.infer("addsub", inputs(http), outputs=wanted))
        for sent in ("gzip", "deflate", None):
            for got in ("gzip", "deflate", None):
                check_sum(client.infer("addsub", inputs(http), request_compression_algorithm=sent,
                                       response_compression_algorithm=got))
        check_sum(client.async_infer("addsub", inputs(http)).get_result())
        metadata = client.get_server_metadata()
        assert {"classification", "sequence", "logging"} <= set(metadata["extensions"]), metadata
        assert client.get_model_metadata("addsub")["inputs"][0]["shape"] == [-1, 16]
        assert client.get_model_config("addsub")["max_batch_size"] == 8
        assert any(model["name"] == "two" for model in client.get_model_repository_index())
        assert client.get_log_settings()["log_error"] is True
        assert client.update_log_settings({"log_info": False})["log_info"] is False
        assert client.update_log_settings({"log_info": True})["log_info"] is True
        refused("log file location can not be updated", lambda: client.update_log_settings({"log_file": "/tmp/x"}))
        assert client.get_trace_settings()["trace_level"] == ["OFF"]
        assert client.get_trace_settings("addsub")["trace_rate"] == "1000"
        refused("can not be changed", lambda: client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]}))


def over_grpc(address):
    with grpc.InferenceServerClient(address) as client:
        both(grpc, client)
        for coding in ("gzip", "deflate", None):
            check_sum(client.infer("addsub", inputs(grpc), compression_algorithm=coding))
        assert "sequence" in client.get_server_metadata().extensions
        assert list(client.get_model_metadata("addsub").inputs[0].shape) == [-1, 16]
        assert client.get_model_config("addsub").config.max_batch_size == 8
        assert any(model.name == "two" for model in client.get_model_repository_index().models)
        assert client.get_log_settings().settings["log_error"].bool_param
        assert not client.update_log_settings({"log_info": False}).settings["log_info"].bool_param
        assert client.update_log_settings({"log_info": True}).settings["log_info"].bool_param
        assert list(client.get_trace_settings().settings["trace_level"].value) == ["OFF"]
        refused("can not be changed", lambda: client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]}))


async def both_without_waiting(http_address, grpc_address):
    async with http_aio.InferenceServerClient(http_address) as client:
        assert await client.is_server_ready()
        for result in await asyncio.gather(*[client.infer("addsub", inputs(http_aio)) for _ in range(32)]):
            check_sum(result)
    async with grpc_aio.InferenceServerClient(grpc_address) as client:
        assert await client.is_server_ready()
        for result in await asyncio.gather(*[client.infer("addsub", inputs(grpc_aio)) for _ in range(32)]):
            check_sum(result)


over_http(sys.argv[1])
over_grpc(sys.argv[2])
asyncio.run(both_without_waiting(sys.argv[1], sys.argv[2]))
print("all answers are right")
