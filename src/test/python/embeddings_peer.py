"""Measures how many texts a second the distribution embeds beside servers of PyPI, with the same model, by turns with one of them.

    python embeddings_peer.py MODEL COUNT [PEER,PEER...]

MODEL is a folder as Hugging Face has it: tokenizer.json, tokenizer_config.json, config.json, and one .onnx file in onnx, of a model
whose vectors are the mean of those of the tokens. A peer is installed below target/embeddings-peer-venv at its first use, with what
embeddings_peers/PEER.txt names, and runs the file with ONNX Runtime, a thread for each core. infinity and txtai make vectors by
themselves; the others serve a few lines beside their requirements, with batches of the texts that wait where they make any. What a
peer answers has to be what Sluice answers. Needs embeddings-requirements.txt. Nothing is left running.
"""
import base64
import contextlib
import http.client
import json
import os
import queue
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple

import numpy

from embeddings import texts
from embeddings_peers.vectors import longest

TEST = Path(__file__).resolve().parent
ROOT = TEST.parents[2]
PEERS = TEST / "embeddings_peers"
VENVS = ROOT / "target/embeddings-peer-venv"
NAME = "minilm"
STARTING = 180  # seconds
ROUNDS = 3
TOLERANCE = 1e-3
LOADS = {"one text at a time": (1, 1), "64 texts in a request": (64, 1), "32 callers of one text": (1, 32)}
OFFLINE = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "BENTOML_DO_NOT_TRACK": "True", "PYTHONPATH": str(PEERS)}


class Form(NamedTuple):
    """How a server is asked for vectors, and how it answers: each in the shortest form that it has."""
    path: str
    asked: Callable
    vectors: Callable


def of_base64(rows):
    return numpy.stack([numpy.frombuffer(base64.b64decode(row), "<f4") for row in rows])


def openai(path):
    """What OpenAI's clients ask for by themselves."""
    return Form(path, lambda some: {"model": NAME, "input": some, "encoding_format": "base64"},
                lambda answer: of_base64(row["embedding"] for row in answer["data"]))


def texts_of(path):
    return Form(path, lambda some: {"texts": some}, of_base64)


def v2(*shape):
    return Form(f"/v2/models/{NAME}/infer",
                lambda some: {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [len(some), *shape], "data": some}]},
                lambda answer: numpy.array(answer["outputs"][0]["data"], numpy.float32).reshape(answer["outputs"][0]["shape"]))


class Started(NamedTuple):
    """What a peer is started with."""
    bin: Path
    model: Path
    port: int
    other: int
    work: Path


class Peer(NamedTuple):
    form: Form
    ready: str
    command: Callable
    environment: Callable = lambda with_: {}


def service(name, *options):
    return lambda with_: [with_.bin / "python", PEERS / f"{name}_service.py", *(option.format_map(with_._asdict()) for option in options)]


def txtai(with_):
    file = next((with_.model / "onnx").glob("*.onnx"))
    settings = {"embeddings": {"path": str(file), "tokenizer": str(with_.model / "tokenizer.json"), "maxlength": longest(with_.model), "gpu": False}}
    (with_.work / "config.yml").write_text(json.dumps(settings))
    return [with_.bin / "uvicorn", "txtai.api:app", "--host", "127.0.0.1", "--port", with_.port]


def mlserver(with_):
    settings = {"name": NAME, "implementation": "mlserver_runtime.Embedding", "max_batch_size": 64, "max_batch_time": 0.001}
    (with_.work / "model-settings.json").write_text(json.dumps(settings))
    (with_.work / "settings.json").write_text(json.dumps(
        {"host": "127.0.0.1", "http_port": with_.port, "grpc_port": with_.other, "metrics_endpoint": None, "parallel_workers": 0}))
    return [with_.bin / "mlserver", "start", with_.work]


def packages(with_):
    return next((with_.bin.parent / "lib").glob("python3*")) / "site-packages"


def triton(with_):
    """The index has Triton without its ONNX Runtime backend: its Python backend runs the model."""
    server, backend = packages(with_) / "pytriton/tritonserver", with_.work / "backends/python"
    shutil.copytree(PEERS / "triton", with_.work / "models" / NAME)
    shutil.copy(PEERS / "vectors.py", with_.work / "models" / NAME / "1")
    shutil.copytree(server / "backends/python", backend)
    stub = server / "python_backend_stubs" / packages(with_).parent.name.removeprefix("python") / "triton_python_backend_stub"
    shutil.copy(stub, backend)
    return [server / "bin/tritonserver", f"--model-repository={with_.work}/models", f"--backend-directory={with_.work}/backends",
            "--http-address=127.0.0.1", f"--http-port={with_.port}", "--grpc-address=127.0.0.1", f"--grpc-port={with_.other}",
            "--allow-metrics=false"]


def triton_environment(with_):
    return {"LD_LIBRARY_PATH": str(packages(with_) / "nvidia_pytriton.libs"), "PYTHONPATH": str(packages(with_)),
            "PATH": f"{with_.bin}:{os.environ['PATH']}"}


SLUICE = Peer(openai("/v1/embeddings"), "/v2/health/ready",
              lambda with_: [with_.bin / "sluice", "serve", "--models", with_.model.parent, f"--listen=127.0.0.1:{with_.port}"])
SERVERS = {
    "infinity": Peer(openai("/embeddings"), "/models", lambda with_: [
        with_.bin / "infinity_emb", "v2", "--model-id", with_.model, "--served-model-name", NAME, "--engine", "optimum", "--device", "cpu",
        "--pooling-method", "mean", "--host", "127.0.0.1", "--port", with_.port]),
    "txtai": Peer(Form("/batchtransform", lambda some: some, lambda answer: numpy.array(answer, numpy.float32)), "/docs", txtai,
                  lambda with_: {"CONFIG": "config.yml"}),
    "bentoml": Peer(texts_of("/embed"), "/readyz", lambda with_: [
        with_.bin / "bentoml", "serve", "bentoml_service:Embedding", "--working-dir", PEERS, "--host", "127.0.0.1", "--port", with_.port]),
    "litserve": Peer(texts_of("/predict"), "/health", service("litserve", "{port}")),
    "mosec": Peer(texts_of("/inference"), "/metrics", service("mosec", "--address", "127.0.0.1", "--port", "{port}")),
    "mlserver": Peer(v2(), "/v2/health/ready", mlserver),
    "kserve": Peer(v2(), "/v2/health/ready", service("kserve", "--http_port={port}", "--grpc_port={other}")),
    "triton": Peer(v2(1), "/v2/health/ready", triton, triton_environment),
}


def install(name):
    """Returns where the programs of a peer are."""
    home, wanted = VENVS / name, (PEERS / f"{name}.txt").read_text()
    installed = home / "installed"
    if not installed.exists() or installed.read_text() != wanted:
        print(f"installs {name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([home / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", PEERS / f"{name}.txt"], check=True)
        installed.write_text(wanted)
    return home / "bin"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def await_answer(server, url):
    until = time.monotonic() + STARTING
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(f"no answer from {url}")


class Side(NamedTuple):
    """A server that runs."""
    port: int
    group: int  # of its processes
    form: Form


@contextlib.contextmanager
def held(side):
    """Keeps a server from the cores: some poll while nobody asks them."""
    os.killpg(side.group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(side.group, signal.SIGCONT)


@contextlib.contextmanager
def running(peer, bin, model):
    """A server that is ready; it and its children end with the block."""
    with tempfile.TemporaryDirectory() as work:
        log = Path(work) / "log"
        with_ = Started(bin, model, free_port(), free_port(), Path(work))
        with log.open("w") as out:
            server = subprocess.Popen(list(map(str, peer.command(with_))), cwd=work, start_new_session=True, stdout=out, stderr=out,
                                      env=os.environ | OFFLINE | {"MODEL": str(model)} | peer.environment(with_))
        try:
            await_answer(server, f"http://127.0.0.1:{with_.port}{peer.ready}")
            yield Side(with_.port, server.pid, peer.form)
        except Exception:
            print("\n".join(log.read_text(errors="replace").splitlines()[-20:]))
            raise
        finally:
            end(server)


def end(server):
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.terminate()
        server.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, 9)
    server.wait()


def embed(connection, form, some):
    connection.request("POST", form.path, json.dumps(form.asked(some)), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status}: {body}")
    return form.vectors(json.loads(body))


def rate_of(side, other, requests, callers):
    """Texts a second while the other server is held, and the vectors in order."""
    connections = [http.client.HTTPConnection("127.0.0.1", side.port, timeout=120) for _ in range(callers)]
    free = queue.SimpleQueue()
    for connection in connections:
        free.put(connection)

    def one(some):
        connection = free.get()
        try:
            return embed(connection, side.form, some)
        finally:
            free.put(connection)

    with held(other), ThreadPoolExecutor(callers) as pool:
        began = time.monotonic()
        vectors = numpy.concatenate(list(pool.map(one, requests)))
        took = time.monotonic() - began
    for connection in connections:
        connection.close()
    return len(vectors) / took, vectors


def measure(name, ours, theirs, said):
    """Both sides first answer once uncounted, and their vectors are compared."""
    for what, (size, callers) in LOADS.items():
        requests = [said[begin:begin + size] for begin in range(0, len(said), size)]
        sides = [(ours, theirs), (theirs, ours)]
        first, second = [rate_of(side, other, requests, callers)[1] for side, other in sides]
        apart = float(numpy.abs(first - second).max())
        if apart > TOLERANCE:
            raise RuntimeError(f"{what}: the vectors differ by {apart:.2g}")
        rounds = [[rate_of(side, other, requests, callers)[0] for side, other in sides] for _ in range(ROUNDS)]
        rates = [statistics.median(side) for side in zip(*rounds, strict=True)]
        ratios = sorted(first / second for first, second in rounds)
        print(f"{name}, {what}: {rates[1]:.0f}/s, Sluice {rates[0]:.0f}/s, {statistics.median(ratios):.2f} times that "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f}); vectors differ by {apart:.2g} at most", flush=True)


def main(model, count, names=""):
    said = [one for one in texts(int(count)) if "[SEP]" not in one]  # a token of its own to some servers, and text to others
    failed = []
    with tempfile.TemporaryDirectory() as models:
        copy = Path(models) / NAME
        shutil.copytree(model, copy)
        for name in names.split(",") if names else SERVERS:
            try:
                bin = install(name)
                with running(SLUICE, ROOT / "target/sluice/bin", copy) as ours, running(SERVERS[name], bin, copy) as theirs:
                    measure(name, ours, theirs, said)
            except (RuntimeError, OSError, subprocess.CalledProcessError) as failure:
                failed.append(name)
                print(f"{name}: {failure}", flush=True)
    return ", ".join(failed) and f"not measured: {', '.join(failed)}"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    sys.exit(main(*sys.argv[1:]))
