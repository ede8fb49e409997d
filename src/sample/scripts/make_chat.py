"""chat: a decoder with a memory for each row, as language models are exported for ONNX Runtime.

Reads the weights that train_chat.py left. The attention is ONNX Runtime's GroupQueryAttention: it rotates keys and queries,
appends to the caches, and takes from the mask how much of its cache each row has, so that rows of any lengths run together.
"""
import json

import numpy as np
from onnx import helper, numpy_helper

import chat_model as model
from onnx_file import MODELS, save, value

nodes, initializers = [], []


def node(op, *inputs, outputs=None, **attributes):
    names = outputs or [f"{op.lower()}_{len(nodes)}"]
    nodes.append(helper.make_node(op, list(inputs), names, **attributes))
    return names[0] if len(names) == 1 else names


def constant(name, array):
    initializers.append(numpy_helper.from_array(np.asarray(array), name))
    return name


def graph(folder, weights):
    """Writes the model with these weights."""
    nodes.clear(), initializers.clear()

    def weight(name):
        """Half as large on disk; the runtime widens it once, when it loads."""
        return node("Cast", constant(name, weights[name].astype(np.float16)), to=1)

    def norm(x, gain):
        square = node("ReduceMean", node("Pow", x, "two"), "last", keepdims=1)
        return node("Mul", node("Div", x, node("Sqrt", node("Add", square, "small"))), weight(gain))

    constant("two", np.float32(2)), constant("small", np.float32(model.SMALL)), constant("last", np.array([-1], np.int64))
    constant("axis_1", np.array([1], np.int64)), constant("first", np.array([1], np.int64)), constant("second", np.array(1, np.int64))
    cos, sin = model.turns(model.CONTEXT)
    constant("cos_cache", cos), constant("sin_cache", sin)

    # The mask has a one for each token of a row so far, the new ones too. GroupQueryAttention wants the place of the last.
    lengths = node("Sub", node("ReduceSum", "attention_mask", "axis_1", keepdims=0), "first")
    node("Cast", lengths, to=6, outputs=["seqlens_k"])
    node("Cast", node("Gather", node("Shape", "attention_mask"), "second", axis=0), to=6, outputs=["total_sequence_length"])

    embed = weight("embed")
    x = node("Gather", embed, "input_ids")
    inputs = [value("input_ids", "INT64", ["batch", "tokens"]), value("attention_mask", "INT64", ["batch", "total"])]
    outputs = [value("logits", "FP32", ["batch", "tokens", model.TOKENS])]
    for i in range(model.LAYERS):
        seen = norm(x, f"{i}.attend")
        q, k, v = (node("MatMul", seen, weight(f"{i}.{part}")) for part in "qkv")
        past = [f"past_key_values.{i}.{part}" for part in ("key", "value")]
        present = [f"present.{i}.{part}" for part in ("key", "value")]
        inputs += [value(name, "FP32", ["batch", model.SHARED, "past", model.INNER]) for name in past]
        outputs += [value(name, "FP32", ["batch", model.SHARED, "total", model.INNER]) for name in present]
        read, *_ = node("GroupQueryAttention", q, k, v, *past, "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache",
                        outputs=[f"read_{i}", *present], domain="com.microsoft", num_heads=model.HEADS,
                        kv_num_heads=model.SHARED, do_rotary=1, rotary_interleaved=0)
        x = node("Add", x, node("MatMul", read, weight(f"{i}.out")))
        seen = norm(x, f"{i}.think")
        gate = node("MatMul", seen, weight(f"{i}.gate"))
        hidden = node("Mul", node("Mul", gate, node("Sigmoid", gate)), node("MatMul", seen, weight(f"{i}.up")))
        x = node("Add", x, node("MatMul", hidden, weight(f"{i}.down")))
    node("MatMul", norm(x, "final"), node("Transpose", embed, perm=[1, 0]), outputs=["logits"])
    return save(folder, nodes, inputs, outputs, initializers, doc="A small language model that talks")


def main():
    path = graph(MODELS / "chat", dict(np.load("chat_weights.npz")))
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
