"""Has the real clients of every protocol ask the distribution in target/sluice, and says how each fared.

    python3 src/test/python/conformance.py [NAME ...]

Each client gets an environment of its own below target/conformance-venv, and a server of its own with the models it asks for;
two or more are under way at once. What one writes is shown when it has ended, and stays in NAME.out there, the server's log
in NAME.log. Every step has a limit, and so has the whole: 40 minutes. Nothing is left running, however this ends.
Ends with 0 if all are as expected, 1 if one failed, 3 if none failed but one could not be installed.
"""
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import clients

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / "target/conformance-venv"
OK, FAILED, NOT_INSTALLED = "as expected", "FAILED", "cannot be installed"
END = time.monotonic() + 40 * 60
INSTALLING, STARTING, ASKING, STOPPING = 900, 60, 300, 30  # seconds

lock = threading.Lock()
running, ports_given = set(), set()
ended = threading.Event()


class NotInstalled(Exception):
    """A client is not to be had; says why."""


class Run(NamedTuple):
    """One client's turn: where its things are, and where what it writes goes."""
    name: str
    place: Path
    out: Path

    def start(self, command, out, **how):
        if ended.is_set():
            raise NotInstalled("it was stopped")
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   start_new_session=True, **how)
        with lock:
            running.add(process)
        return process

    def wait(self, command, seconds, **how):
        """The exit code; None if it has not ended in time."""
        with open(self.out, "a") as out:
            process = self.start(command, out, **how)
            try:
                return process.wait(max(1, min(seconds, END - time.monotonic())))
            except subprocess.TimeoutExpired:
                out.write(f"has not ended within {seconds} s: {' '.join(map(str, command))}\n")
                return None
            finally:
                stop(process, signal.SIGKILL)

    def install(self, command, **how):
        if self.wait(command, INSTALLING, **how) != 0:
            raise NotInstalled(last_line(self.out))


def stop(process, how=signal.SIGTERM):
    """Ends a process and all it has started."""
    try:
        os.killpg(process.pid, how)
        process.wait(STOPPING)
    except subprocess.TimeoutExpired:
        stop(process, signal.SIGKILL)
    except ProcessLookupError:
        process.wait()
    with lock:
        running.discard(process)


def last_line(file):
    lines = [line for line in file.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"


def free_port():
    with lock:
        while True:
            with socket.create_server(("localhost", 0)) as one:
                port = one.getsockname()[1]
            if port not in ports_given:
                ports_given.add(port)
                return port


def is_ready(http):
    try:
        with urllib.request.urlopen(f"http://localhost:{http}/v2/health/ready", timeout=5):
            return True
    except OSError:
        return False


def await_ready(server, http):
    until = time.monotonic() + STARTING
    while time.monotonic() < until and server.poll() is None:
        if is_ready(http):
            return True
        time.sleep(0.2)
    return False


def prepare(run, client):
    """Installs a client unless that is done."""
    done = run.place / "installed"
    wanted = repr(client.installed)
    if not done.exists() or done.read_text() != wanted:
        run.place.mkdir(parents=True, exist_ok=True)
        for step in client.installed:
            step.into(run)
        done.write_text(wanted)


def ask(run, client):
    words = {"http": free_port(), "grpc": free_port(), "admin": free_port(), "place": run.place, "work": WORK}
    with open(WORK / f"{run.name}.log", "w") as log:
        server = run.start([ROOT / "target/sluice/bin/sluice", *(str(word).format(**words) for word in client.server)], log)
        try:
            if not await_ready(server, words["http"]):
                run.out.open("a").write(f"the server is not ready, see {log.name}\n")
                return FAILED
            code = run.wait([str(word).format(**words) for word in client.asks], ASKING, env=os.environ | {
                name: str(value).format(**words) for name, value in client.environment.items()})
            return {0: OK, 3: NOT_INSTALLED}.get(code, FAILED)
        finally:
            stop(server)


def turn(name):
    run = Run(name, WORK / name, WORK / f"{name}.out")
    run.out.write_text("")
    began = time.monotonic()
    try:
        prepare(run, clients.CLIENTS[name])
        run.out.write_text("")
        result = ask(run, clients.CLIENTS[name])
    except NotInstalled as why:
        result = f"{NOT_INSTALLED}: {why}"
    if result == NOT_INSTALLED:
        result = f"{NOT_INSTALLED}: {last_line(run.out)}"
    with lock:
        print(f"== {name}, {time.monotonic() - began:.0f} s: {result}")
        print(run.out.read_text(errors="replace"), flush=True)
    return result


def main(names):
    unknown = [name for name in names if name not in clients.CLIENTS]
    if unknown:
        sys.exit(f"there is no client {', '.join(unknown)}; there are {', '.join(clients.CLIENTS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    pool = ThreadPoolExecutor(max(2, min(4, os.cpu_count() // 2)))
    try:
        results = dict(zip(names, pool.map(turn, names)))
    finally:
        ended.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            stop(process, signal.SIGKILL)
    print("\n".join(f"{name:16} {result}" for name, result in results.items()))
    return 1 if FAILED in results.values() else 3 if any(r != OK for r in results.values()) else 0


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
sys.exit(main(sys.argv[1:] or list(clients.CLIENTS)))
