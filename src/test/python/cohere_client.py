"""Asks a running server by the client of Cohere, and fails with a text if an answer is wrong.

    pip install cohere
    python cohere_client.py HOST:PORT

The server has vectors and ranker of src/test/models/encoders.
"""
import sys

import cohere
from cohere.core.api_error import ApiError

SAID = ["One", "A longer text", "3"]


def refused(client, status, text, **other):
    try:
        client.rerank(**{"model": "ranker", "query": "Which?", "documents": SAID} | other)
    except ApiError as e:
        assert e.status_code == status and text in str(e.body), (other, e)
    else:
        raise AssertionError(f"{other} was answered")


def ask(client, **hints):
    answer = client.rerank(model="ranker", query="Which?", documents=SAID)
    scores = [result.relevance_score for result in answer.results]
    assert sorted(result.index for result in answer.results) == [0, 1, 2] and scores == sorted(scores, reverse=True), answer
    assert len(set(scores)) == 3 and answer.id and answer.meta.tokens.input_tokens > 6, answer
    hinted = client.rerank(model="ranker", query="Which?", documents=SAID, **hints)
    assert hinted.results == answer.results, hinted
    best = client.rerank(model="ranker", query="Which?", documents=SAID, top_n=1)
    assert best.results == answer.results[:1], best
    refused(client, 400, "ranks no texts", model="vectors")
    refused(client, 400, "top_n", top_n=0)
    refused(client, 400, "documents", documents=[])
    refused(client, 404, "nobody", model="nobody")


url = f"http://{sys.argv[1]}"
ask(cohere.ClientV2(base_url=url, api_key="none"), max_tokens_per_doc=512, priority=1)
old = cohere.Client(base_url=url, api_key="none")
ask(old, max_chunks_per_doc=1)
shown = old.rerank(model="ranker", query="Which?", documents=SAID, return_documents=True)
assert all(result.document.text == SAID[result.index] for result in shown.results), shown
print("cohere: all as expected")
