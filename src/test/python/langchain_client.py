"""Asks a running server by langchain-openai, and fails with a text if an answer is wrong.

    python langchain_client.py HOST:PORT

The server has the sample model chat, and vectors of src/test/models/encoders.
"""
import math
import sys

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings
from pydantic import BaseModel

QUESTION = "What is the capital of France?"


class Capital(BaseModel):
    country: str
    capital: str


def talk(where):
    chat = ChatOpenAI(model="chat", temperature=0, stream_usage=True, **where)
    whole = chat.invoke([SystemMessage("You are helpful."), HumanMessage(QUESTION)])
    assert "Paris" in whole.content and whole.usage_metadata["output_tokens"] > 0, whole
    assert whole.response_metadata["finish_reason"] == "stop", whole
    chunks = list(chat.stream([SystemMessage("You are helpful."), HumanMessage(QUESTION)]))
    joined = chunks[0]
    for chunk in chunks[1:]:
        joined += chunk
    assert len(chunks) > 3 and joined.content == whole.content, joined
    assert joined.usage_metadata["output_tokens"] == whole.usage_metadata["output_tokens"], joined
    chain = ChatPromptTemplate.from_messages([("user", "What is the capital of {country}?")]) | chat | StrOutputParser()
    answers = chain.batch([{"country": country} for country in ("France", "Italy", "Spain")])
    assert "Paris" in answers[0] and len(answers) == 3, answers
    formed = chat.with_structured_output(Capital, method="json_schema").invoke(QUESTION)
    assert isinstance(formed, Capital), formed


def complete(where):
    text = OpenAI(model="chat", temperature=0, max_tokens=8, **where)
    assert text.invoke(QUESTION) == "".join(text.stream(QUESTION)) != "", text


def embed(where):
    vectors = OpenAIEmbeddings(model="vectors", check_embedding_ctx_length=False, **where)
    rows = vectors.embed_documents(["One", "A longer text"])
    assert all(abs(math.hypot(*row) - 1) < 1e-5 for row in rows), rows
    assert all(abs(one - other) < 1e-6 for one, other in zip(vectors.embed_query("One"), rows[0], strict=True)), rows


where = {"base_url": f"http://{sys.argv[1]}/v1", "api_key": "none", "max_retries": 0}
talk(where)
complete(where)
embed(where)
print("langchain-openai: all as expected")
