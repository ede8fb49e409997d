"""digits: recognises handwritten digits; a small network trained on the 8x8 scans that scikit-learn brings along."""
import json
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

from onnx_file import MODELS, save, value

SEED = 8
BLACKEST = 16.0

scans, digits = load_digits(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(scans, digits, test_size=0.25, random_state=SEED, stratify=digits)


def shifted(images):
    """The scans, also moved by half a pixel each way: people do not write exactly in the middle of the field."""
    squares = images.reshape(-1, 8, 8)
    padded = np.pad(squares, ((0, 0), (1, 1), (1, 1)))
    for down, right in ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2)):
        yield ((squares + padded[:, down:down + 8, right:right + 8]) / 2).reshape(-1, 64)


# The settings were chosen by cross-validation on the training part alone; the held-out part only measures.
# 120 rounds are enough, though the training could go on; hence the warning it prints.
network = MLPClassifier(hidden_layer_sizes=(64,), alpha=1e-2, max_iter=120, random_state=SEED)
network.fit(np.concatenate(list(shifted(train_x))) / BLACKEST, np.tile(train_y, 5))

# By hand rather than with a converter: converters wrap classifiers in nodes that few people want to read.
constants = {"scale": np.float32(1 / BLACKEST)}
for layer, (weights, bias) in enumerate(zip(network.coefs_, network.intercepts_), start=1):
    constants[f"weights{layer}"] = weights.astype(np.float32)
    constants[f"bias{layer}"] = bias.astype(np.float32)

path = save(
    MODELS / "digits",
    [
        helper.make_node("Mul", ["image", "scale"], ["scaled"]),
        helper.make_node("Gemm", ["scaled", "weights1", "bias1"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "weights2", "bias2"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
        helper.make_node("ArgMax", ["logits"], ["label"], axis=1, keepdims=0),
    ],
    [value("image", "FP32", ["batch", 64])],
    [value("label", "INT64", ["batch"]), value("probabilities", "FP32", ["batch", 10])],
    [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    doc="Handwritten digits: 8x8 pixels from 0 (white) to 16 (black), row by row",
)

# For every digit the first held-out scan that the network reads correctly: something to try out, no measure of its quality.
read = network.predict(test_x / BLACKEST)
examples = [{"label": digit, "image": test_x[(test_y == digit) & (read == digit)][0].astype(int).tolist()}
            for digit in range(10)]
lines = ",\n".join("  " + json.dumps(example) for example in examples)
(Path(__file__).parent / "digits_examples.json").write_text(f"[\n{lines}\n]\n")

print(f"held-out scans: {len(test_y)}, accuracy {(read == test_y).mean():.4f}, {path.stat().st_size} bytes")
