"""Has Triton's perf_analyzer measure a running server over HTTP and gRPC, and checks that its report is whole.

    pip install tritonclient==2.41.1 nvidia-cuda-runtime-cu12
    python perf_analyzer.py HOST:HTTP_PORT HOST:GRPC_PORT

That client was the last on PyPI to hold the program. It needs libb64 (Debian: libb64-0d), of the system or unpacked in the
folder `debian` of the environment; without it this ends with 3. The server has the models of src/test/models/oip and triton.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).parent / "perf_analyzer"
LIBRARIES = [str(folder) for pattern in ("lib/python*/site-packages/nvidia/cuda_runtime/lib", "debian/usr/lib/*")
             for folder in Path(sys.prefix).glob(pattern)]
ENVIRONMENT = os.environ | {"LD_LIBRARY_PATH": ":".join([*LIBRARIES, os.environ.get("LD_LIBRARY_PATH", "")]).strip(":")}


def measure(protocol, address, model, *flags):
    """Has it ask as many times as it takes for two windows, and wants its report to be whole: nothing in it is 0."""
    command = [PROGRAM, "-m", model, "-i", protocol, "-u", address, "--measurement-mode", "count_windows",
               "--measurement-request-count", "100", "--stability-percentage", "999", *flags]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    report = done.stdout + done.stderr
    missing = re.search(r"(lib\S+): cannot open shared object file", report)
    if missing:
        print(f"the library {missing[1]} is missing")
        sys.exit(3)
    assert done.returncode == 0, report
    count = r"Inference count: (\d+)\s+Execution count: (\d+)\s+Successful request count: (\d+)"
    counted = re.findall(count, report)
    assert counted and all(int(number) > 0 for numbers in counted for number in numbers), report
    times = re.findall(r"queue (\d+) usec . compute input \d+ usec . compute infer (\d+) usec . compute output \d+ usec", report)
    assert times and all(int(number) > 0 for pair in times for number in pair), report
    rates = re.findall(r"throughput: (\S+) infer/sec, latency (\d+) usec", report)
    print(protocol, model, *flags, " ".join(f"{rate}/s at {latency} us" for rate, latency in rates), flush=True)


HTTP, GRPC = sys.argv[1:]
measure("http", HTTP, "simple", "--concurrency-range", "1:8:7")
measure("grpc", GRPC, "simple", "--concurrency-range", "1:8:7")
measure("grpc", GRPC, "simple", "--async")
measure("grpc", GRPC, "simple", "--streaming", "--concurrency-range", "4")
measure("http", HTTP, "idf", "--shape", "INPUT0:32", "-b", "2")
measure("http", HTTP, "simple", "--input-tensor-format", "json", "--output-tensor-format", "json")
measure("http", HTTP, "simple_string", "--string-data", "7")
measure("grpc", GRPC, "seq", "--streaming", "--concurrency-range", "2")
measure("http", HTTP, "ens")
print("perf_analyzer: all as expected")
