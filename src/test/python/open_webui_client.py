"""Starts Open WebUI before a running server, asks as its page in a browser does, and fails with a text if an answer is wrong.

    pip install open-webui
    python open_webui_client.py HOST:PORT

The server has the sample model chat, and vectors and ranker of src/test/models/encoders. What Open WebUI keeps is in a folder that
is removed at the end, and it looks for nothing beyond the server.
"""
import asyncio
import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import aiohttp
import socketio

SERVER = f"http://{sys.argv[1]}"
OPENAI = f"{SERVER}/openai/v1"
FRANCE, ITALY = "The capital of France is Paris.", "The capital of Italy is Rome."
FACT = "The bridge of Sluiceland has seven arches."
SETTINGS = {
    "WEBUI_AUTH": "False", "WEBUI_SECRET_KEY": "none", "OFFLINE_MODE": "True", "HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False",
    "ENABLE_OLLAMA_API": "False", "OPENAI_API_BASE_URL": OPENAI, "OPENAI_API_KEY": "none",
    "RAG_EMBEDDING_ENGINE": "openai", "RAG_OPENAI_API_BASE_URL": OPENAI, "RAG_OPENAI_API_KEY": "none", "RAG_EMBEDDING_MODEL": "vectors",
    "ENABLE_RAG_HYBRID_SEARCH": "True", "RAG_RERANKING_ENGINE": "external", "RAG_RERANKING_MODEL": "ranker",
    "RAG_EXTERNAL_RERANKER_URL": f"{OPENAI}/rerank", "RAG_EXTERNAL_RERANKER_API_KEY": "none", "RAG_TEMPLATE": "{{CONTEXT}}",
    "CHAT_RESPONSE_MAX_TOOL_CALL_ITERATIONS": "1"}
TASKS = {"title_generation": True, "tags_generation": True, "follow_up_generation": True}


class Turn(NamedTuple):
    """What a page has been told of one answer."""
    chat: str
    message: str
    events: list

    def of(self, kind):
        return [event.get("data") for event in self.events if event["type"] == kind]

    def text(self):
        """The text as it came, piece by piece."""
        return "".join(piece.get("delta", "") for piece in self.of("response:completion") if piece.get("type") == "response.output_text.delta")

    def output(self):
        """The items of the answer as it is kept."""
        return [answer for answer in self.of("chat:completion") if answer.get("done")][-1]["output"]

    def errors(self):
        return [error["error"]["content"] for error in self.of("chat:message:error")]


class Page:
    """A page in a browser: asks by HTTP, and is told by a socket what comes."""

    def __init__(self, http, told):
        self.http, self.told, self.events = http, told, asyncio.Queue()
        told.on("events", self.events.put)

    async def get(self, path):
        async with self.http.get(path) as answer:
            assert answer.status == 200, (path, answer.status, await answer.text())
            return await answer.json()

    async def post(self, path, status=200, **asked):
        async with self.http.post(path, json=asked) as answer:
            assert answer.status == status, (path, asked, answer.status, await answer.text())
            return await (answer.json() if "json" in answer.content_type else answer.text())

    async def begin(self, text, before=None, **more):
        message = str(uuid.uuid4())
        said = {"id": str(uuid.uuid4()), "parentId": before and before.message, "childrenIds": [message], "role": "user",
                "content": text, "timestamp": int(time.time()), "models": ["chat"]}
        asked = {"model": "chat", "stream": True, "params": {}, "session_id": self.told.get_sid(), "id": message, "user_message": said,
                 "message_ids": [{"model_id": "chat", "message_id": message, "modelIdx": 0}], "parent_id": said["parentId"]}
        begun = await self.post("/api/chat/completions", **asked | more | ({"chat_id": before.chat} if before else {}))
        return Turn(begun["chat_id"], message, []), begun["task_ids"]

    async def follow(self, turn, until=lambda event: event == {"type": "chat:active", "data": {"active": False, "folder_id": None}}):
        while not turn.events or not until(turn.events[-1]):
            event = await asyncio.wait_for(self.events.get(), 60)
            if event["chat_id"] == turn.chat:
                turn.events.append(event["data"])
        return turn

    async def say(self, text, before=None, **more):
        return await self.follow((await self.begin(text, before, **more))[0])


def asked(text, **more):
    return {"model": "chat", "temperature": 0, "messages": [{"role": "user", "content": text}], **more}


async def connect(page):
    models = await page.get("/api/models")
    assert {"chat", "vectors", "ranker"} <= {model["id"] for model in models["data"]}, models
    verified = await page.post("/openai/verify", url=OPENAI, key="none")
    assert "chat" in [model["id"] for model in verified["data"]], verified


async def whole_and_streamed(page):
    question = "What is the capital of France?"
    whole = await page.post("/api/chat/completions", **asked(question, stream=False))
    assert whole["choices"][0]["message"]["content"] == FRANCE and whole["usage"]["completion_tokens"], whole
    streamed = await page.post("/api/chat/completions", **asked(question, stream=True, stream_options={"include_usage": True}))
    assert streamed.count("data: {") > 5 and '"completion_tokens":' in streamed and streamed.strip().endswith("data: [DONE]"), streamed
    vectors = await page.post("/api/embeddings", model="vectors", input=["One", "Two"])
    assert [len(row["embedding"]) for row in vectors["data"]] == [4, 4], vectors


async def converse(page):
    """Titles and the like are asked for with prompts that are too long for the sample: the conversation goes on."""
    one = await page.say("What is the capital of France?", background_tasks=TASKS)
    two = await page.say("And of Italy?", before=one)
    for turn, said in ((one, FRANCE), (two, ITALY)):
        assert turn.text() == turn.output()[0]["content"][0]["text"] == said and not turn.errors(), turn
    kept = (await page.get(f"/api/v1/chats/{one.chat}"))["chat"]["history"]["messages"].values()
    assert [message["content"] for message in kept if message["role"] == "assistant"] == [FRANCE, ITALY], kept
    long = await page.say("long " * 600)
    assert "tokens" in long.errors()[0] and not long.text(), long


async def call(page):
    """The model calls one of Open WebUI's own tools, whose answer goes back to the model."""
    forced = {"tool_choice": {"type": "function", "function": {"name": "get_current_timestamp"}}}
    turn = await page.say("What time is it?", params={"custom_params": forced})
    made, answered = turn.output()[:2]
    assert made["type"] == "function_call" and made["name"] == "get_current_timestamp" and made["arguments"] == "{}", turn
    assert answered["call_id"] == made["call_id"] and "current_timestamp" in answered["output"][0]["text"], turn


async def cancelled(page):
    """How many calls of chat the server has ended because nobody waited for them."""
    async with page.http.get(f"{SERVER}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    return sum(float(line.split()[-1]) for line in lines if re.match(r'sluice_requests_total\{.*model="chat".*status="CANCELLED"', line))


async def give_up(page):
    """Whoever stops an answer ends it in the server too."""
    before = await cancelled(page)
    turn, tasks = await page.begin("Tell me a long story.", params={"max_tokens": 250, "custom_params": {"ignore_eos": True}})
    await page.follow(turn, lambda event: turn.text())
    stopped = await page.post(f"/api/tasks/stop/{tasks[0]}")
    assert stopped["status"], stopped
    await page.follow(turn)
    assert turn.of("chat:tasks:cancel"), turn
    async with asyncio.timeout(10):
        while await cancelled(page) == before:
            await asyncio.sleep(0.1)


async def know(page):
    """A file is embedded, found by the vector of a question and by the ranker, and put before the model."""
    form = aiohttp.FormData()
    form.add_field("file", FACT, filename="facts.txt", content_type="text/plain")
    async with page.http.post("/api/v1/files/", data=form) as answer:
        file = (await answer.json())["id"]
    async with asyncio.timeout(60):
        while (state := (await page.get(f"/api/v1/files/{file}/process/status"))["status"]) not in ("completed", "failed"):
            await asyncio.sleep(0.2)
    assert state == "completed", state
    found = await page.post("/api/v1/retrieval/query/collection", collection_names=[f"file-{file}"], query="How many arches?", k=1, hybrid=True)
    assert found["documents"] == [[FACT]] and 0 < found["distances"][0][0] < 1, found
    turn = await page.say("How many arches?", files=[{"type": "file", "id": file, "name": "facts.txt"}], params={"function_calling": "default"})
    assert turn.text() and not turn.errors() and "sources_retrieved" in [status.get("action") for status in turn.of("status")], turn


async def use_responses(page, on):
    await page.post("/openai/config/update", ENABLE_OPENAI_API=True, OPENAI_API_BASE_URLS=[OPENAI], OPENAI_API_KEYS=["none"],
                    OPENAI_API_CONFIGS={"0": {"enable": True} | ({"api_type": "responses"} if on else {})})


async def ask(address):
    async with aiohttp.ClientSession(f"http://{address}", timeout=aiohttp.ClientTimeout(total=60)) as http:
        told = socketio.AsyncClient()
        page = Page(http, told)
        token = (await page.post("/api/v1/auths/signin", email="", password=""))["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        await told.connect(f"http://{address}", socketio_path="/ws/socket.io", auth={"token": token}, transports=["websocket"])
        try:
            await told.emit("user-join", {"auth": {"token": token}})
            await connect(page)
            await whole_and_streamed(page)
            for responses in (False, True):
                await use_responses(page, responses)
                await converse(page)
                await call(page)
                await give_up(page)
            await know(page)
        finally:
            await told.disconnect()


async def await_ready(address, started):
    async with asyncio.timeout(120), aiohttp.ClientSession() as http:
        while started.poll() is None:
            with contextlib.suppress(aiohttp.ClientError):
                async with http.get(f"http://{address}/ready") as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.2)
        raise AssertionError("Open WebUI has ended")


async def main():
    with socket.create_server(("localhost", 0)) as one:
        port = one.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("w") as out:
            started = subprocess.Popen([Path(sys.executable).parent / "open-webui", "serve", "--host", "localhost", "--port", str(port)],
                                       env=os.environ | SETTINGS | {"DATA_DIR": folder}, stdout=out, stderr=out)
        try:
            await await_ready(f"localhost:{port}", started)
            await ask(f"localhost:{port}")
        except BaseException:
            print("\n".join(log.read_text(errors="replace").splitlines()[-40:]))
            raise
        finally:
            started.kill()
            started.wait()


asyncio.run(main())
print("Open WebUI: all as expected")
