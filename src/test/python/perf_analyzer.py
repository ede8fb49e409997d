"""Has Triton's perf_analyzer measure a running server over HTTP and gRPC, and checks that its report is whole.

    pip install tritonclient==2.41.1 nvidia-cuda-runtime-cu12
    python perf_analyzer.py HOST:HTTP_PORT HOST:GRPC_PORT

That client was the last on PyPI to hold the program. It needs the library libb64 of the system (Debian: libb64-0d); without it
this ends with 3. The server has the models of src/test/models/triton.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).parent / "perf_analyzer"
LIBRARIES = [str(folder) for folder in Path(sys.prefix).glob("lib/python*/site-packages/nvidia/cuda_runtime/lib")]
ENVIRONMENT = os.environ | {"LD_LIBRARY_PATH": ":".join([*LIBRARIES, os.environ.get("LD_LIBRARY_PATH", "")]).strip(":")}


def measure(protocol, address, *flags):
    command = [PROGRAM, "-m", "simple", "-i", protocol, "-u", address, "--concurrency-range", "4", "--measurement-mode",
               "count_windows", "--measurement-request-count", "200", "--stability-percentage", "999", *flags]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    report = done.stdout + done.stderr
    missing = re.search(r"(lib\S+): cannot open shared object file", report)
    if missing:
        print(f"perf_analyzer cannot be installed: the library {missing[1]} is missing")
        sys.exit(3)
    assert done.returncode == 0, report
    count = r"Inference count: (\d+)\s+Execution count: (\d+)\s+Successful request count: (\d+)"
    counted = re.search(count, report)
    assert counted and all(int(number) > 0 for number in counted.groups()), report
    assert re.search(r"queue \d+ usec . compute input \d+ usec . compute infer \d+ usec . compute output \d+ usec", report), report
    print(protocol, *flags, re.search(r"Throughput: .*", report)[0])


measure("http", sys.argv[1])
measure("grpc", sys.argv[2])
measure("grpc", sys.argv[2], "--async")
print("perf_analyzer: all as expected")
