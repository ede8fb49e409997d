"""Asks a running Sluice with KServe's own Python clients, and asserts the answers.

Usage: kserve_client.py HOST:PORT, of a server with the sample models (half_plus_two, addsub) and KServe's manners:

    sluice kserve --model_dir=src/sample/models
"""
import asyncio
import sys

import numpy as np
from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig


def rows():
    inputs = []
    for name in ("INPUT0", "INPUT1"):
        tensor = InferInput(name=name, shape=[1, 16], datatype="INT32")
        tensor.set_data_from_numpy(np.arange(16, dtype=np.int32).reshape(1, 16), binary_data=False)
        inputs.append(tensor)
    return inputs


def assert_sum(response):
    outputs = {output.name: output.as_numpy().reshape(-1).tolist() for output in response.outputs}
    assert outputs["OUTPUT0"] == [2 * i for i in range(16)], outputs
    assert outputs["OUTPUT1"] == [0] * 16, outputs


def text():
    given = InferInput(name="text", shape=[1], datatype="BYTES")
    given.set_data_from_numpy(np.array(["What is the capital of France?"], dtype=object), binary_data=False)
    return InferRequest(model_name="chat", infer_inputs=[given], parameters={"temperature": 0, "max_tokens": 16})


def assert_capital(response):
    outputs = {output.name: output.as_numpy().reshape(-1).tolist() for output in response.outputs}
    assert "Paris" in str(outputs["text"]) and "stop" in str(outputs["finish_reason"]), outputs


async def rest(url):
    v1 = InferenceRESTClient(RESTConfig(protocol="v1", retries=0, timeout=30))
    assert await v1.is_server_live(url)
    assert await v1.is_model_ready(url, "half_plus_two")
    answer = await v1.infer(url, {"instances": [1.0, 2.0]}, model_name="half_plus_two")
    assert answer == {"predictions": [2.5, 3.0]}, answer
    answer = await v1.explain(url, "half_plus_two", {"instances": [1.0]})
    assert answer["predictions"] == [2.5], answer
    assert answer["explanations"][0]["importance_scores"] == 0.5, answer
    asked = {"instances": ["What is the capital of France?"], "parameters": {"temperature": 0, "max_tokens": 3}}
    answer = await v1.infer(url, asked, model_name="chat")
    assert answer["predictions"][0]["finish_reason"] == "length", answer
    await v1.close()

    v2 = InferenceRESTClient(RESTConfig(protocol="v2", retries=0, timeout=30))
    assert await v2.is_server_live(url)
    assert await v2.is_server_ready(url)
    assert await v2.is_model_ready(url, "addsub")
    assert_sum(await v2.infer(url, InferRequest(model_name="addsub", infer_inputs=rows()), model_name="addsub"))
    assert_capital(await v2.infer(url, text(), model_name="chat"))
    await v2.close()


async def grpc(address):
    client = InferenceGRPCClient(address)
    assert await client.is_server_live()
    assert await client.is_server_ready()
    assert await client.is_model_ready("addsub")
    assert_sum(await client.infer(InferRequest(model_name="addsub", infer_inputs=rows())))
    assert_capital(await client.infer(text()))
    await client.close()


async def main(address):
    await rest("http://" + address)
    await grpc(address)
    print("kserve client: all as expected")


asyncio.run(main(sys.argv[1]))
