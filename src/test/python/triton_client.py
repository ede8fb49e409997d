"""Asks a running server by Triton's own Python client, and fails with a text if an answer is wrong.

    pip install tritonclient[all]
    python triton_client.py HOST:HTTP_PORT HOST:GRPC_PORT

The server has the models of src/test/models/oip and src/test/models/triton, and the sample "writer".
"""
import asyncio
import queue
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.grpc.aio as grpc_aio
import tritonclient.http as http
import tritonclient.http.aio as http_aio
from tritonclient.grpc import service_pb2, service_pb2_grpc
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

    result = client.infer("addsub", inputs(api), headers={"x-test": "1"}, request_id="named")
    check_sum(result)
    made = inputs(api)
    for _ in range(3):
        check_sum(client.infer("addsub", made, outputs=[api.InferRequestedOutput("OUTPUT0"), api.InferRequestedOutput("OUTPUT1")]))
    narrow = inputs(api, "INT8", A.astype(np.int8), ONE.astype(np.int8))
    check_sum(client.infer("simple_int8", narrow))

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


def slow(api):
    return one(api, "INPUT0", "FP32", [1, 1], np.float32(1))


def impatient(address):
    return http.InferenceServerClient(address, network_timeout=0.05)


def over_http(address):
    with http.InferenceServerClient(address) as client:
        both(http, client)
        whole(http, client)
        check_sum(client.infer("addsub", inputs(http, binary_data=False)))
        wanted = [http.InferRequestedOutput("OUTPUT0", binary_data=False), http.InferRequestedOutput("OUTPUT1")]
        check_sum(client.infer("addsub", inputs(http), outputs=wanted))
        for sent in ("gzip", "deflate", None):
            for got in ("gzip", "deflate", None):
                check_sum(client.infer("addsub", inputs(http), request_compression_algorithm=sent,
                                       response_compression_algorithm=got))
        check_sum(client.async_infer("addsub", inputs(http)).get_result())
        check_sum(client.infer("addsub", inputs(http), query_params={"a": 1}))
        assert client.infer("addsub", inputs(http), request_id="named").get_response()["id"] == "named"
        body, header_length = client.generate_request_body(inputs(http))
        assert body and header_length
        try:
            impatient(address).infer("slow", slow(http))
            raise AssertionError("a late answer was waited for")
        except TimeoutError:
            pass
        metadata = client.get_server_metadata(query_params={"a": 1})
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
        for level in "TIMESTAMPS", "OFF":
            assert client.update_trace_settings(settings={"trace_level": [level]})["trace_level"] == [level]
        refused("can not be updated", lambda: client.update_trace_settings(settings={"trace_file": "/tmp/x"}))


def over_grpc(address):
    keepalive = grpc.KeepAliveOptions(keepalive_time_ms=10_000, keepalive_timeout_ms=5_000, keepalive_permit_without_calls=True)
    with grpc.InferenceServerClient(address, keepalive_options=keepalive) as client:
        check_sum(client.infer("simple", inputs(grpc)))
    with grpc.InferenceServerClient(address, channel_args=[("grpc.lb_policy_name", "pick_first")]) as client:
        check_sum(client.infer("simple", inputs(grpc)))
    with grpc.InferenceServerClient(address) as client:
        both(grpc, client)
        whole(grpc, client)
        streams(client)
        decoupled(client)
        given_up(client)
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
        for level in "TIMESTAMPS", "OFF":
            changed = client.update_trace_settings(settings={"trace_level": [level]}).settings
            assert list(changed["trace_level"].value) == [level]
        refused("can not be updated", lambda: client.update_trace_settings(settings={"trace_file": "/tmp/x"}))


def explicit(address):
    """Typed contents by the bare stubs."""
    import grpc as plain
    with plain.insecure_channel(address) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        for model, datatype, field, values in (
                ("simple", "INT32", "int_contents", range(16)), ("simple_int8", "INT8", "int_contents", range(16)),
                ("simple_string", "BYTES", "bytes_contents", [str(i).encode() for i in range(16)])):
            request = service_pb2.ModelInferRequest(model_name=model, id="q")
            for name in ("INPUT0", "INPUT1"):
                tensor = request.inputs.add(name=name, datatype=datatype, shape=[1, 16])
                getattr(tensor.contents, field).extend(values)
            answer = stub.ModelInfer(request)
            assert answer.id == "q" and len(answer.raw_output_contents) == 2, answer


def results(client, send, enough):
    """What a stream answers to what is sent, in order, until that is enough."""
    answers, got = queue.Queue(), []
    client.start_stream(lambda result, error: answers.put(error or result))
    try:
        send()
        while not enough(got):
            got.append(answers.get(timeout=60))
        return got
    finally:
        client.stop_stream()


def count(wanted):
    return lambda got: len(got) == wanted


def is_final(answer):
    return answer.get_response().parameters["triton_final_response"].bool_param


def streams(client):
    for answer in results(client, lambda: [client.async_stream_infer("addsub", inputs(grpc)) for _ in range(8)], count(8)):
        check_sum(answer)

    def sequences():
        for step in range(1, 5):
            for name in (2001, 2002):
                client.async_stream_infer("seq", one(grpc, "INPUT", "INT32", [1, 1], np.int32(step * (name - 2000))),
                                          request_id=f"{name}", sequence_id=name, sequence_start=step == 1, sequence_end=step == 4)
    sums = {"2001": [], "2002": []}
    for answer in results(client, sequences, count(8)):
        sums[answer.get_response().id].append(int(answer.as_numpy("OUTPUT")[0][0]))
    assert sums == {"2001": [1, 3, 6, 10], "2002": [2, 6, 12, 20]}, sums
    wrong, right = results(client, lambda: [client.async_stream_infer("nope", inputs(grpc)),
                                            client.async_stream_infer("addsub", inputs(grpc))], count(2))
    assert "unknown model" in str(wrong)
    check_sum(right)


def decoupled(client):
    """A request that is answered by many messages, the last of which says so."""
    def send():
        client.async_stream_infer("writer", one(grpc, "text", "BYTES", [1], np.array([b"My dear "], dtype=object)),
                                  parameters={"steps": 5, "temperature": 0.0}, enable_empty_final_response=True)
    answers = results(client, send, lambda got: got and is_final(got[-1]))
    letters = [answer.as_numpy("text") for answer in answers if answer.get_response().outputs]
    assert len(letters) == 5 and all(len(letter[0]) == 1 for letter in letters), letters


def whole(api, client):
    """A text that is generated, in one answer."""
    given = one(api, "text", "BYTES", [1], np.array([b"My dear Mr. "], dtype=object))
    answer = client.infer("writer", given, parameters={"max_tokens": 8, "temperature": 0.0})
    assert answer.as_numpy("text").tolist() == [b"Woodhous"] and answer.as_numpy("finish_reason").tolist() == [b"length"], answer.get_response()
    refused("temperature", lambda: client.infer("writer", given, parameters={"temperature": -1.0}))


def given_up(client):
    refused("Deadline Exceeded", lambda: client.infer("slow", slow(grpc), client_timeout=0.05))
    ended = queue.Queue()
    call = client.async_infer("slow", slow(grpc), lambda result, error: ended.put(error))
    call.cancel()
    assert "CANCELLED" in str(ended.get(timeout=30)).upper()
    client.start_stream(lambda result, error: ended.put(error or result))
    client.async_stream_infer("writer", one(grpc, "text", "BYTES", [1], np.array([b"My "], dtype=object)))
    assert ended.get(timeout=30)
    client.stop_stream(cancel_requests=True)


async def both_without_waiting(http_address, grpc_address):
    async with http_aio.InferenceServerClient(http_address) as client:
        assert await client.is_server_ready()
        for result in await asyncio.gather(*[client.infer("addsub", inputs(http_aio)) for _ in range(32)]):
            check_sum(result)
    async with grpc_aio.InferenceServerClient(grpc_address) as client:
        assert await client.is_server_ready()
        for result in await asyncio.gather(*[client.infer("addsub", inputs(grpc_aio)) for _ in range(32)]):
            check_sum(result)

        async def requests():
            for step in range(1, 4):
                yield {"model_name": "seq", "inputs": one(grpc_aio, "INPUT", "INT32", [1, 1], np.int32(step)), "sequence_id": 3001,
                       "sequence_start": step == 1, "sequence_end": step == 3}
        sums = []
        async for result, error in client.stream_infer(requests()):
            assert error is None, error
            sums.append(int(result.as_numpy("OUTPUT")[0][0]))
        assert sums == [1, 3, 6], sums


over_http(sys.argv[1])
over_grpc(sys.argv[2])
explicit(sys.argv[2])
asyncio.run(both_without_waiting(sys.argv[1], sys.argv[2]))
print("all answers are right")
