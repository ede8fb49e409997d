"""The little models of the Open Inference Protocol tests: ../oip, ../broken and the twin versions of "two"."""
import random
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "sample" / "scripts"))
from onnx_file import save, value

OIP = HERE.parent / "oip"
ENSEMBLES = HERE.parent / "oip_ensembles"
BROKEN = HERE.parent / "broken"

# One run of "slow" should take about 300 ms on one core. Counted in loop rounds, since a graph cannot sleep.
SLOW_ROUNDS = 34_000


def model(name, nodes, inputs, outputs, initializers=(), versions=(1,), **settings):
    for version in versions:
        save(OIP / name, nodes, inputs, outputs, initializers, version)
    if settings:
        (OIP / name / "model.yml").write_text("".join(f"{key}: {text}\n" for key, text in settings.items()))


def addsub(name, datatype, shape, **more):
    model(
        name,
        [helper.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"]), helper.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"])],
        [value("INPUT0", datatype, shape), value("INPUT1", datatype, shape)],
        [value("OUTPUT0", datatype, shape), value("OUTPUT1", datatype, shape)], **more)


def addsub_of_text():
    def cast(source, target, to):
        return helper.make_node("Cast", [source], [target], to=to)

    shape = ["batch", 16]
    model(
        "addsub_str",
        [
            cast("INPUT0", "number0", TensorProto.INT32), cast("INPUT1", "number1", TensorProto.INT32),
            helper.make_node("Add", ["number0", "number1"], ["sum"]), helper.make_node("Sub", ["number0", "number1"], ["difference"]),
            cast("sum", "OUTPUT0", TensorProto.STRING), cast("difference", "OUTPUT1", TensorProto.STRING),
        ],
        [value("INPUT0", "BYTES", shape), value("INPUT1", "BYTES", shape)],
        [value("OUTPUT0", "BYTES", shape), value("OUTPUT1", "BYTES", shape)], max_batch_size=8)


def identity(name, datatype, shape, **settings):
    model(name, [helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])],
          [value("INPUT0", datatype, shape)], [value("OUTPUT0", datatype, shape)], **settings)


def optional_input():
    # In ONNX an input becomes optional by an initializer of the same name.
    shape = ["batch", 4]
    model("opt", [helper.make_node("Add", ["A", "B"], ["Y"])],
          [value("A", "INT32", shape), value("B", "INT32", shape)], [value("Y", "INT32", shape)],
          [numpy_helper.from_array(np.zeros((1, 4), np.int32), "B")], max_batch_size=8)


def slow():
    # The matrices are small so that no second core can help, and their rows add up to 1, so that the product stays
    # what it was. The first one hangs on the input: the runtime would work out a constant loop while it loads.
    side = 32
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["on"], ["still_on"]),
            helper.make_node("MatMul", ["before", "average"], ["half_way"]),
            helper.make_node("MatMul", ["half_way", "average"], ["after"]),
        ],
        "round",
        [value("round_number", "INT64", []), value("on", "BOOL", []), value("before", "FP32", [side, side])],
        [value("still_on", "BOOL", []), value("after", "FP32", [side, side])])
    model(
        "slow",
        [
            helper.make_node("Shape", ["INPUT0"], ["shape"]),
            helper.make_node("ReduceMax", ["shape"], ["size"], keepdims=0),
            helper.make_node("Equal", ["size", "size"], ["yes"]),
            helper.make_node("Cast", ["yes"], ["one"], to=TensorProto.FLOAT),
            helper.make_node("Expand", ["one", "square"], ["start"]),
            helper.make_node("Loop", ["rounds", "", "start"], ["product"], body=body),
            # The product decides nothing, yet it must be asked for, or the loop would be left out as unused.
            helper.make_node("ReduceMax", ["product"], ["largest"], keepdims=0),
            helper.make_node("Greater", ["largest", "zero"], ["always"]),
            helper.make_node("Where", ["always", "INPUT0", "zero"], ["OUTPUT0"]),
        ],
        [value("INPUT0", "FP32", ["batch", "length"])], [value("OUTPUT0", "FP32", ["batch", "length"])],
        [
            numpy_helper.from_array(np.array([side, side], np.int64), "square"),
            numpy_helper.from_array(np.array(SLOW_ROUNDS, np.int64), "rounds"),
            numpy_helper.from_array(np.array(0, np.float32), "zero"),
            numpy_helper.from_array(np.full((side, side), 1 / side, np.float32), "average"),
        ])
    (OIP / "slow" / "config.pbtxt").write_text("""max_batch_size: 8
instance_group [ { count: 1 kind: KIND_CPU } ]
dynamic_batching { default_queue_policy { max_queue_size: 2 } }
""")


def running_sum():
    # The input names of a state are the server's business: callers see INPUT and OUTPUT only.
    shape = ["batch", 1]
    model("seq", [helper.make_node("Add", ["INPUT", "BEFORE"], ["OUTPUT"]), helper.make_node("Identity", ["OUTPUT"], ["AFTER"])],
          [value("INPUT", "INT32", shape), value("BEFORE", "INT32", shape)],
          [value("OUTPUT", "INT32", shape), value("AFTER", "INT32", shape)], max_batch_size=8,
          sequence="{ max_idle: 1m, max_sequences: 4, state: [{ output: AFTER, input: BEFORE }] }")


def controls():
    # Shows what the scheduler tells it. The state is a longer row with every request, and callers see it too.
    shape = ["batch", 1]
    told = {"START": "INT32", "END": "FP32", "READY": "BOOL", "ID": "UINT64", "NAME": "BYTES"}
    model("controls",
          [helper.make_node("Identity", [name], ["WAS_" + name]) for name in told]
          + [helper.make_node("Concat", ["BEFORE", "INPUT"], ["ALL"], axis=1)],
          [value("INPUT", "FP32", shape), value("BEFORE", "FP32", ["batch", "length"])]
          + [value(name, datatype, shape) for name, datatype in told.items()],
          [value("ALL", "FP32", ["batch", "longer"])]
          + [value("WAS_" + name, datatype, shape) for name, datatype in told.items()])
    (OIP / "controls" / "config.pbtxt").write_text("""max_batch_size: 4
input [ { name: "INPUT" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "ALL" data_type: TYPE_FP32 dims: [ -1 ] } ]
sequence_batching {
  max_sequence_idle_microseconds: 60000000
  oldest { max_candidate_sequences: 64 }
  control_input [
    { name: "START" control [ { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } ] },
    { name: "END" control [ { kind: CONTROL_SEQUENCE_END fp32_false_true: [ -1, 1 ] } ] },
    { name: "READY" control [ { kind: CONTROL_SEQUENCE_READY bool_false_true: [ false, true ] } ] },
    { name: "ID" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] },
    { name: "NAME" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } ] }
  ]
  state [
    { input_name: "BEFORE" output_name: "ALL" data_type: TYPE_FP32 dims: [ -1 ]
      initial_state: { name: "first" data_type: TYPE_FP32 dims: [ 2 ] data_file: "first" } }
  ]
}
""")
    first = OIP / "controls" / "initial_state" / "first"
    first.parent.mkdir(exist_ok=True)
    first.write_bytes(np.array([7, 8], "<f4").tobytes())


def two_numbers_of_four():
    weights = np.array([[1, 1], [1, 2], [1, 3], [1, 4]], np.float32)
    model("v1fp", [helper.make_node("MatMul", ["X", "weights"], ["Y"])],
          [value("X", "FP32", ["batch", 4])], [value("Y", "FP32", ["batch", 2])],
          [numpy_helper.from_array(weights, "weights")], max_batch_size=8)


def broken():
    path = BROKEN / "broken" / "1" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(random.Random(1).randbytes(256))


addsub("addsub", "INT32", ["batch", 16], max_batch_size=8)
addsub("addsub_nb", "INT32", [16])
addsub("addsub_i8", "INT8", ["batch", 16], max_batch_size=8)
addsub("two", "INT32", ["batch", 16], versions=(1, 3), version_policy="all", max_batch_size=8)
addsub_of_text()
for name, datatype in {"idb": "BYTES", "idf": "FP32", "idh": "FP16", "idbool": "BOOL", "idu8": "UINT8",
                       "idi64": "INT64", "idu64": "UINT64", "idd": "FP64"}.items():
    identity(name, datatype, ["batch", "length"], max_batch_size=8)
identity("idb1", "BYTES", ["batch", 1], max_batch_size=8)
identity("idf_nb", "FP32", ["rows", "columns"])
identity("cls", "FP32", ["batch", 10], max_batch_size=8, class_labels="{ OUTPUT0: labels.txt }")
(OIP / "cls" / "labels.txt").write_text("".join(f"l{label}\n" for label in range(10)))
save(ENSEMBLES / "idi32", [helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])], [value("INPUT0", "INT32", ["batch", "length"])],
     [value("OUTPUT0", "INT32", ["batch", "length"])], (), 1)
(ENSEMBLES / "idi32" / "model.yml").write_text("max_batch_size: 8\n")
optional_input()
running_sum()
controls()
slow()
two_numbers_of_four()
broken()
