"""What JSON Schema cannot say of a request that is otherwise right, for schemathesis.

The number of a tensor's elements is the product of its shape, and all tensors of a request have as many rows. So requests that
are meant to be right get the shapes of the document's example, with the values that were made for them. A function that is to be
called is one of those that there are. Requests that are meant to be wrong stay as they are.
"""
import itertools

import schemathesis

BINARY = "application/octet-stream"
LENGTH = "Inference-Header-Content-Length"


@schemathesis.hook
def filter_case(context, case):
    """Raw tensors are no JSON: what is in them no schema says."""
    return case.media_type != BINARY and LENGTH not in (case.headers or {})


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    headers = case.headers or {}
    if "Request-Timeout" in headers:
        headers["Request-Timeout"] = "60s"
    if isinstance(case.body, dict):
        case.body = mended(case.body, example_of(case))


def example_of(case):
    body = case.operation.definition.raw.get("requestBody", {})
    return body.get("content", {}).get("application/json", {}).get("example") or {}


def mended(body, example):
    body = plain(body)
    if isinstance(body.get("tool_choice"), dict):
        first, choice = body["tools"][0], body["tool_choice"]
        choice.get("function", choice)["name"] = first.get("function", first)["name"]
    if "inputs" in example and isinstance(example["inputs"], list):
        body["inputs"] = [tensor(made, like) for made, like in zip(body["inputs"], example["inputs"])]
        # Each once; and classes are of numbers alone.
        body["outputs"] = [{"name": name} for name in sorted({output["name"] for output in body.get("outputs", [])})]
    elif isinstance(body.get("inputs"), dict):
        body["inputs"] = {name: made[:1] if isinstance(made, list) else made for name, made in body["inputs"].items()}
    elif "instances" not in example and "inputs" not in example:
        for name, like in example.items():
            if name in body:
                body[name] = values(body[name], like)
    return body


def plain(made):
    """Numbers that JSON Schema takes for integers are written as such: 2, not 2.0. Bytes are text. No deadline passes."""
    if isinstance(made, list):
        return [plain(one) for one in made]
    if isinstance(made, dict):
        if list(made) == ["b64"]:
            return {"b64": "dGV4dA=="}
        return {name: 60_000_000 if name == "timeout" else plain(value) for name, value in made.items()}
    return int(made) if isinstance(made, float) and made.is_integer() else made


def tensor(made, like):
    return {**like, "data": values(made.get("data", []), like["data"])}


def values(made, like):
    """As many as there are in the example, out of those that were made, of the type that they have there."""
    if not isinstance(like, list):
        return values(made, [like])[0]
    right = [typed(one, like[0]) for one in flat(made) if fits(one, like[0])] or like
    return list(itertools.islice(itertools.cycle(right), len(like)))


def flat(made):
    return itertools.chain.from_iterable(map(flat, made)) if isinstance(made, list) else [made]


def fits(one, like):
    if isinstance(like, bool) or isinstance(one, bool):
        return isinstance(one, bool) and isinstance(like, bool)
    return isinstance(one, (int, float)) if isinstance(like, (int, float)) else isinstance(one, type(like))


def typed(one, like):
    return int(one) if isinstance(like, int) and not isinstance(like, bool) else one
