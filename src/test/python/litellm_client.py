"""Asks a running server by litellm, and fails with a text if an answer is wrong.

    python litellm_client.py HOST:PORT

The server has the sample model chat, and vectors and ranker of src/test/models/encoders.
"""
import math
import sys

import litellm

litellm.suppress_debug_info = True

SAID = {"model": "openai/chat", "temperature": 0, "messages": [{"role": "user", "content": "What is the capital of France?"}]}


def talk(where):
    whole = litellm.completion(**SAID, **where)
    said = whole.choices[0]
    assert "Paris" in said.message.content and said.finish_reason == "stop", whole
    chunks = list(litellm.completion(**SAID, **where, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == said.message.content and chunks[-1].usage.completion_tokens == whole.usage.completion_tokens, chunks
    several = litellm.completion(**SAID | {"temperature": 1, "seed": 3, "max_tokens": 5}, **where, n=2)
    assert len(several.choices) == 2 and several.choices[0].finish_reason == "length", several
    for wrong, kind in (({"temperature": -1}, litellm.BadRequestError), ({"model": "openai/nobody"}, litellm.NotFoundError)):
        try:
            litellm.completion(**SAID | wrong, **where)
        except kind:
            continue
        raise AssertionError(f"{wrong} was answered")


def complete(where):
    text = litellm.text_completion(model="text-completion-openai/chat", prompt="What is", temperature=0, max_tokens=6, **where)
    assert text.choices[0].text and text.usage.completion_tokens == 6, text


def embed(where):
    rows = [row["embedding"] for row in litellm.embedding(model="openai/vectors", input=["One", "A longer text"], **where).data]
    assert len(rows) == 2 and all(abs(math.hypot(*row) - 1) < 1e-5 for row in rows), rows


def rank(server):
    texts = ["One", "Two", "A longer text"]
    ranked = litellm.rerank(model="cohere/ranker", query="Which one?", documents=texts, top_n=2, api_base=f"http://{server}/v2/rerank",
                            api_key="none")
    scores = [each["relevance_score"] for each in ranked.results]
    assert len(scores) == 2 and scores == sorted(scores, reverse=True), ranked


where = {"api_base": f"http://{sys.argv[1]}/v1", "api_key": "none", "max_retries": 0}
talk(where)
complete(where)
embed(where)
rank(sys.argv[1])
print("litellm: all as expected")
