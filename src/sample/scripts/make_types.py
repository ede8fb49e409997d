"""types: returns what it gets, one input and one output for every tensor type, to try out clients and encodings."""
from onnx import helper

from onnx_file import MODELS, TYPES, save, value

# Every tensor has a free dimension of its own: the lengths in one request need not agree.
save(
    MODELS / "types",
    [helper.make_node("Identity", [t.lower()], [t.lower() + "_out"]) for t in TYPES],
    [value(t.lower(), t, ["n_" + t.lower()]) for t in TYPES],
    [value(t.lower() + "_out", t, ["n_" + t.lower()]) for t in TYPES],
    doc="Identity for every tensor type",
)
