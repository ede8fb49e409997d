"""Measures how many texts a second the distribution embeds beside infinity-emb, with the same model, by turns.

    python embeddings_peer.py MODEL COUNT

MODEL is a folder as Hugging Face has it: tokenizer.json, tokenizer_config.json, config.json, and one .onnx file in onnx. Each server
has its defaults, and both run on ONNX Runtime. Needs embeddings-peer-requirements.txt. Nothing is left running.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

TEST = Path(__file__).resolve().parent
ROOT = TEST.parents[2]
STARTING = 180  # seconds
OFFLINE = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}


def free_port():
    with socket.create_server(("localhost", 0)) as one:
        return one.getsockname()[1]


def await_answer(server, url):
    until = time.monotonic() + STARTING
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.5)
    sys.exit(f"no answer from {url}")


def main(model, count):
    name, ports = Path(model).resolve().name, [free_port(), free_port()]
    with tempfile.TemporaryDirectory() as models:
        shutil.copytree(model, Path(models) / name)
        commands = [
            [ROOT / "target/sluice/bin/sluice", "serve", "--models", models, f"--listen=localhost:{ports[0]}"],
            [Path(sys.executable).with_name("infinity_emb"), "v2", "--model-id", Path(models) / name, "--served-model-name", name,
             "--engine", "optimum", "--device", "cpu", "--pooling-method", "mean", "--host", "localhost", "--port", str(ports[1])]]
        servers = [subprocess.Popen(list(map(str, command)), env=os.environ | OFFLINE, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for command in commands]
        try:
            await_answer(servers[0], f"http://localhost:{ports[0]}/v2/health/ready")
            await_answer(servers[1], f"http://localhost:{ports[1]}/models")
            urls = [f"http://localhost:{ports[0]}/v1", f"http://localhost:{ports[1]}"]
            return subprocess.run([sys.executable, TEST / "embeddings.py", "rate", name, count, *urls], check=False).returncode
        finally:
            for server in servers:
                server.terminate()
            for server in servers:
                server.wait(30)


sys.exit(main(*sys.argv[1:]))
