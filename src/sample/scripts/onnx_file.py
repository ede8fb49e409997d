"""What every hand-built ONNX model here has in common: one opset, one IR version, checked before it is written."""
from pathlib import Path

import onnx
from onnx import TensorProto, helper

MODELS = Path(__file__).resolve().parent.parent / "models"

# Opset 20 is the oldest with StringSplit; IR 9 belongs to it. Older runtimes can then still read the files.
OPSETS = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("com.microsoft", 1)]
IR_VERSION = 9

# The protocols' names of the tensor types. BYTES is called STRING in ONNX.
TYPES = {
    "BOOL": TensorProto.BOOL,
    "UINT8": TensorProto.UINT8, "UINT16": TensorProto.UINT16, "UINT32": TensorProto.UINT32, "UINT64": TensorProto.UINT64,
    "INT8": TensorProto.INT8, "INT16": TensorProto.INT16, "INT32": TensorProto.INT32, "INT64": TensorProto.INT64,
    "FP16": TensorProto.FLOAT16, "BF16": TensorProto.BFLOAT16, "FP32": TensorProto.FLOAT, "FP64": TensorProto.DOUBLE,
    "BYTES": TensorProto.STRING,
}


def value(name, datatype, shape):
    """An input or output; a word in the shape is a dimension of free length."""
    return helper.make_tensor_value_info(name, TYPES[datatype], shape)


def save(folder, nodes, inputs, outputs, initializers=(), version=1, doc=""):
    """Writes <folder>/<version>/model.onnx."""
    folder = Path(folder)
    graph = helper.make_graph(nodes, folder.name, inputs, outputs, list(initializers))
    domains = {node.domain for node in nodes}
    opsets = [opset for opset in OPSETS if opset.domain in domains or not opset.domain]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="sluice", doc_string=doc)
    onnx.checker.check_model(model, full_check=True)
    path = folder / str(version) / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))
    return path
