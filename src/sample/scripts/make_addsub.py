"""addsub: sum and difference of two rows of 16 whole numbers, the model most V2 example clients ask for."""
from onnx import helper

from onnx_file import MODELS, save, value

save(
    MODELS / "addsub",
    [helper.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"]), helper.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"])],
    [value(name, "INT32", ["batch", 16]) for name in ("INPUT0", "INPUT1")],
    [value(name, "INT32", ["batch", 16]) for name in ("OUTPUT0", "OUTPUT1")],
    doc="OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1",
)
