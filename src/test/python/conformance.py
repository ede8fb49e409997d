"""Has the real clients of every protocol ask the distribution in target/sluice, and says how each fared.

    python3 src/test/python/conformance.py [NAME ...]

Each client gets an environment of its own below target/conformance-venv, and a server of its own with the models it asks for.
Ends with 0 if all are as expected, 1 if one failed, 3 if none failed but one could not be installed.
"""
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS, MODELS = ROOT / "src/test/python", ROOT / "src/test/models"
WORK = ROOT / "target/conformance-venv"
TRITON = ["--models", MODELS / "oip", *(f"--set=models.list.{name}={MODELS / 'triton' / name}"
                                        for name in ("simple", "simple_int8", "simple_string"))]
OK, FAILED, NOT_INSTALLED = "as expected", "FAILED", "cannot be installed"

# name: (packages, arguments of the server, script); {http} and {grpc} are the two ports of the server.
CLIENTS = {
    "tfs": (["tensorflow-serving-api==2.21.0", "tensorflow-cpu==2.21.0"], ["serve", "--models", MODELS / "tfs"],
            ["tfs_client.py", "localhost:{grpc}"]),
    "triton": (["tritonclient[all]==2.73.0"], ["serve", *TRITON], ["triton_client.py", "localhost:{http}", "localhost:{grpc}"]),
    "kserve": (["kserve==0.21.0"], ["kserve", "--model_dir", ROOT / "target/sluice/models"],
               ["kserve_client.py", "localhost:{http}"]),
    "mlserver": (["mlserver==1.7.1"], ["serve", *TRITON], ["mlserver_infer.py", "localhost:{http}"]),
    "perf_analyzer": (["tritonclient==2.41.1", "nvidia-cuda-runtime-cu12==12.9.79"], ["serve", *TRITON],
                      ["perf_analyzer.py", "localhost:{http}", "localhost:{grpc}"]),
}


def free_ports():
    sockets = [socket.create_server(("localhost", 0)) for _ in range(2)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def install(name, packages):
    """The environment's Python; None, and what pip said, if the packages are not to be had."""
    place, python = WORK / name, WORK / name / "bin/python"
    done = place / "installed"
    if done.exists() and done.read_text() == str(packages):
        return python, ""
    made = subprocess.run([sys.executable, "-m", "venv", place], capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
                              capture_output=True, text=True)
    if made.returncode != 0:
        return None, (made.stderr or made.stdout).strip().splitlines()[-1]
    done.write_text(str(packages))
    return python, ""


def await_ready(server, http):
    """Waits for the models, a minute at most."""
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://localhost:{http}/v2/health/ready", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    return False


def serve(arguments, http, grpc, log):
    ports = [f"--http_port={http}", f"--grpc_port={grpc}"] if arguments[0] == "kserve" else \
        [f"--listen=localhost:{http}", f"--listen=localhost:{grpc}"]
    return subprocess.Popen([ROOT / "target/sluice/bin/sluice", *arguments, *ports], stdout=log, stderr=log)


def ask(python, script, http, grpc):
    words = [word.format(http=http, grpc=grpc) for word in script[1:]]
    try:
        return subprocess.run([python, SCRIPTS / script[0], *words], timeout=300).returncode
    except subprocess.TimeoutExpired:
        print("has not ended within 300 s")
        return 1


def run(name):
    packages, arguments, script = CLIENTS[name]
    print(f"== {name}", flush=True)
    python, why = install(name, packages)
    if python is None:
        print(f"{name} {NOT_INSTALLED}: {why}")
        return NOT_INSTALLED
    http, grpc = free_ports()
    log_file = WORK / f"{name}.log"
    with open(log_file, "w") as log, serve(arguments, http, grpc, log) as server:
        try:
            if not await_ready(server, http):
                print(f"the server is not ready, see {log_file}")
                return FAILED
            code = ask(python, script, http, grpc)
            return {0: OK, 3: NOT_INSTALLED}.get(code, FAILED)
        finally:
            server.terminate()


def main(names):
    WORK.mkdir(parents=True, exist_ok=True)
    results = {name: run(name) for name in names}
    print("\n".join(["", *(f"{name:14} {result}" for name, result in results.items())]))
    return 1 if FAILED in results.values() else 3 if NOT_INSTALLED in results.values() else 0


sys.exit(main(sys.argv[1:] or list(CLIENTS)))
