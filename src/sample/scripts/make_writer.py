"""writer: one step of a decoder that goes on writing a text, character by character, in the manner of Jane Austen.

Reads the weights that train_writer.py left. A step takes any number of characters and gives the chances of what follows the
last one; the keys and values of the 128 characters before it are handed from step to step, always in tensors of the same
size, so that the steps of any two texts can run together.
"""
import json

import numpy as np
from onnx import helper, numpy_helper

from onnx_file import MODELS, save, value

WINDOW = 128
weights = dict(np.load("writer_weights.npz"))
vocabulary = list(str(weights.pop("vocabulary")))
width = weights["embed"].shape[1]
layers = sum(name.endswith(".qkv") for name in weights)
heads, inner = 4, weights["0.out"].shape[0] // 4

nodes, initializers = [], []


def node(op, *inputs, outputs=None, **attributes):
    names = outputs or [f"{op.lower()}_{len(nodes)}"]
    nodes.append(helper.make_node(op, list(inputs), names, **attributes))
    return names[0] if len(names) == 1 else names


def constant(name, array):
    initializers.append(numpy_helper.from_array(np.asarray(array), name))
    return name


def weight(name):
    """Half as large on disk; the runtime widens it once, when it loads."""
    return node("Cast", constant(name, weights[name].astype(np.float16)), to=1)


def whole(name, *numbers):
    return constant(name, np.array(numbers, np.int64))


def norm(x, gain):
    square = node("ReduceMean", node("Mul", x, x), "last", keepdims=1)
    return node("Mul", node("Div", x, node("Sqrt", node("Add", square, "small"))), weight(gain))


def rotate(x):
    first, second = node("Split", x, axis=3, num_outputs=2, outputs=[f"first_{len(nodes)}", f"second_{len(nodes)}"])
    turned = node("Sub", node("Mul", first, "cos"), node("Mul", second, "sin"))
    other = node("Add", node("Mul", second, "cos"), node("Mul", first, "sin"))
    return node("Concat", turned, other, axis=3)


def by_head(x):
    return node("Transpose", node("Reshape", x, "split_heads"), perm=[0, 2, 1, 3])


whole("last", -1), whole("axis_1", 1), whole("axis_2", 2), whole("window", WINDOW)
whole("split_heads", 0, 0, heads, inner), whole("join_heads", 0, 0, width), whole("end", 2**62), whole("cut", -WINDOW)
constant("small", np.float32(1e-5)), constant("never", np.float32(-1e9)), constant("scale", np.float32(inner**-0.5))
constant("one", np.int64(1)), constant("nothing", np.int64(0))
constant("frequencies", (10000.0 ** (-np.arange(inner // 2) / (inner // 2))).astype(np.float32))

# Places: those of the new characters, and of all that can be seen, [batch, …].
count = node("Shape", "token", start=1, end=2)
steps = node("Range", "nothing", node("Squeeze", count), "one")
places = node("Add", node("Unsqueeze", "position", "axis_1"), steps)
angles = node("Mul", node("Unsqueeze", node("Unsqueeze", node("Cast", places, to=1), "axis_1"), constant("axis_3", np.array([3], np.int64))), "frequencies")
node("Cos", angles, outputs=["cos"])
node("Sin", angles, outputs=["sin"])

# A character sees itself and the 127 before it, as far as there were any.
slots = node("Range", "nothing", node("Squeeze", node("Add", count, "window")), "one")
behind = node("Sub", node("Add", node("Unsqueeze", steps, "axis_1"), "window"), slots)
near = node("And", node("GreaterOrEqual", behind, "nothing"), node("Less", behind, "window"))
begun = node("GreaterOrEqual", slots, node("Sub", "window", node("Unsqueeze", "position", "axis_1")))
seen = node("And", node("Unsqueeze", begun, "axis_1"), near)
mask = node("Unsqueeze", node("Where", seen, constant("open", np.float32(0)), "never"), "axis_1")

x = node("Gather", weight("embed"), "token")
inputs = [value("token", "INT64", ["batch", "characters"]), value("position", "INT64", ["batch"])]
outputs = [value("logits", "FP32", ["batch", len(vocabulary)]), value("next_position", "INT64", ["batch"])]
for i in range(layers):
    q, k, v = node("Split", node("MatMul", norm(x, f"{i}.attend"), weight(f"{i}.qkv")), axis=2, num_outputs=3,
                   outputs=[f"q_{i}", f"k_{i}", f"v_{i}"])
    keys = node("Concat", f"past.{i}.key", rotate(by_head(k)), axis=2)
    values = node("Concat", f"past.{i}.value", by_head(v), axis=2)
    for name, all_of_them in (("key", keys), ("value", values)):
        node("Slice", all_of_them, "cut", "end", "axis_2", outputs=[f"present.{i}.{name}"])
        inputs.append(value(f"past.{i}.{name}", "FP32", ["batch", heads, WINDOW, inner]))
        outputs.append(value(f"present.{i}.{name}", "FP32", ["batch", heads, WINDOW, inner]))
    scores = node("Mul", node("MatMul", rotate(by_head(q)), node("Transpose", keys, perm=[0, 1, 3, 2])), "scale")
    read = node("MatMul", node("Softmax", node("Add", scores, mask), axis=-1), values)
    joined = node("Reshape", node("Transpose", read, perm=[0, 2, 1, 3]), "join_heads")
    x = node("Add", x, node("MatMul", joined, weight(f"{i}.out")))
    up = node("Relu", node("MatMul", norm(x, f"{i}.think"), weight(f"{i}.up")))
    x = node("Add", x, node("MatMul", node("Mul", up, up), weight(f"{i}.down")))

final = node("Squeeze", node("Slice", x, "last", "end", "axis_1"), "axis_1")
node("MatMul", norm(final, "final"), weight("head"), outputs=["logits"])
node("Add", "position", node("Squeeze", count), outputs=["next_position"])

path = save(MODELS / "writer", nodes, inputs, outputs, initializers, doc="One step of a writer of characters, with its memory")
(MODELS / "writer" / "vocabulary.json").write_text(json.dumps(vocabulary, ensure_ascii=False) + "\n")
print(f"{len(vocabulary)} characters, {path.stat().st_size} bytes")
