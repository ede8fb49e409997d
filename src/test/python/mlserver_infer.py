"""Asks a running server by `mlserver infer`, and fails with a text if an answer is wrong.

    pip install mlserver
    python mlserver_infer.py HOST:PORT

The server has the models of src/test/models/oip.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(sys.executable).parent / "mlserver"


def request(i):
    rows = [{"name": name, "datatype": "INT32", "shape": [1, 16], "data": [i] * 16} for name in ("INPUT0", "INPUT1")]
    return json.dumps({"id": str(i), "inputs": rows})


def infer(address, folder, *flags):
    asked, answered = folder / "asked", folder / "answered"
    asked.write_text("\n".join(map(request, range(10))) + "\n")
    subprocess.run([COMMAND, "infer", "--url", address, "--model-name", "addsub", "--input-data-path", asked,
                    "--output-data-path", answered, *flags], check=True)
    sums = set()
    for line in answered.read_text().splitlines():
        outputs = {output["name"]: output["data"] for output in json.loads(line)["outputs"]}
        assert len(set(outputs["OUTPUT0"])) == 1 and set(outputs["OUTPUT1"]) == {0}, line
        sums.add(outputs["OUTPUT0"][0])
    assert sums == {2 * i for i in range(10)}, sums


for flags in ([], ["--workers", "3"], ["--batch-size", "4"], ["--binary-data"]):
    with tempfile.TemporaryDirectory() as folder:
        infer(sys.argv[1], Path(folder), *flags)
print("mlserver infer: all as expected")
