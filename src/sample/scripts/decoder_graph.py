"""A decoder of Llama's shape as an ONNX graph: with caches that are written in place, or ones that grow and are padded.

A form is a module or an object with the sizes TOKENS, LAYERS, HEADS, SHARED (heads of keys and values), INNER (a head's width),
CONTEXT, and BASE and SMALL, as Llama's configuration has them.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_file import save, value


def turns(base, width, length):
    """The cosines and sines that rotate the halves of a head of this width, [length, width / 2] each."""
    angles = np.arange(length)[:, None] * base ** (-np.arange(width // 2) / (width // 2))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


class Graph:
    """Nodes and constants, and what every kind of decoder has in common."""

    def __init__(self, form, weights):
        self.form, self.weights = form, weights
        self.nodes, self.initializers = [], []
        self.constant("two", np.float32(2)), self.constant("small", np.float32(form.SMALL)), self.constant("last", np.array([-1], np.int64))

    def node(self, op, *inputs, outputs=None, **attributes):
        names = outputs or [f"{op.lower()}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if len(names) == 1 else names

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, name):
        """Half as large on disk; the runtime widens it once, when it loads."""
        return self.node("Cast", self.constant(name, self.weights[name].astype(np.float16)), to=TensorProto.FLOAT)

    def norm(self, x, gain):
        square = self.node("ReduceMean", self.node("Pow", x, "two"), "last", keepdims=1)
        return self.node("Mul", self.node("Div", x, self.node("Sqrt", self.node("Add", square, "small"))), self.weight(gain))

    def save(self, folder, attention, doc, **where):
        """Writes the model, whose layers read the caches by an attention."""
        form, node = self.form, self.node
        embed = self.weight("embed")
        x = node("Gather", embed, "input_ids")
        inputs, outputs = attention.inputs(), [value("logits", "FP32", ["batch", "tokens", form.TOKENS])]
        for i in range(form.LAYERS):
            seen = self.norm(x, f"{i}.attend")
            q, k, v = (node("MatMul", seen, self.weight(f"{i}.{part}")) for part in "qkv")
            past = [f"past_key_values.{i}.{part}" for part in ("key", "value")]
            present = [f"present.{i}.{part}" for part in ("key", "value")]
            inputs += [value(name, "FP32", ["batch", form.SHARED, "past", form.INNER]) for name in past]
            outputs += [value(name, "FP32", ["batch", form.SHARED, "total", form.INNER]) for name in present]
            x = node("Add", x, node("MatMul", attention.read(i, q, k, v, past, present), self.weight(f"{i}.out")))
            seen = self.norm(x, f"{i}.think")
            gate = node("MatMul", seen, self.weight(f"{i}.gate"))
            hidden = node("Mul", node("Mul", gate, node("Sigmoid", gate)), node("MatMul", seen, self.weight(f"{i}.up")))
            x = node("Add", x, node("MatMul", hidden, self.weight(f"{i}.down")))
        node("MatMul", self.norm(x, "final"), node("Transpose", embed, perm=[1, 0]), outputs=["logits"])
        return save(folder, self.nodes, inputs, outputs, self.initializers, doc=doc, **where)


class InPlace:
    """ONNX Runtime's GroupQueryAttention: it rotates keys and queries, appends to the caches, and takes from the mask how much of
    its cache each row has, so that rows of any lengths run together."""

    def __init__(self, graph):
        self.graph = graph
        graph.constant("axis_1", np.array([1], np.int64)), graph.constant("first", np.array([1], np.int64))
        graph.constant("second", np.array(1, np.int64))
        cos, sin = turns(graph.form.BASE, graph.form.INNER, graph.form.CONTEXT)
        graph.constant("cos_cache", cos), graph.constant("sin_cache", sin)
        # The mask has a one for each token of a row so far, the new ones too. GroupQueryAttention wants the place of the last.
        lengths = graph.node("Sub", graph.node("ReduceSum", "attention_mask", "axis_1", keepdims=0), "first")
        graph.node("Cast", lengths, to=TensorProto.INT32, outputs=["seqlens_k"])
        total = graph.node("Gather", graph.node("Shape", "attention_mask"), "second", axis=0)
        graph.node("Cast", total, to=TensorProto.INT32, outputs=["total_sequence_length"])

    @staticmethod
    def inputs():
        return [value("input_ids", "INT64", ["batch", "tokens"]), value("attention_mask", "INT64", ["batch", "total"])]

    def read(self, i, q, k, v, past, present):
        read, *_ = self.graph.node(
            "GroupQueryAttention", q, k, v, *past, "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache",
            outputs=[f"read_{i}", *present], domain="com.microsoft", num_heads=self.graph.form.HEADS,
            kv_num_heads=self.graph.form.SHARED, do_rotary=1, rotary_interleaved=0)
        return read


class Growing:
    """Attention of plain operators over caches that each step makes anew, one token longer; places and mask are inputs, so that rows
    which are padded on the left run together."""

    def __init__(self, graph):
        self.graph, form, node = graph, graph.form, graph.node
        for name, dims in {"by_head": (0, 0, -1, form.INNER), "flat": (0, 0, form.HEADS * form.INNER),
                           "grouped": (0, form.SHARED, -1, form.INNER), "ungrouped": (0, form.HEADS, -1, form.INNER)}.items():
            graph.constant(name, np.array(dims, np.int64))
        for name, number in {"axis_1": 1, "axes_middle": [1, 2], "axes_front": [0, 1]}.items():
            graph.constant(name, np.atleast_1d(np.array(number, np.int64)))
        graph.constant("none", np.float32(0)), graph.constant("far", np.float32(-1e9)), graph.constant("zero", np.array(0, np.int64))
        graph.constant("one", np.array(1, np.int64)), graph.constant("scale", np.float32(form.INNER ** -0.5))
        cos, sin = turns(form.BASE, form.INNER, form.CONTEXT)
        self.turn = [node("Unsqueeze", node("Gather", graph.constant(name, table), "position_ids"), "axis_1")
                     for name, table in (("cos_table", cos), ("sin_table", sin))]
        # A query sees the keys up to its own place, unless the mask hides them.
        total = node("Gather", node("Shape", "attention_mask"), "one")
        keys = node("Range", "zero", total, "one")
        own = node("Slice", node("Unsqueeze", keys, "last"), node("Neg", node("Shape", "input_ids", start=1, end=2)),
                   graph.constant("end", np.array([np.iinfo(np.int64).max])), graph.constant("axis_0", np.array([0], np.int64)))
        before = node("Unsqueeze", node("LessOrEqual", keys, own), "axes_front")
        shown = node("Cast", node("Unsqueeze", "attention_mask", "axes_middle"), to=TensorProto.BOOL)
        self.bias = node("Unsqueeze", node("Where", node("And", before, shown), "none", "far"), "axis_1")
        self.shape_of_scores = node(
            "Concat", graph.constant("groups", np.array([0, form.SHARED, form.HEADS // form.SHARED], np.int64)),
            node("Shape", "input_ids", start=1, end=2), node("Shape", "attention_mask", start=1, end=2), axis=0)
        self.shape_of_shares = node("Concat", graph.constant("shares", np.array([0, form.SHARED, -1], np.int64)),
                                    node("Shape", "attention_mask", start=1, end=2), axis=0)

    @staticmethod
    def inputs():
        return [value("input_ids", "INT64", ["batch", "tokens"]), value("attention_mask", "INT64", ["batch", "total"]),
                value("position_ids", "INT64", ["batch", "tokens"])]

    def rotate(self, x):
        node, (cos, sin) = self.graph.node, self.turn
        first, second = node("Split", x, axis=-1, num_outputs=2, outputs=[f"{x}_first", f"{x}_second"])
        return node("Concat", node("Sub", node("Mul", first, cos), node("Mul", second, sin)),
                    node("Add", node("Mul", second, cos), node("Mul", first, sin)), axis=-1)

    def read(self, i, q, k, v, past, present):
        node = self.graph.node
        q, k, v = (node("Transpose", node("Reshape", x, "by_head"), perm=[0, 2, 1, 3]) for x in (q, k, v))
        node("Concat", past[0], self.rotate(k), axis=2, outputs=present[:1])
        node("Concat", past[1], v, axis=2, outputs=present[1:])
        # Heads that share keys and values are rows of one product.
        queries = node("Mul", node("Reshape", self.rotate(q), "grouped"), "scale")
        scores = node("MatMul", queries, node("Transpose", present[0], perm=[0, 1, 3, 2]))
        shares = node("Softmax", node("Add", node("Reshape", scores, self.shape_of_scores), self.bias), axis=-1)
        mixed = node("MatMul", node("Reshape", shares, self.shape_of_shares), present[1])
        return node("Reshape", node("Transpose", node("Reshape", mixed, "ungrouped"), perm=[0, 2, 1, 3]), "flat")
