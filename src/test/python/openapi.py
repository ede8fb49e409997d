"""Has a running server's API documents judged, and the server by them: openapi-spec-validator says whether each document is
valid, schemathesis whether every answer is one that the document has.

    python openapi.py URL [MODEL ...]

Without models, the documents of all models are asked; with some, theirs one after the other, and what concerns no model once.
Both tools are installed by openapi-requirements.txt. The seed is fixed, so two runs send the same.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

from openapi_spec_validator import validate

HERE = Path(__file__).resolve().parent


def read(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


def ask(name, document, url, place):
    """Whether schemathesis finds nothing."""
    file = Path(place) / "document.json"
    file.write_text(json.dumps(document))
    out = Path(place) / "out.txt"
    with open(out, "w") as log:
        code = subprocess.run(
            [Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run", file,
             "--url", url, "--phases", "examples,coverage,fuzzing"],
            cwd=place, stdout=log, stderr=log,
            env=os.environ | {"SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": str(HERE), "NO_COLOR": "1"}).returncode
    text = out.read_text()
    if code:
        print(text[-20000:])
    cases = next((line.strip() for line in text.splitlines() if " generated" in line), "no cases")
    print(f"{name}: {len(document['paths'])} paths, {cases}")
    return code == 0


def fresh(paths, seen):
    """Those that no other document had, and of a model's the one of its latest version."""
    for path, item in paths.items():
        if path.startswith("/console/"):
            continue  # data of the console's own page, which may change with it
        key = path if "{model}" in path else schema(item) or path
        if "{model}" in path or key not in seen:
            seen.add(key)
            yield path, item


def schema(item):
    """The schema that requests of a model have."""
    body = item.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
    return body.get("schema", {}).get("$ref")


def documents(url, models):
    for entry in read(f"{url}/openapi")["documents"]:
        where = f"{url}/{entry['url']}"
        if not models:
            yield entry["name"], read(where)
        seen = set()
        for model in models:
            document = read(f"{where}?model={urllib.parse.quote(model)}")
            document["paths"] = {path: item for path, item in fresh(document["paths"], seen)}
            if document["paths"]:
                yield f"{entry['name']} of {model}", document


def main(url, *models):
    good = True
    for name, document in documents(url, models):
        validate(document)
        with tempfile.TemporaryDirectory() as place:
            good &= ask(name, document, url, place)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
