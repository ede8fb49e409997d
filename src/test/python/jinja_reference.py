"""Renders the chat templates of the tests as Hugging Face's transformers would, and writes what comes out.

    pip install jinja2
    python jinja_reference.py src/test/resources/text/jinja

Each template, and each line of expressions.txt, is rendered for each conversation of conversations.json;
expected.json has the texts. Of a template that fails there is only null: the words of an error are not compared.
"""
import json
import pathlib
import sys

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment


def raise_exception(message):
    raise TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
environment.filters["tojson"] = tojson
environment.globals |= {"raise_exception": raise_exception, "strftime_now": lambda shape: "01 Feb 2024"}


def rendered(template, conversation):
    try:
        return environment.from_string(template).render(
            {"tools": None, "bos_token": "<s>", "eos_token": "</s>"} | conversation)
    except Exception:
        return None


folder = pathlib.Path(sys.argv[1])
conversations = json.loads((folder / "conversations.json").read_text())
templates = {file.name: file.read_text() for file in sorted(folder.glob("*.jinja"))}
templates |= {line: line for line in (folder / "expressions.txt").read_text().splitlines()}
expected = {name: [rendered(template, each) for each in conversations] for name, template in templates.items()}
(folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n")
