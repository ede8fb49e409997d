"""Runs the test models in their own runtimes; ends with an error if an answer is not the expected one."""
import os
import time
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import onnx
import onnxruntime
import tensorflow as tf
from onnx import numpy_helper

MODELS = Path(__file__).resolve().parent.parent


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def oip(name, version=1, **inputs):
    return session(MODELS / "oip" / name / str(version) / "model.onnx").run(None, inputs)


def check(what, actual, expected):
    for ours, wanted in zip(actual, expected, strict=True):
        wanted = np.asarray(wanted)
        assert ours.dtype == wanted.dtype and ours.shape == wanted.shape, (what, ours.dtype, ours.shape)
        same = np.array_equal(ours, wanted) if wanted.dtype == object else ours.tobytes() == wanted.tobytes()
        assert same, (what, ours, wanted)


def open_inference_protocol():
    for name, kind, rows in (("addsub", np.int32, (3,)), ("addsub_i8", np.int8, (3,)), ("addsub_nb", np.int32, ()), ("two", np.int32, (3,))):
        numbers = np.broadcast_to(np.arange(16, dtype=kind), (*rows, 16))
        ones = np.ones_like(numbers)
        for version in (1, 3) if name == "two" else (1,):
            check(name, oip(name, version, INPUT0=numbers, INPUT1=ones), [numbers + ones, numbers - ones])
    top = np.full((1, 16), 127, np.int8)
    check("addsub_i8 wraps", oip("addsub_i8", INPUT0=top, INPUT1=np.ones_like(top))[:1], [np.full((1, 16), -128, np.int8)])

    def text(numbers):
        return np.array([[str(number) for number in numbers]], object)

    check("addsub_str", oip("addsub_str", INPUT0=text(range(16)), INPUT1=text([1] * 16)),
          [text(range(1, 17)), text(range(-1, 15))])

    identities = {"idf": "f4", "idf_nb": "f4", "idh": "f2", "idu8": "u1", "idi64": "i8", "idu64": "u8", "idd": "f8"}
    for name, kind in identities.items():
        for shape in ((2, 3), (1, 0), (0, 3)):
            bits = np.full(np.prod(shape) * np.dtype(kind).itemsize, 0xFF, np.uint8).view(kind).reshape(shape)
            check(name, oip(name, INPUT0=bits), [bits])
    truths = np.array([[True, False]])
    check("idbool", oip("idbool", INPUT0=truths), [truths])
    words = np.array([["", "é", "日本"]], object)
    check("idb", oip("idb", INPUT0=words), [words])
    check("idb1", oip("idb1", INPUT0=words[:, 2:]), [words[:, 2:]])
    scores = np.arange(10, dtype=np.float32)[None]
    check("cls", oip("cls", INPUT0=scores), [scores])

    a = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.int32)
    check("opt with B", oip("opt", A=a, B=a), [2 * a])
    check("opt without B", oip("opt", A=a), [a])
    check("v1fp", oip("v1fp", X=a.astype(np.float32)), [np.array([[10, 30], [26, 70]], np.float32)])

    slow = session(MODELS / "oip" / "slow" / "1" / "model.onnx")
    for batch in (1, 8):
        given = np.full((batch, 3), np.nan, np.float32)
        started = time.process_time()
        check("slow", slow.run(None, {"INPUT0": given}), [given])
        print(f"  slow, batch {batch}: {time.process_time() - started:.3f} s of processor time")
    try:
        session(MODELS / "broken" / "broken" / "1" / "model.onnx")
    except Exception:
        return
    raise AssertionError("the broken model loads")


def onnx_data_sets():
    count = 0
    for path in sorted((MODELS / "onnx").glob("*/model.onnx")):
        model = session(path)
        # Inputs that have an initializer are not part of the data sets.
        names = [entry.name for entry in model.get_inputs()]
        for folder in sorted(path.parent.glob("test_data_set_*")):
            def tensors(side):
                files = sorted(folder.glob(f"{side}_*.pb"), key=lambda file: int(file.stem.split("_")[1]))
                return [numpy_helper.to_array(onnx.TensorProto.FromString(file.read_bytes())) for file in files]

            def plain(array):
                if array.dtype != object:
                    return array
                return np.array([item.decode() if isinstance(item, bytes) else item for item in array.ravel()], object).reshape(array.shape)

            answers = model.run(None, dict(zip(names, map(plain, tensors("input")))))
            for ours, wanted in zip(answers, map(plain, tensors("output")), strict=True):
                assert ours.shape == wanted.shape and ours.dtype == wanted.dtype, folder
                close = np.allclose(ours, wanted, 1e-3, 1e-5, equal_nan=True) if wanted.dtype.kind == "f" else (ours == wanted).all()
                assert close, folder
            count += 1
    print(f"  {count} data sets")


def triton():
    for name, kind in (("simple", np.int32), ("simple_int8", np.int8), ("simple_string", object)):
        def row(numbers):
            return np.array([[str(n) if kind is object else n for n in numbers]], kind)

        model = session(MODELS / "triton" / name / "1" / "model.onnx")
        check(name, model.run(["OUTPUT0", "OUTPUT1"], {"INPUT0": row(range(16)), "INPUT1": row([1] * 16)}),
              [row(range(1, 17)), row(range(-1, 15))])


def tensorflow_serving():
    v1 = tf.compat.v1
    for folder in sorted((MODELS / "tfs").glob("*/*/")):
        # Through a session, as a server does it: the older models have no functions to call.
        with v1.Session(graph=v1.Graph()) as run:
            signatures = v1.saved_model.load(run, ["serve"], str(folder)).signature_def
            if "half_plus" in folder.parent.name:
                signature = signatures["serving_default"]
                # The shape the graph has, not the signature: they disagree in half_plus_three.
                x = run.graph.get_tensor_by_name(signature.inputs["x"].name)
                y = run.run(signature.outputs["y"].name, {x: np.full([size or 1 for size in x.shape], 4.0)})
                assert np.ravel(y) == [5.0 if "three" in folder.parent.name else 4.0], (folder, y)
            if "typed_io" in folder.parent.name:
                text = signatures["serving_default"].inputs["text"].name
                bytes_out = signatures["serving_default"].outputs["text_bytes"].name
                assert run.run(bytes_out, {text: [b"\xff", b"a"]}).tolist() == [b"\xff", b"a"]
        print(f"  {folder.relative_to(MODELS)}: {', '.join(sorted(signatures))}")


def bench():
    for path in sorted((MODELS / "bench").glob("*/1/model.onnx")):
        answer = session(path).run(["y"], {"x": np.ones((3, 128), np.float32)})[0]
        assert answer.shape == (3, 10) and np.isfinite(answer).all() and np.abs(answer).max() > 0
        print(f"  {path.parent.parent.name}: {answer[0].round(4).tolist()}")


for test in (open_inference_protocol, onnx_data_sets, triton, tensorflow_serving, bench):
    print(test.__name__)
    test()
print("all as expected")
