"""The clients that conformance.py has ask: what each needs, the server it asks, and how it is started.

In commands {place} is the client's environment, {http}, {grpc} and {admin} are the server's ports. A script ends with 0 if all was as
expected, and with 3 if the client cannot run here.
"""
import os
import re
import shutil
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
TEST = ROOT / "src/test"
MODELS, SAMPLES = TEST / "models", ROOT / "target/sluice/models"
LISTEN = ["--listen=localhost:{http}", "--listen=localhost:{grpc}"]
TRITON_MODELS = [f"--set=models.list.{name}={MODELS / 'triton' / name}" for name in ("simple", "simple_int8", "simple_string")]
TRITON = ["serve", "--models", MODELS / "oip", *TRITON_MODELS, f"--set=models.list.writer={SAMPLES / 'writer'}",
          *[f"--set=models.list.{name}={MODELS / 'oip_ensembles' / name}" for name in ("ens", "idi32")], *LISTEN]
TEXT = ["serve", "--models", MODELS / "encoders", *[f"--set=models.list.{name}={SAMPLES / name}" for name in ("chat", "writer")], *LISTEN]
ADDRESSES = ["localhost:{http}", "localhost:{grpc}"]


class Pip(NamedTuple):
    """Packages of Python, in a virtual environment of their own."""
    packages: list

    def into(self, run):
        run.install([sys.executable, "-m", "venv", "--clear", run.place])
        run.install([run.place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self.packages])


class PipWithout(NamedTuple):
    """A package of Python and what it wants, in the versions it names, without some that it starts without."""
    package: str
    without: set

    def into(self, run):
        Pip(["--no-deps", self.package]).into(run)
        site = next(run.place.glob("lib/python*/site-packages"))
        [package] = Distribution.discover(name=self.package.split("==")[0], path=[str(site)])
        wanted = [one for one in package.requires if "extra ==" not in one and re.match(r"[\w.-]+", one)[0] not in self.without]
        run.install([run.place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])


class Debian(NamedTuple):
    """A library of Debian, unpacked beside the client, where Debian's tools are; the client says if it is not to be had."""
    package: str

    def into(self, run):
        if shutil.which("apt-get"):
            run.wait(["apt-get", "--quiet", "download", self.package], 60, cwd=run.place)
        for file in run.place.glob(f"{self.package}_*.deb"):
            run.install(["dpkg-deb", "--extract", file, run.place / "debian"])


class Npm(NamedTuple):
    packages: list

    def into(self, run):
        needs(run, "npm")
        run.install(["npm", "install", "--no-audit", "--no-fund", "--prefix", run.place, *self.packages])


class Maven(NamedTuple):
    """Libraries of Java, by a POM that names them."""
    pom: Path

    def into(self, run):
        needs(run, "mvn")
        shutil.copy(self.pom, run.place / "pom.xml")
        run.install(["mvn", "--batch-mode", "--quiet", f"--file={run.place / 'pom.xml'}", "dependency:copy-dependencies",
                     f"-DoutputDirectory={run.place / 'jars'}"])


class Go(NamedTuple):
    """A program of Go, maybe with stubs that its own generators make of our files: these need grpcio-tools, for its protoc."""
    folder: Path
    generators: list = []

    def into(self, run):
        needs(run, "go")
        tools, program = run.place / "tools", run.place / "program"
        environment = os.environ | {"GOBIN": str(tools), "GOFLAGS": "-modcacherw", "GOPATH": str(run.place / "go"),
                                    "GOCACHE": str(run.place / "cache"), "PATH": f"{tools}:{os.environ['PATH']}"}
        for generator in self.generators:
            run.install(["go", "install", generator], env=environment)
        shutil.copytree(self.folder, program, dirs_exist_ok=True)
        if self.generators:
            self.stubs(run, program, environment)
        run.install(["go", "build", "-o", run.place / "client", "."], cwd=program, env=environment)

    def stubs(self, run, program, environment):
        stubs = [f"--go{kind}_{option}" for kind in ("", "-grpc") for option in (
            f"out={program}", "opt=module=client", "opt=Moip/service.proto=client/oip", "opt=Moip/model_config.proto=client/oip")]
        run.install([run.place / "bin/python", "-m", "grpc_tools.protoc", f"-I{ROOT / 'src/main/proto'}", *stubs,
                     "oip/service.proto", "oip/model_config.proto"], env=environment)


def needs(run, program):
    run.install(["sh", "-c", f"command -v {program} || {{ echo there is no {program} on the PATH; exit 1; }}"])


class Client(NamedTuple):
    installed: list
    server: list
    asks: list
    environment: dict = {}

# What Open WebUI runs models of its own with, PyTorch and all: it asks the server instead.
LOCAL_MODELS = {"accelerate", "faster-whisper", "opencv-python-headless", "rapidocr", "sentence-transformers", "transformers"}


def python(script, *words):
    return ["{place}/bin/python", TEST / "python" / script, *words]


CLIENTS = {
    "tfs": Client([Pip(["tensorflow-serving-api==2.21.0", "tensorflow-cpu==2.21.0"])],
                  ["serve", "--models", MODELS / "tfs", *LISTEN], python("tfs_client.py", "localhost:{grpc}")),
    "kserve": Client([Pip(["kserve==0.21.0"])], ["kserve", "--model_dir", SAMPLES, "--http_port={http}", "--grpc_port={grpc}"],
                     python("kserve_client.py", "localhost:{http}")),
    "triton": Client([Pip(["tritonclient[all]==2.73.0"])], [*TRITON, "--set=admin=localhost:{admin}"],
                     python("triton_client.py", "localhost:{admin}", "localhost:{admin}")),
    "triton-control": Client(
        [Pip(["tritonclient[all]==2.73.0"])],
        ["tritonserver", "--model-repository", MODELS / "triton", "--model-control-mode=explicit", "--load-model=simple",
         "--http-address=localhost", "--http-port={http}", "--grpc-address=localhost", "--grpc-port={grpc}", "--allow-metrics=false", "--enable-control"],
        python("triton_control.py", *ADDRESSES)),
    "mlserver": Client([Pip(["mlserver==1.7.1"])], TRITON, python("mlserver_infer.py", "localhost:{http}")),
    "node": Client([Npm(["@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1"])], TRITON,
                   ["node", TEST / "node/triton_client.js", ROOT / "src/main/proto", "localhost:{grpc}"],
                   {"NODE_PATH": "{place}/node_modules"}),
    "cohere": Client([Pip(["cohere==7.3.1"])], ["serve", "--models", MODELS / "encoders", *LISTEN],
                     python("cohere_client.py", "localhost:{http}")),
    # What it has besides wants pictures, reasoning or a server that keeps responses.
    "open-responses": Client(
        [Pip(["llm-comply==0.5.0"])], TEXT,
        ["{place}/bin/llm-comply", "run", "--base-url=http://localhost:{http}/v1", "--api-key=none", "--model=chat", "--verbose", "--filter="
         "basic-response,system-prompt,multi-turn,tool-calling,streaming-response,streaming-usage,assistant-phase,response-output-phase-schema,"
         "error-handling"]),
    "openai": Client([Pip(["openai==3.57.0"])], TEXT, python("openai_client.py", "localhost:{http}")),
    "openai-node": Client([Npm(["openai@6.49.0"])], ["serve", "--models", SAMPLES, *LISTEN],
                          ["node", TEST / "node/openai_client.js", "localhost:{http}"], {"NODE_PATH": "{place}/node_modules"}),
    "openai-go": Client([Go(TEST / "go-openai")], TEXT, ["{place}/client", "localhost:{http}"]),
    "openai-java": Client([Maven(TEST / "jvm/pom.xml")], TEXT,
                          ["java", "--class-path", "{place}/jars/*", TEST / "jvm/OpenAiClient.java", "localhost:{http}"],
                          {"PATH": f"{os.environ.get('JAVA_HOME', '')}/bin:{os.environ['PATH']}"}),
    "langchain": Client([Pip(["langchain-openai==1.7.4"])], TEXT, python("langchain_client.py", "localhost:{http}")),
    "litellm": Client([Pip(["litellm==1.110.2"])], TEXT, python("litellm_client.py", "localhost:{http}"),
                      {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}),
    "ai": Client([Npm(["ai@7.0.173", "@ai-sdk/openai-compatible@2.0.92"])], TEXT,
                 ["node", TEST / "node/ai_client.mjs", "localhost:{http}", "{place}"]),
    "open-webui": Client([PipWithout("open-webui==0.12.4", LOCAL_MODELS)], TEXT, python("open_webui_client.py", "localhost:{http}")),
    "go": Client([Pip(["grpcio-tools==1.85.1"]),
                  Go(TEST / "go", ["google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.6",
                                   "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1"])],
                 TRITON, ["{place}/client", "localhost:{grpc}"]),
    "burst": Client([Pip(["aiohttp==3.14.5", "grpcio==1.85.1"])],
                    ["serve", "--models", SAMPLES, "--set=models.list.millis={work}/burst-millis", "--set=models.strict_readiness=false", *LISTEN],
                    python("burst.py", "localhost:{http}", "{work}/burst-millis")),
    "perf_analyzer": Client([Pip(["tritonclient==2.41.1", "nvidia-cuda-runtime-cu12==12.9.79"]), Debian("libb64-0d")], TRITON,
                            python("perf_analyzer.py", *ADDRESSES)),
}
