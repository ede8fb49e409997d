"""Loads and unloads models by Triton's own Python client, as its example programs do, and fails if an answer is wrong.

    pip install tritonclient[all]
    python triton_control.py HOST:HTTP_PORT HOST:GRPC_PORT

The server is one of `sluice tritonserver`, of src/test/models/triton, with --model-control-mode=explicit and --load-model=simple.
"""
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

NAMES = {"simple", "simple_int8", "simple_string"}


def refused(text, call):
    try:
        call()
    except InferenceServerException as e:
        assert text in e.message(), f"wanted '{text}' in: {e}"
        return
    raise AssertionError(f"was not refused: {text}")


def infer(api, client, model, rows=1):
    row = np.tile(np.arange(16, dtype=np.int32), (rows, 1))
    made = [api.InferInput(name, [rows, 16], "INT32") for name in ("INPUT0", "INPUT1")]
    for tensor in made:
        tensor.set_data_from_numpy(row)
    return client.infer(model, made).as_numpy("OUTPUT0")


def control(api, client, index, server_name, largest_batch):
    """Ends with one model, as it began."""
    assert {model[0] for model in index()} == NAMES and server_name() == "triton"
    assert [model for model, state in index() if state == "READY"] == ["simple"], index()
    client.load_model("simple")
    assert client.is_model_ready("simple")
    refused("failed to load", lambda: client.load_model("simple", config='"parameters": {"config": {{"max_batch_size": "16"}}}'))
    client.load_model("simple", config='{"max_batch_size":"16"}')
    assert largest_batch() == 16
    assert infer(api, client, "simple", rows=16).shape == (16, 16)
    client.unload_model("simple")
    assert not client.is_model_ready("simple")
    refused("failed to load", lambda: client.load_model("wrong_model_name"))
    client.load_model("simple_int8")
    assert [model for model, state in index() if state == "READY"] == ["simple_int8"], index()
    client.unload_model("simple_int8")
    client.load_model("simple")
    assert largest_batch() == 8
    assert infer(api, client, "simple").tolist() == [[2 * i for i in range(16)]]


with http.InferenceServerClient(sys.argv[1]) as over_http:
    control(http, over_http, lambda: [(model["name"], model.get("state")) for model in over_http.get_model_repository_index()],
            lambda: over_http.get_server_metadata()["name"], lambda: over_http.get_model_config("simple")["max_batch_size"])
with grpc.InferenceServerClient(sys.argv[2]) as over_grpc:
    control(grpc, over_grpc, lambda: [(model.name, model.state) for model in over_grpc.get_model_repository_index().models],
            lambda: over_grpc.get_server_metadata().name, lambda: over_grpc.get_model_config("simple").config.max_batch_size)
print("triton control: all as expected")
