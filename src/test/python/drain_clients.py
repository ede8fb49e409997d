"""The clients of drain.py: each asks one thing after the other, checks that every answer is the whole right one, and says
of each request that got none whether the server had accepted it.

A request counts as lost when it was sent on a connection that was open and its answer does not come, breaks off or is wrong.
A connection that is refused, and a stream that the server ends in its protocol's words between two answers, lose nothing.
"""
import asyncio
import itertools
import json
import struct
from collections import Counter
from typing import NamedTuple

import aiohttp
import grpc
import grpc.aio
import h2.exceptions
import hpack
import httpx
import hyperframe.frame as frames

PATIENCE = 120  # seconds for one answer
STEPS = 150
ROWS = {"instances": [1.0, 2.0, 5.0]}
ROWS_ANSWER = {"predictions": [2.5, 3.0, 4.5]}
LEFT, RIGHT = list(range(16)), [1] * 16
ADDSUB = {"inputs": [{"name": name, "datatype": "INT32", "shape": [1, 16], "data": data}
                     for name, data in (("INPUT0", LEFT), ("INPUT1", RIGHT))]}
SUM = [left + right for left, right in zip(LEFT, RIGHT)]
WRITING = {"text": "My dear Mr. ", "temperature": 0, "steps": STEPS}
ENDED = "the server is stopping"


class Refused(Exception):
    """No connection came about, or the server has ended a stream as it should: nothing was lost."""


class Lost(Exception):
    """The server had accepted a request, and its answer did not come whole."""


class Again(Exception):
    """The server says that it has not begun with a stream, which may be sent again."""


class Target(NamedTuple):
    """Where to ask: host:port, and whether a proxy stands before two servers, of which one stays."""
    address: str
    proxied: bool = False

    @property
    def url(self):
        return f"http://{self.address}"


class Tally:
    """What became of one client's requests."""

    def __init__(self):
        self.answered, self.refused, self.lost = 0, 0, Counter()


def want(condition, text):
    if not condition:
        raise Lost(str(text)[:300])


# HTTP


def is_refused(failure):
    while failure is not None:
        if isinstance(failure, ConnectionRefusedError):
            return True
        failure = failure.__cause__ or failure.__context__
    return False


class Aiohttp:
    """HTTP/1.1 by aiohttp: one connection that is kept, or a new one for each request."""

    def __init__(self, target, kept=True):
        self.target = target
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1, force_close=not kept),
                                             timeout=aiohttp.ClientTimeout(total=PATIENCE))

    async def post(self, path, body, headers, read):
        try:
            async with self.session.post(self.target.url + path, data=body, headers=headers) as answer:
                if answer.status != 200:
                    raise Lost(f"{answer.status} {(await answer.text())[:200]}")
                await read(answer)
        except aiohttp.ClientConnectorError as failure:
            raise (Refused if is_refused(failure) else Lost)(repr(failure)) from None
        except (aiohttp.ClientError, OSError, TimeoutError) as failure:
            raise Lost(repr(failure)) from None

    async def close(self):
        await self.session.close()


def rest(path, body, right):
    data = json.dumps(body).encode()

    class Rest(Aiohttp):
        async def ask(self):
            async def read(answer):
                got = await answer.json(content_type=None)
                want(right(got), got)
            await self.post(path, data, {"Content-Type": "application/json"}, read)
    return Rest


def is_sum(got):
    return got["outputs"][0]["data"] == SUM


TFS_REST = rest("/v1/models/half_plus_two:predict", ROWS, lambda got: got == ROWS_ANSWER)
V2_REST = rest("/v2/models/addsub/infer", ADDSUB, is_sum)
GRPS_REST = rest("/grps/v1/infer/predict?return-ndarray=true", {"model": "half_plus_two", "ndarray": [1, 2]},
                 lambda got: got["status"]["code"] == 200 and got["ndarray"] == [2.5, 3.0])


class Events:
    """A stream of server-sent events: all its letters, and the end of the answer behind them."""
    whole = None

    @classmethod
    def check(cls, text):
        letters = [json.loads(event[len("data: "):]).get("text") for event in text.split("\n\n") if event]
        want(len(letters) == STEPS and all(letters), f"{len(letters)} events, then {text[-200:]!r}")
        cls.whole = cls.whole or letters
        want(letters == cls.whole, f"other letters: {''.join(letters)}")


class Sse(Aiohttp):
    async def ask(self):
        async def read(answer):
            Events.check(await answer.text())
        await self.post("/v2/models/writer/generate_stream", json.dumps(WRITING).encode(), {}, read)


class GrpsChunks(Aiohttp):
    whole = None

    async def ask(self):
        body = {"model": "writer", "str_data": WRITING["text"]}

        async def read(answer):
            chunks = [chunk async for chunk, _ in answer.content.iter_chunks()]
            text = b"".join(chunks).decode()
            want(text.count('"code":200') == STEPS and '"FAILURE"' not in text, f"{len(chunks)} chunks, then {text[-300:]!r}")
            GrpsChunks.whole = GrpsChunks.whole or text
            want(text == GrpsChunks.whole, f"another text: {text[-300:]!r}")
        await self.post("/grps/v1/infer/predict?streaming=true", json.dumps(body).encode(), {"Content-Type": "application/json"}, read)


class GrpcWeb(Aiohttp):
    """gRPC-Web over HTTP/1.1: a message, then the status in a frame of its own."""

    async def ask(self):
        from drain_stubs import addsub_request, is_addsub_answer
        message = addsub_request().SerializeToString()

        async def read(answer):
            rest_, got = await answer.read(), {}
            while rest_:
                flag, size = struct.unpack(">BI", rest_[:5])
                got[flag], rest_ = rest_[5:5 + size], rest_[5 + size:]
            trailers = got.get(0x80, str(dict(answer.headers)).encode())
            want(b"grpc-status" in trailers.lower() and b":0" in trailers.replace(b" ", b""), trailers)
            want(is_addsub_answer(got[0]), got)
        await self.post("/inference.GRPCInferenceService/ModelInfer", b"\0" + struct.pack(">I", len(message)) + message,
                        {"Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1"}, read)


class Curl:
    """A new process and a new connection for each request."""
    flags, path, body = [], "/v1/models/half_plus_two:predict", ROWS

    def __init__(self, target):
        self.target = target

    async def start(self, *more):
        return await asyncio.create_subprocess_exec(
            "curl", "--silent", "--show-error", "--no-buffer", "--max-time", str(2 * PATIENCE), *self.flags, "--data", json.dumps(self.body),
            *more, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)

    async def ask(self):
        curl = await self.start(self.target.url + self.path)
        out, err = await curl.communicate()
        self.ended(curl.returncode, err)
        self.check(out.decode())

    def ended(self, code, err):
        if code == 7:
            raise Refused(err.decode())
        want(code == 0, f"{code} {err.decode()}")

    def check(self, text):
        want(text.startswith("{") and json.loads(text) == ROWS_ANSWER, text)

    async def close(self):
        pass


class CurlSse(Curl):
    """A stream over HTTP/2, on a connection of its own."""
    flags, path, body = ["--http2-prior-knowledge"], "/v2/models/writer/generate_stream", WRITING

    def check(self, text):
        Events.check(text)


class Http2Connection:
    """What RFC 9113 says of a client, frame by frame."""

    @classmethod
    async def open(cls, address):
        self = cls()
        host, port = address.split(":")
        reader, self.writer = await asyncio.open_connection(host, int(port))
        self.address, self.encoder, self.streams, self.next = address, hpack.Encoder(), {}, itertools.count(1, 2)
        self.leaves = False
        self.writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frames.SettingsFrame(0).serialize())
        self.reading = asyncio.create_task(self.read(reader))
        return self

    async def read(self, reader):
        failure, decoder = None, hpack.Decoder()
        try:
            while True:
                frame, size = frames.Frame.parse_frame_header(memoryview(await reader.readexactly(9)))
                frame.parse_body(memoryview(await reader.readexactly(size)))
                self.take(frame, decoder)
        except (OSError, asyncio.IncompleteReadError) as ended:
            failure = f"{len(self.streams)} streams were under way, {'after' if self.leaves else 'without'} GOAWAY: {ended!r}"
        self.leaves = True
        for answer, _ in self.streams.values():
            answer.set_exception(Lost(failure))

    def take(self, frame, decoder):
        answer, got = self.streams.get(frame.stream_id, (None, None))
        if isinstance(frame, frames.GoAwayFrame):
            self.leaves = True
            for number in [number for number in self.streams if number > frame.last_stream_id]:
                self.streams.pop(number)[0].set_exception(Again())
        elif isinstance(frame, frames.HeadersFrame):
            got.update(decoder.decode(frame.data))
        elif isinstance(frame, frames.DataFrame):
            got["body"] = got.get("body", b"") + frame.data
            for stream in (0, frame.stream_id):
                self.writer.write(frames.WindowUpdateFrame(stream, window_increment=max(1, len(frame.data))).serialize())
        elif isinstance(frame, frames.RstStreamFrame) and answer:
            self.streams.pop(frame.stream_id)[0].set_exception(
                Again() if frame.error_code == 7 else Lost(f"the stream was reset by {frame.error_code}"))
        elif isinstance(frame, (frames.PingFrame, frames.SettingsFrame)) and "ACK" not in frame.flags:
            acknowledged = type(frame)(0, flags=["ACK"])
            if isinstance(frame, frames.PingFrame):
                acknowledged.opaque_data = frame.opaque_data
            self.writer.write(acknowledged.serialize())
        if answer and "END_STREAM" in frame.flags:
            del self.streams[frame.stream_id]
            answer.set_result(got)

    async def post(self, path, body):
        number = next(self.next)
        headers = frames.HeadersFrame(number, flags=["END_HEADERS"])
        headers.data = self.encoder.encode([(":method", "POST"), (":scheme", "http"), (":path", path),
                                            (":authority", self.address), ("content-type", "application/json")])
        data = frames.DataFrame(number, json.dumps(body).encode(), flags=["END_STREAM"])
        answer = asyncio.get_running_loop().create_future()
        self.streams[number] = answer, {}
        self.writer.write(headers.serialize() + data.serialize())
        return await asyncio.wait_for(asyncio.shield(answer), PATIENCE)


class Http2:
    """HTTP/2 with prior knowledge, several callers on one connection, until the server asks them to leave it."""

    def __init__(self, target):
        self.target, self.opening, self.opened = target, None, []

    async def connection(self):
        if self.opening is None or (self.opening.done() and self.opening.result().leaves):
            self.opening = asyncio.create_task(Http2Connection.open(self.target.address))
        try:
            connection = await self.opening
        except OSError as failure:
            self.opening = None
            raise (Refused(str(failure)) if is_refused(failure) else Lost(f"connecting: {failure!r}")) from None
        if connection not in self.opened:
            self.opened.append(connection)
        return connection

    async def ask(self):
        while True:
            connection = await self.connection()
            try:
                got = await connection.post("/v2/models/addsub/infer", ADDSUB)
            except Again:
                continue
            want(got.get(":status") == "200" and is_sum(json.loads(got["body"])), got)
            return

    async def close(self):
        for connection in self.opened:
            connection.reading.cancel()
            connection.writer.close()


class Httpx:
    """HTTP/2 by httpx, for the proxy alone: its library h2 fails whatever is under way when a server asks it to leave."""

    def __init__(self, target, client=None):
        self.target = target
        self.client = client or httpx.AsyncClient(http1=False, http2=True, timeout=PATIENCE)

    async def request(self, path, body):
        try:
            answer = await self.client.post(self.target.url + path, json=body)
        except httpx.ConnectError as failure:
            raise (Refused if is_refused(failure) or "All connection attempts failed" in str(failure) else Lost)(repr(failure)) from None
        except (httpx.HTTPError, h2.exceptions.H2Error, OSError) as failure:
            raise Lost(repr(failure)) from None
        want(answer.status_code == 200, f"{answer.status_code} {answer.text}")
        return answer

    async def ask(self):
        got = (await self.request("/v2/models/addsub/infer", ADDSUB)).json()
        want(is_sum(got), got)

    async def close(self):
        await self.client.aclose()


class HttpxSse(Httpx):
    async def ask(self):
        Events.check((await self.request("/v2/models/writer/generate_stream", WRITING)).text)


# gRPC


class Grpc:
    """One channel of grpcio."""

    def __init__(self, target, channel=None):
        self.channel = channel or grpc.aio.insecure_channel(target.address, [("grpc.use_local_subchannel_pool", 1)])

    async def call(self, method, request, kind="unary_unary"):
        return getattr(self.channel, kind)(method)(request, timeout=PATIENCE)

    async def close(self):
        await self.channel.close()

    async def ask(self):
        try:
            await self.exchange()
        except grpc.aio.AioRpcError as failure:
            text = f"{failure.code().name}: {failure.details()}"
            unavailable = failure.code() == grpc.StatusCode.UNAVAILABLE
            refused = unavailable and ("Connection refused" in text or "failed to connect" in text.lower())
            raise (Refused if refused else Lost)(text) from None


def unary(method, request, right):
    class Unary(Grpc):
        async def exchange(self):
            want(right(await self.channel.unary_unary(method)(request(), timeout=PATIENCE)), "another answer")
    return Unary


class GrpcStream(Grpc):
    """grps' stream of answers."""
    whole = None

    async def exchange(self):
        from drain_stubs import grps_stream_request
        call = self.channel.unary_stream("/grps.protos.v1.GrpsService/PredictStreaming")(
            grps_stream_request(WRITING["text"]).SerializeToString(), timeout=PATIENCE)
        got = [message async for message in call]
        GrpcStream.whole = GrpcStream.whole or got
        want(len(got) == STEPS and got == GrpcStream.whole, f"{len(got)} messages, the last {got[-1:]}")


class BidiStream(Grpc):
    """ModelStreamInfer: one stream, one request after the other. The server may end it between two."""

    def __init__(self, target):
        super().__init__(target)
        self.stream = None

    async def exchange(self):
        from drain_stubs import addsub_request, is_addsub_stream_answer
        if self.stream is None:
            self.stream = self.channel.stream_stream("/inference.GRPCInferenceService/ModelStreamInfer")()
        try:
            await self.stream.write(addsub_request().SerializeToString())
            answer = await asyncio.wait_for(self.stream.read(), PATIENCE)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as failure:
            stream, self.stream = self.stream, None
            code, text = await stream.code(), await stream.details()
            if code == grpc.StatusCode.UNAVAILABLE and ENDED in (text or ""):
                raise Refused(text) from None
            if isinstance(failure, grpc.aio.AioRpcError):
                raise
            raise Lost(f"{code}: {text}") from None
        if answer is grpc.aio.EOF:
            stream, self.stream = self.stream, None
            code, text = await stream.code(), await stream.details()
            raise (Refused if code == grpc.StatusCode.UNAVAILABLE and ENDED in text else Lost)(f"{code}: {text}")
        want(is_addsub_stream_answer(answer), answer)


class Watch(Grpc):
    """Health's Watch: SERVING at first, NOT_SERVING before the end, which is UNAVAILABLE."""

    async def exchange(self):
        states = []
        try:
            async for message in self.channel.unary_stream("/grpc.health.v1.Health/Watch")(b""):
                states.append(message)
        except grpc.aio.AioRpcError as failure:
            if states:
                ended = failure.code() == grpc.StatusCode.UNAVAILABLE and ENDED in failure.details()
                want(ended and states[-1] == b"\x08\x02", f"{states} then {failure.code().name}: {failure.details()}")
                raise Refused("") from None
            if failure.code() == grpc.StatusCode.UNAVAILABLE and ENDED in failure.details():
                raise Refused("") from None
            raise
        raise Lost(f"ended well after {states}")


# brpc


class Brpc:
    """One connection; calls one after the other. A server that stops answers with ELOGOFF, for which clients go elsewhere."""
    calls = itertools.count(1)

    def __init__(self, target):
        self.target, self.streams = target, None

    async def ask(self):
        try:
            if self.streams is None:
                host, port = self.target.address.split(":")
                self.streams = await asyncio.open_connection(host, int(port))
        except ConnectionRefusedError as failure:
            raise Refused(str(failure)) from None
        except OSError as failure:
            raise Lost(f"connecting: {failure!r}") from None
        try:
            await asyncio.wait_for(self.exchange(*self.streams), PATIENCE)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as failure:
            self.streams = None
            raise Lost(repr(failure)) from None

    async def exchange(self, reader, writer):
        from drain_stubs import brpc_frame, brpc_answer
        number = next(self.calls)
        writer.write(brpc_frame(number))
        head = await reader.readexactly(12)
        size, _ = struct.unpack(">II", head[4:])
        error, answered, right, text = brpc_answer(head, await reader.readexactly(size))
        if error == 2003:
            self.streams = None
            writer.close()
            raise Refused(text)
        want(error == 0 and answered == number and right, text)

    async def close(self):
        if self.streams:
            self.streams[1].close()


class BrpcShared:
    """Calls of several callers on one connection, as brpc's single connections are."""

    def __init__(self, target):
        self.target, self.ready, self.waiting, self.reading = target, None, {}, None

    async def connect(self):
        host, port = self.target.address.split(":")
        reader, self.writer = await asyncio.open_connection(host, int(port))
        self.reading = asyncio.create_task(self.read(reader))

    async def read(self, reader):
        from drain_stubs import brpc_answer
        failure = None
        try:
            while True:
                head = await reader.readexactly(12)
                answer = brpc_answer(head, await reader.readexactly(struct.unpack(">I", head[4:8])[0]))
                self.waiting.pop(answer[1]).set_result(answer)
        except (OSError, asyncio.IncompleteReadError) as ended:
            failure = ended
        self.ready = None
        for answer in self.waiting.values():
            answer.set_exception(Lost(repr(failure)))
        self.waiting.clear()

    async def ask(self):
        from drain_stubs import brpc_frame
        try:
            self.ready = self.ready or asyncio.create_task(self.connect())
            await self.ready
        except ConnectionRefusedError as failure:
            raise Refused(str(failure)) from None
        except OSError as failure:
            raise Lost(f"connecting: {failure!r}") from None
        number = next(Brpc.calls)
        self.waiting[number] = answer = asyncio.get_running_loop().create_future()
        self.writer.write(brpc_frame(number))
        error, _, right, text = await asyncio.wait_for(answer, PATIENCE)
        if error == 2003:
            raise Refused(text)
        want(error == 0 and right, text)

    async def close(self):
        if self.reading:
            self.reading.cancel()
            self.writer.close()


def kinds():
    """name -> (makes one client for a target, how many ask by it at once)."""
    from drain_stubs import addsub_request, grps_request, is_addsub_answer, is_grps_answer, is_tfs_answer, tfs_request
    tfs = unary("/tensorflow.serving.PredictionService/Predict", lambda: tfs_request().SerializeToString(), is_tfs_answer)
    oip = unary("/inference.GRPCInferenceService/ModelInfer", lambda: addsub_request().SerializeToString(), is_addsub_answer)
    grps = unary("/grps.protos.v1.GrpsService/Predict", lambda: grps_request().SerializeToString(), is_grps_answer)
    return {
        "http1-kept-tfs": (TFS_REST, 1), "http1-kept-v2": (V2_REST, 1), "http1-kept-grps": (GRPS_REST, 1),
        "http1-new-tfs": (lambda target: TFS_REST(target, kept=False), 1),
        "http1-new-v2": (lambda target: V2_REST(target, kept=False), 1),
        "curl": (Curl, 1), "http2": (Http2, 1), "http2-shared": (Http2, 3), "httpx": (Httpx, 1),
        "grpc-tfs": (tfs, 2), "grpc-oip": (oip, 3), "grpc-grps": (grps, 2), "grpc-stream": (GrpcStream, 2),
        "grpc-bidi": (BidiStream, 1), "watch": (Watch, 1), "grpc-web": (GrpcWeb, 1),
        "sse-http1": (Sse, 1), "sse-http2": (CurlSse, 1), "httpx-sse": (HttpxSse, 1), "grps-chunks": (GrpsChunks, 1),
        "brpc-pooled": (Brpc, 1), "brpc-single": (BrpcShared, 3),
    }
