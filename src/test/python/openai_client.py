"""Asks a running server by the client of OpenAI, and fails with a text if an answer is wrong.

    pip install openai
    python openai_client.py HOST:PORT

The server has the sample models writer and chat, and vectors of src/test/models/encoders.
"""
import json
import math
import sys

import openai

ASKED = {"model": "writer", "prompt": "My dear Mr. ", "temperature": 0, "max_tokens": 20}

SAID = {"model": "chat", "temperature": 0, "messages": [{"role": "user", "content": "What is the capital of France?"}]}


def refused(client, kind, parameter, **other):
    refused_by(client.completions, kind, parameter, ASKED | other)


def refused_by(resource, kind, parameter, asked):
    try:
        list(resource.create(**asked))
    except openai.APIStatusError as e:
        assert type(e) is kind and e.param == parameter, (asked, e, e.param)
    else:
        raise AssertionError(f"{asked} was answered")


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


def respond(client):
    responses = client.responses
    asked = {"model": "chat", "temperature": 0, "input": SAID["messages"][0]["content"]}
    whole = responses.create(**asked)
    assert "Paris" in whole.output_text and whole.status == "completed" and not whole.store, whole
    assert whole.usage.total_tokens == whole.usage.input_tokens + whole.usage.output_tokens, whole
    events = list(responses.create(**asked, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events))), events
    assert events[0].type == "response.created" and events[-1].type == "response.completed", events
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text, events
    assert events[-1].response.output_text == whole.output_text and events[-1].response.usage == whole.usage, events
    with responses.stream(**asked) as stream:
        assert stream.get_final_response().output_text == whole.output_text
    turns = [{"role": "user", "content": "Hi"}, *responses.create(**asked | {"input": "Hi"}).output, {"role": "user", "content": asked["input"]}]
    assert responses.create(**asked | {"input": turns}, instructions="Be brief.", metadata={"a": "b"}).metadata == {"a": "b"}
    cut = responses.create(**asked, max_output_tokens=2)
    assert cut.status == "incomplete" and cut.incomplete_details.reason == "max_output_tokens", cut
    schema = {"type": "object", "properties": {"yes": {"const": True}}, "required": ["yes"], "additionalProperties": False}
    form = {"format": {"type": "json_schema", "name": "yes", "schema": schema, "strict": True}}
    assert json.loads(responses.create(**asked, text=form).output_text) == {"yes": True}
    probable = responses.create(**asked, include=["message.output_text.logprobs"], top_logprobs=2).output[0].content[0]
    assert "".join(token.token for token in probable.logprobs).startswith(probable.text), probable
    tool = {"type": "function", "name": "now", "parameters": {"type": "object", "properties": {}}, "strict": None}
    call = [{"type": "function_call", "call_id": "a", "name": "now", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "noon"}]
    said = responses.create(**asked | {"input": [{"role": "user", "content": "Now?"}, *call]}, tools=[tool], max_output_tokens=3)
    forced = {"tools": [tool], "tool_choice": {"type": "function", "name": "now"}}
    [made] = responses.create(**asked, **forced).output
    assert made.type == "function_call" and made.name == "now" and isinstance(json.loads(made.arguments), dict), made
    with responses.stream(**asked, **forced) as stream:
        assert stream.get_final_response().output[0].arguments == made.arguments
    assert said.usage.output_tokens and said.tools[0].name == "now", said
    for parameter, other in {"input[0].role": {"input": [{"role": "robot", "content": "x"}]}, "input": {"input": []}, None: {"model": "writer"},
                             "previous_response_id": {"previous_response_id": "resp_1"}, "background": {"background": True}}.items():
        refused_by(responses, openai.BadRequestError, parameter, asked | other)


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


def talk(client):
    chat = client.chat.completions
    whole = chat.create(**SAID)
    said = whole.choices[0]
    assert said.message.role == "assistant" and "Paris" in said.message.content, whole
    assert said.finish_reason == "stop" and said.message.tool_calls is None, whole
    chunks = list(chat.create(**SAID, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant" and chunks[-1].usage == whole.usage, chunks
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == said.message.content, chunks
    assert chunks[-2].choices[0].finish_reason == "stop", chunks
    with chat.stream(**SAID) as stream:
        assert stream.get_final_completion().choices[0].message.content == said.message.content
    parts = [{"role": "user", "content": [{"type": "text", "text": SAID["messages"][0]["content"]}]}]
    assert chat.create(**SAID | {"messages": parts}).choices[0].message == said.message
    stopped = chat.create(**SAID, stop=" Paris").choices[0]
    assert stopped.message.content == "The capital of France is" and stopped.finish_reason == "stop", stopped
    several = chat.create(**SAID | {"temperature": 1, "seed": 3}, n=2, max_completion_tokens=4, logprobs=True, top_logprobs=2)
    assert several.usage.completion_tokens == 8 and [choice.index for choice in several.choices] == [0, 1], several
    for choice in several.choices:
        tokens = choice.logprobs.content
        assert b"".join(bytes(token.bytes) for token in tokens).decode() == choice.message.content, choice
        assert all(len(token.top_logprobs) == 2 and token.logprob <= 0 for token in tokens), choice
    tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
    call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    turns = SAID["messages"] + [{"role": "assistant", "content": None, "tool_calls": [call]},
                                {"role": "tool", "tool_call_id": "a", "content": "noon"}]
    assert chat.create(**SAID | {"messages": turns}, tools=[tool], max_tokens=3).usage.completion_tokens
    for parameter, other in {"messages[0].role": {"messages": [{"role": "robot", "content": "x"}]}, "tool_choice": {"tool_choice": "required"},
                             "messages": {"messages": []}, None: {"model": "writer"}}.items():
        refused_by(chat, openai.BadRequestError, parameter, SAID | other)


def call(client):
    chat = client.chat.completions
    parameters = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 12}, "unit": {"enum": ["C", "F"]}},
                  "required": ["city", "unit"], "additionalProperties": False}
    tools = [{"type": "function", "function": {"name": "weather", "parameters": parameters, "strict": True}},
             {"type": "function", "function": {"name": "now"}}]
    asked = SAID | {"tools": tools, "parallel_tool_calls": False}
    for choice in ("required", {"type": "function", "function": {"name": "weather"}}):
        said = chat.create(**asked, tool_choice=choice).choices[0]
        assert said.finish_reason == "tool_calls" and said.message.content is None, said
        [made] = said.message.tool_calls
        arguments = json.loads(made.function.arguments)
        if made.function.name == "weather":
            assert list(arguments) == ["city", "unit"] and arguments["unit"] in ("C", "F"), made
        else:
            assert choice == "required" and arguments == {}, made
        with chat.stream(**asked, tool_choice=choice) as stream:
            pieces = [event for event in stream if event.type == "tool_calls.function.arguments.delta"]
            final = stream.get_final_completion().choices[0]
        assert final.finish_reason == "tool_calls" and final.message.tool_calls[0].function.arguments == made.function.arguments, final
        assert "".join(piece.arguments_delta for piece in pieces) == made.function.arguments, pieces
        turns = SAID["messages"] + [said.message, {"role": "tool", "tool_call_id": made.id, "content": "It is warm."}]
        assert chat.create(**asked | {"messages": turns}, max_tokens=3).usage.completion_tokens, turns
    assert chat.create(**asked, tool_choice="none").choices[0].message.content == chat.create(**SAID).choices[0].message.content
    unknown = {"type": "function", "function": {"name": "other"}}
    refused_by(chat, openai.BadRequestError, "tool_choice", asked | {"tool_choice": unknown})
    wrong = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "string", "format": "date"}}}]
    refused_by(chat, openai.BadRequestError, "tools", asked | {"tools": wrong, "tool_choice": "required"})


for path in ("/v1", "/openai/v1"):
    client = openai.OpenAI(base_url=f"http://{sys.argv[1]}{path}", api_key="none", max_retries=0)
    respond(client)
    embed(client)
    ask(client)
    talk(client)
    call(client)
    assert "writer" in [model.id for model in client.models.list()] and client.models.retrieve("writer").id == "writer"
print("openai for Python: all as expected")
