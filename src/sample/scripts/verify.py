"""Runs every sample model in its own runtime and compares the answers with known ones; ends with an error if one differs."""
import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import onnx.utils
import onnxruntime
import tensorflow as tf
from onnx import TensorProto
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.core.protobuf import saved_model_pb2

import chat_examples
from onnx_file import MODELS, TYPES

HERE = Path(__file__).parent


def session(model):
    return onnxruntime.InferenceSession(MODELS / model / "1" / "model.onnx", providers=["CPUExecutionProvider"])


def part_of(model, inputs):
    """The model with these inputs only, and their outputs."""
    whole = onnx.load(MODELS / model / "1" / "model.onnx")
    part = onnx.utils.Extractor(whole).extract_model(inputs, [name + "_out" for name in inputs])
    return onnxruntime.InferenceSession(part.SerializeToString(), providers=["CPUExecutionProvider"])


def check(what, actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    same = actual.shape == expected.shape and (actual == expected).all()
    assert same, f"{what}: {actual.tolist()} instead of {expected.tolist()}"


def addsub():
    ones, numbers = np.ones((1, 16), np.int32), np.arange(16, dtype=np.int32)[None]
    total, difference = session("addsub").run(["OUTPUT0", "OUTPUT1"], {"INPUT0": numbers, "INPUT1": ones})
    check("sum", total, numbers + 1)
    check("difference", difference, numbers - 1)


def digits():
    model = session("digits")
    scans, labels = load_digits(return_X_y=True)
    # The same division as in the training, so these are the scans the network has not seen.
    _, scans, _, labels = train_test_split(scans, labels, test_size=0.25, random_state=8, stratify=labels)
    found, probabilities = model.run(["label", "probabilities"], {"image": scans.astype(np.float32)})
    accuracy = (found == labels).mean()
    print(f"  accuracy on {len(labels)} held-out scans: {accuracy:.4f}")
    assert accuracy >= 0.96 and found.dtype == np.int64 and probabilities.shape == (len(labels), 10)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5) and (probabilities.argmax(axis=1) == found).all()

    examples = json.loads((HERE / "digits_examples.json").read_text())
    found, _ = model.run(None, {"image": np.array([example["image"] for example in examples], np.float32)})
    check("examples", found, [example["label"] for example in examples])
    check("no scan", model.run(["label"], {"image": np.zeros((0, 64), np.float32)})[0].shape, (0,))


def language():
    model = session("language")
    texts = {
        "Where is the next train station, please?": "English",
        "Wo ist der Bahnhof?": "German",
        "Où est la gare, s’il vous plaît?": "French",
        "¿Dónde está la estación de trenes?": "Spanish",
        "Dove si trova la stazione e quando parte il treno?": "Italian",
        "Waar is het station en hoe laat vertrekt de trein?": "Dutch",
        "ÜBER DEN WOLKEN MUSS DIE FREIHEIT GRENZENLOS SEIN": "German",
        "the " * 500: "English",
        "日本語のテキスト": "unknown",
        " ": "unknown",
        "": "unknown",
    }
    together = model.run(["language", "score"], {"text": np.array(list(texts), object)})
    check("languages", together[0], list(texts.values()))
    for row, text in enumerate(texts):
        alone = model.run(["language", "score"], {"text": np.array([text], object)})
        check("alone", alone[0], together[0][row:row + 1])
        check("score alone", alone[1], together[1][row:row + 1])
    for output in model.run(None, {"text": np.array([], object)}):
        check("no text", output.shape, (0,))


def types():
    model = session("types")
    numpy_types = {name: np.dtype(kind) for name, kind in {
        "BOOL": bool, "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32, "UINT64": np.uint64, "INT8": np.int8,
        "INT16": np.int16, "INT32": np.int32, "INT64": np.int64, "FP16": np.float16, "FP32": np.float32, "FP64": np.float64,
    }.items()}
    # All bits set and none: the extremes of the unsigned types, -1 of the signed ones, a NaN of the others.
    patterns = {name: np.array([0, 1, 0xFF], np.uint8).repeat(kind.itemsize).view(kind)
                for name, kind in numpy_types.items() if name != "BOOL"}
    patterns["BOOL"] = np.array([False, True])
    patterns["BYTES"] = np.array(["", "é", "日本"], object)
    given = {name.lower(): array for name, array in patterns.items()}
    names = [name.lower() for name in TYPES]
    assert [entry.name for entry in model.get_inputs()] == names
    others = [name for name in names if name != "bf16"]
    # numpy has no bfloat16. The runtime takes its bits as 16-bit whole numbers, but then cannot take texts beside them;
    # so the graph is cut in two here, at the two inputs that no single call from Python can bring together.
    bits = np.array([0x3F80, 0xC020, 0x7FC0], np.uint16)
    half = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, TensorProto.BFLOAT16)
    answer = part_of("types", ["bf16"]).run_with_ort_values(["bf16_out"], {"bf16": half})[0]
    assert answer.element_type() == TensorProto.BFLOAT16
    answers = part_of("types", others).run([name + "_out" for name in others], given)
    for name, answer in zip(others, answers):
        if name == "bytes":
            check(name, answer, patterns["BYTES"])
        else:
            assert answer.dtype == patterns[name.upper()].dtype
            check(name, answer.view(np.uint8), patterns[name.upper()].view(np.uint8))


def half_plus_two():
    prefix = "tensorflow/serving/"
    methods = {"serving_default": "predict", "classify_x_to_y": "classify", "regress_x_to_y": "regress"}
    numbers = [1.0, 2.0, 5.0]
    expected = np.array([2.5, 3.0, 4.5], np.float32)
    examples = tf.constant([
        tf.train.Example(features=tf.train.Features(feature={
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[number]))})).SerializeToString()
        for number in numbers])
    for version in ("1", "2"):
        folder = MODELS / "half_plus_two" / version
        saved = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
        signatures = saved.meta_graphs[0].signature_def
        for name, method in methods.items():
            assert signatures[name].method_name == prefix + method, (version, name, signatures[name].method_name)
        shapes = {tensor.name: [dim.size for dim in tensor.tensor_shape.dim]
                  for side in (signatures["serving_default"].inputs, signatures["serving_default"].outputs)
                  for tensor in side.values()}
        assert list(shapes.values()) == [[-1], [-1]], shapes

        model = tf.saved_model.load(str(folder))
        call = model.signatures
        check("y", call["serving_default"](x=tf.constant(numbers))["y"], expected)
        check("scores", call["classify_x_to_y"](inputs=examples)["scores"], expected[:, None])
        check("outputs", call["regress_x_to_y"](inputs=examples)["outputs"], expected[:, None])
        check("nothing", call["serving_default"](x=tf.zeros([0]))["y"], np.zeros(0))


def writer():
    """A text read at once and read letter by letter goes on in the same way."""
    model = session("writer")
    vocabulary = json.loads((MODELS / "writer" / "vocabulary.json").read_text(encoding="utf-8"))
    names = [output.name for output in model.get_outputs()]

    def read(pieces):
        state = {i.name: np.zeros([1, *i.shape[1:]], np.float32) for i in model.get_inputs() if i.name.startswith("past")}
        place = np.zeros(1, np.int64)
        for piece in pieces:
            letters = np.array([[vocabulary.index(letter) for letter in piece]], np.int64)
            given = dict(zip(names, model.run(None, {"token": letters, "position": place, **state})))
            place = given["next_position"]
            state = {name.replace("present", "past"): given[name] for name in names if name.startswith("present")}
        return given["logits"]

    text = "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife. " * 2
    at_once, by_letters = read([text]), read(text)
    assert np.abs(at_once - by_letters).max() < 1e-3, np.abs(at_once - by_letters).max()
    check("letter", at_once.argmax(), by_letters.argmax())


def chat():
    """A text read at once and read token by token goes on in the same way, also beside a longer one; answers are those recorded."""
    decoder = chat_examples.Decoder()
    tokens = decoder.tokenizer.encode(chat_examples.turn("user", "What is the capital of France?") * 3).ids
    at_once, _ = decoder.run(tokens, len(tokens), decoder.nothing())
    past, pasts = decoder.nothing(), []
    for total, token in enumerate(tokens, 1):
        pasts.append(past)
        logits, past = decoder.run([token], total, past)
    assert np.abs(at_once - logits).max() < 1e-3, np.abs(at_once - logits).max()

    # Two rows of different lengths: the shorter one's cache has room behind, and its mask says how much of it there is.
    short, long = len(tokens) // 2, len(tokens) - 1
    given = {name: np.concatenate([np.pad(pasts[short][name], ((0, 0), (0, 0), (0, long - short), (0, 0))), pasts[long][name]]) for name in past}
    mask = (np.arange(long + 1) <= np.array([[short], [long]])).astype(np.int64)
    ids = np.array([[tokens[short]], [tokens[long]]], np.int64)
    both = decoder.session.run(["logits"], {"input_ids": ids, "attention_mask": mask, **given})[0][:, -1]
    alone, _ = decoder.run([tokens[short]], short + 1, pasts[short])
    assert np.abs(both - np.stack([alone, logits])).max() < 1e-3, np.abs(both - np.stack([alone, logits])).max()

    recorded = json.loads(chat_examples.FILE.read_text())
    check("answers", [example["answer"] for example in chat_examples.examples()], [example["answer"] for example in recorded])


for test in (addsub, digits, language, types, half_plus_two, writer, chat):
    print(test.__name__)
    test()
print("all as expected")
