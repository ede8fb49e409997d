"""Asks a running server by the client of OpenAI, and fails with a text if an answer is wrong.

    pip install openai
    python openai_client.py HOST:PORT

The server has the sample model writer, and vectors of src/test/models/encoders.
"""
import math
import sys

import openai

ASKED = {"model": "writer", "prompt": "My dear Mr. ", "temperature": 0, "max_tokens": 20}


def refused(client, kind, parameter, **other):
    try:
        list(client.completions.create(**ASKED | other))
    except openai.APIStatusError as e:
        assert type(e) is kind and e.param == parameter, (other, e, e.param)
    else:
        raise AssertionError(f"{other} was answered")


def ask(client):
    whole = client.completions.create(**ASKED)
    said = whole.choices[0]
    assert said.text and said.finish_reason == "length" and whole.usage.completion_tokens == 20, whole
    chunks = list(client.completions.create(**ASKED, stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].text for chunk in chunks[:-1]) == said.text, chunks
    assert chunks[-2].choices[0].finish_reason == "length" and chunks[-1].usage == whole.usage, chunks[-2:]
    stopped = client.completions.create(**ASKED, stop=[said.text[4:8]]).choices[0]
    assert stopped.text == said.text[:4] and stopped.finish_reason == "stop", stopped
    several = client.completions.create(**ASKED | {"n": 3, "temperature": 1, "seed": 7}, logprobs=2)
    assert [choice.index for choice in several.choices] == [0, 1, 2], several
    assert len({choice.text for choice in several.choices}) == 3 and several.usage.completion_tokens == 60, several
    for choice in several.choices:
        assert "".join(choice.logprobs.tokens) == choice.text and max(choice.logprobs.token_logprobs) <= 0, choice
        assert all(len(top) in (2, 3) for top in choice.logprobs.top_logprobs), choice
    texts = ["", "", ""]
    for chunk in client.completions.create(**ASKED | {"n": 3, "temperature": 1, "seed": 7}, stream=True):
        texts[chunk.choices[0].index] += chunk.choices[0].text
    assert texts == [choice.text for choice in several.choices], texts
    refused(client, openai.BadRequestError, "n", n=33)
    refused(client, openai.BadRequestError, "temperature", temperature=-1)
    refused(client, openai.BadRequestError, "temperature", temperature=-1, stream=True)
    refused(client, openai.NotFoundError, None, model="nobody")


def embed(client):
    said = ["One", "A longer text", "3"]
    answer = client.embeddings.create(model="vectors", input=said)
    vectors = [row.embedding for row in answer.data]
    assert [row.index for row in answer.data] == [0, 1, 2] and answer.usage.prompt_tokens > 3, answer
    assert all(abs(math.hypot(*vector) - 1) < 1e-5 for vector in vectors), answer
    for row, text in enumerate(said):
        alone = client.embeddings.create(model="vectors", input=text, encoding_format="float").data[0].embedding
        assert all(abs(one - other) < 1e-6 for one, other in zip(alone, vectors[row], strict=True)), (text, alone, vectors[row])
    short = client.embeddings.create(model="vectors", input="One", dimensions=2).data[0].embedding
    assert len(short) == 2 and abs(math.hypot(*short) - 1) < 1e-5, short
    for model, parameter in (("writer", "model"), ("vectors", "dimensions")):
        try:
            client.embeddings.create(model=model, input="One", dimensions=5)
        except openai.BadRequestError as e:
            assert e.param == parameter, e
        else:
            raise AssertionError(f"{model} was answered")


for path in ("/v1", "/openai/v1"):
    embed(openai.OpenAI(base_url=f"http://{sys.argv[1]}{path}", api_key="none", max_retries=0))
    ask(openai.OpenAI(base_url=f"http://{sys.argv[1]}{path}", api_key="none", max_retries=0))
models = openai.OpenAI(base_url=f"http://{sys.argv[1]}/openai/v1", api_key="none").models
assert "writer" in [model.id for model in models.list()] and models.retrieve("writer").id == "writer"
print("openai for Python: all as expected")
