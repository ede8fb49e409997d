"""Starts a container image as Kubernetes would, and has every protocol answer: run as root, with buildah, bubblewrap, openssl and curl.

    python3 src/test/python/image.py IMAGE

The image's root file system is mounted read-only, the process is user 1000 without capabilities and number 1 of its own process
identifiers, and /tmp is the one folder that can be written. The network is this machine's. The first server is started by the image's own entry point and asked by each protocol; the second has a
certificate and tokens of elliptic curves and a Unix domain socket. Both are stopped by SIGTERM.
Ends with 0 if all is as it should be, and with 3 if a tool is missing.
"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOOLS = ["buildah", "bwrap", "curl", "nsenter", "openssl"]
GRACE, DRAIN = 1, 15  # seconds: set below, and the server's default
CALLS = [  # method, path, body, and what the answer has
    ("/v1/models/language:predict", {"instances": ["Wo ist der Bahnhof?"]}, "German"),  # TensorFlow Serving
    ("/v1/models/language:predict", {"instances": [{"text": "Wo ist der Bahnhof?"}]}, "German"),  # KServe V1
    ("/v2/models/language/infer", {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["Wo ist der Bahnhof?"]}]}, "German"),
    ("/grps/v1/infer/predict", {"model": "language", "str_data": "Wo ist der Bahnhof?"}, "German"),
]
WIRES = ["v1", "tfs", "tfs-grpc", "v2", "v2-grpc", "grps", "grps-grpc"]


def run(*command, check=True, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def say(text):
    print(text, flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Container:
    """One container of the image, and what it prints."""

    def __init__(self, root, config, work, arguments, mounts=()):
        self.entry = config["Entrypoint"]
        self.user = [int(part) for part in config["User"].split(":")]
        self.log = work / "log"
        env = [*config["Env"], f"SLUICE_SHUTDOWN_GRACE_PERIOD={GRACE}s"]
        self.env = dict(line.split("=", 1) for line in env)
        self.command = [
            "bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL",
            "--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
            *(word for here, there in mounts for word in ("--ro-bind", here, there)),
            "--remount-ro", "/", "--chdir", "/", "--info-fd", "{info}", *self.entry, *arguments]

    def __enter__(self):
        read, write = os.pipe()
        command = [str(word).replace("{info}", str(write)) for word in self.command]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, pass_fds=[write], env=self.env,
                                            user=self.user[0], group=self.user[1], extra_groups=[])
        os.close(write)
        with os.fdopen(read) as info:
            self.pid = json.loads(info.read() or "{}").get("child-pid")
        return self

    def exec(self, *command, check=True):
        """Runs a command beside the server, in its namespaces and as its user."""
        inside = ["nsenter", "--target", self.pid, "--user", "--mount", "--pid", "--ipc", "--uts", "--root", "--wd",
                  "--setuid", self.user[0], "--setgid", self.user[1]]
        return run(*inside, *command, check=check, env={"PATH": os.environ["PATH"], **self.env})

    def healthy(self, health, *more):
        return self.exec(*health, *more, check=False).returncode == 0

    def wait_until(self, health, *more):
        """Asks by the image's own health check."""
        started = time.monotonic()
        while not self.healthy(health, *more):
            if self.process.poll() is not None or time.monotonic() - started > 60:
                raise AssertionError(f"not ready\n{self.log.read_text()}")
            time.sleep(0.1)

    def stop(self):
        started = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        code = self.process.wait(GRACE + DRAIN + 10)
        took = time.monotonic() - started
        assert code == 0, f"ended with {code}\n{self.log.read_text()}"
        assert took < GRACE + DRAIN, f"took {took:.1f} s"
        assert "without the AOT cache" not in self.log.read_text(), self.log.read_text()
        say(f"SIGTERM: exit code 0 after {took:.1f} s, of which {GRACE} s are the grace period")

    def __exit__(self, kind, *_):
        if kind:
            say(self.log.read_text())
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)


@contextmanager
def mounted(image, place):
    """Mounts the image where its user can reach it."""
    container = run("buildah", "from", "--pull-never", image).stdout.strip()
    try:
        run("mount", "--bind", run("buildah", "mount", container).stdout.strip(), place)
        yield place
    finally:
        run("umount", place, check=False)
        run("buildah", "rm", container)


def described(image):
    """The image's configuration is what a registry would have."""
    oci = json.loads(run("buildah", "inspect", "--type", "image", image).stdout)
    config, docker = oci["OCIv1"]["config"], oci["Docker"]["config"]
    for label in ("title", "description", "licenses", "version", "revision"):
        assert config["Labels"].get(f"org.opencontainers.image.{label}"), label
    assert config["User"] == "1000:1000", config["User"]
    health = docker["Healthcheck"]["Test"]
    assert health[0] == "CMD", f"{health}: a shell would be needed"
    say(f"image: user {config['User']}, {len(config['Labels'])} labels, a health check without a shell")
    return config, health[1:]


def contents(root):
    for shell in ("bin/sh", "bin/bash", "usr/bin/sh", "bin/busybox"):
        assert not (root / shell).exists(), shell
    bill = json.loads((root / "opt/sluice/sbom.json").read_text())
    shipped = {component["name"] for component in bill["components"]}
    assert {"libonnxruntime.so", "openjdk"} <= shipped, shipped
    size = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file() and not file.is_symlink())
    say(f"root file system: {size / 1e6:.0f} MB, {len(shipped)} components in its bill of materials, no shell")


def asked(container, health, port):
    url = f"http://127.0.0.1:{port}"
    began = time.monotonic()
    container.wait_until(health, "--url", url)
    say(f"ready after {time.monotonic() - began:.1f} s or less")
    for path, body, wanted in CALLS:
        answer = run("curl", "-sS", "-H", "Content-Type: application/json", "-d", json.dumps(body), url + path).stdout
        assert wanted in answer, f"{path}: {answer}"
    for wire in WIRES:
        server = ["infer", "addsub", "--url", url, "--protocol", wire]
        zeros = ",".join("1" for _ in range(16))
        answer = container.exec(*container.entry, *server, "--input", f"INPUT0:INT32=[[{zeros}]]", "--input", f"INPUT1:INT32=[[{zeros}]]")
        assert "2" in answer.stdout, f"{wire}: {answer.stdout}"
    metrics = run("curl", "-sS", url + "/metrics").stdout
    assert "sluice_build_info{version=" in metrics
    say(f"answers by HTTP ({len(CALLS)} protocols), {', '.join(WIRES)}; " + next(line for line in metrics.splitlines() if line.startswith("sluice_build_info")))
    times = []
    for _ in range(5):
        began = time.monotonic()
        assert container.healthy(health, "--url", url)
        times.append(time.monotonic() - began)
    say(f"health check: {sorted(times)[2]:.2f} s (median of 5)")
    assert not container.healthy(health, "--url", f"http://127.0.0.1:{free_port()}")


def token(key):
    """A JSON Web Token by ES256, whose signature is r and s, 32 bytes each."""
    def text(part):
        return base64.urlsafe_b64encode(part).rstrip(b"=")
    claims = {"sub": "tester", "iss": "image-test", "aud": "sluice", "exp": int(time.time()) + 600}
    signed = text(json.dumps({"alg": "ES256", "typ": "JWT"}).encode()) + b"." + text(json.dumps(claims).encode())
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed, capture_output=True, check=True).stdout
    numbers, at = [], 2
    for _ in range(2):
        length = der[at + 1]
        numbers.append(int.from_bytes(der[at + 2:at + 2 + length], "big").to_bytes(32, "big"))
        at += 2 + length
    return (signed + b"." + text(b"".join(numbers))).decode()


class Collector(ThreadingHTTPServer):
    """Takes spans by OTLP over HTTP, and keeps the sizes of the messages."""

    def __init__(self):
        spans = self.spans = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                spans.append(len(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def secured(root, config, health, work):
    settings = work / "settings"
    settings.mkdir()
    collector = Collector()
    key, certificate, port = settings / "server.key", settings / "server.pem", free_port()
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate)
    run("openssl", "ec", "-in", key, "-pubout", "-out", settings / "jwt.pem")
    (settings / "sluice.yml").write_text(f"""
listeners:
  - address: 127.0.0.1:{port}
    tls: {{ certificate: /tmp/settings/server.pem, key: /tmp/settings/server.key }}
  - address: unix:/tmp/sluice.sock
models: {{ directory: /opt/sluice/models }}
tracing: {{ endpoint: "http://127.0.0.1:{collector.server_port}" }}
security:
  policies:
    - identities: ["jwt:tester"]
      roles: [inference, metadata]
  jwt: {{ keys: /tmp/settings/jwt.pem, issuer: image-test, audience: [sluice] }}
""")
    for file in settings.iterdir():
        os.chown(file, 1000, 1000)
    bearer = token(key)
    with Container(root, config, work, ["serve", "--config", "/tmp/settings/sluice.yml"], [(settings, "/tmp/settings")]) as container:
        url = f"https://localhost:{port}"
        container.wait_until(health, "--url", url, "--token", bearer)
        assert container.healthy(health, "--url", url, "--cacert", "/tmp/settings/server.pem", "--token", bearer)
        assert container.healthy(health, "--socket", "/tmp/sluice.sock", "--token", bearer)
        assert not container.healthy(health, "--url", url), "healthy without a token"
        for head, status in (([], "403"), (["-H", f"Authorization: Bearer {bearer}"], "200"), (["-H", f"Authorization: Bearer {bearer}x"], "401")):
            answer = run("curl", "-sS", "--cacert", certificate, *head, "-o", "/dev/null", "-w", "%{http_code}", url + "/v2/models/addsub").stdout
            assert answer == status, f"{answer} instead of {status}"
        container.stop()
    collector.shutdown()
    assert collector.spans, "no spans came"
    say("TLS and tokens of elliptic curves, a Unix domain socket, spans by OTLP: as they should be")


def served(root, config, health, work):
    contents(root)
    port = free_port()
    with Container(root, config, work / "plain",
                   ["serve", "--models", "/opt/sluice/models", "--listen", f"127.0.0.1:{port}"]) as container:
        asked(container, health, port)
        container.stop()
    secured(root, config, health, work / "secured")


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or len(sys.argv) != 2:
        say(f"missing: {', '.join(missing)}" if missing else __doc__)
        sys.exit(3)
    image = sys.argv[1]
    config, health = described(image)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        work = Path(folder)
        for name in ("root", "plain", "secured"):
            (work / name).mkdir()
        with mounted(image, work / "root") as root:
            served(root, config, health, work)


if __name__ == "__main__":
    main()
