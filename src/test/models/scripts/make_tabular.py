"""Models of the kind that scikit-learn's converters write: ../tabular."""
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "sample" / "scripts"))
from onnx_file import save, value

TABULAR = HERE.parent / "tabular"
ML = "ai.onnx.ml"
FLOWERS = ["setosa", "versicolor", "virginica"]

# Class i scores what feature i says, so that a test can tell the answer by looking.
COEFFICIENTS = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def linear_classifier(scores, **labels):
    return helper.make_node(
        "LinearClassifier", ["X"], ["output_label", scores], domain=ML, coefficients=COEFFICIENTS,
        intercepts=[0.0, 0.0, 0.0], multi_class=0, post_transform="NONE", **labels)


def score_maps(name, key):
    maps = helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    return helper.make_value_info(name, helper.make_sequence_type_proto(maps))


def flowers_zipmap():
    """Texts as labels; scores as a list of maps."""
    save(TABULAR / "flowers_zipmap",
         [linear_classifier("scores", classlabels_strings=FLOWERS),
          helper.make_node("ZipMap", ["scores"], ["output_probability"], domain=ML, classlabels_strings=FLOWERS)],
         [value("X", "FP32", ["rows", 4])],
         [value("output_label", "BYTES", ["rows"]), score_maps("output_probability", TensorProto.STRING)])


def flowers_numbered():
    """The same with numbers as labels."""
    save(TABULAR / "flowers_numbered",
         [linear_classifier("scores", classlabels_ints=[10, 20, 30]),
          helper.make_node("ZipMap", ["scores"], ["output_probability"], domain=ML, classlabels_int64s=[10, 20, 30])],
         [value("X", "FP32", ["rows", 4])],
         [value("output_label", "INT64", ["rows"]), score_maps("output_probability", TensorProto.INT64)])


def flowers_plain():
    """The best label, and the scores of all classes as a tensor."""
    save(TABULAR / "flowers_plain", [linear_classifier("probabilities", classlabels_strings=FLOWERS)],
         [value("X", "FP32", ["rows", 4])],
         [value("output_label", "BYTES", ["rows"]), value("probabilities", "FP32", ["rows", 3])])


def houses():
    """variable = 2 * size + rooms, plus 100 in the town called York."""
    save(TABULAR / "houses",
         [
             helper.make_node("Cast", ["rooms"], ["rooms_number"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["size", "two"], ["double_size"]),
             helper.make_node("Add", ["double_size", "rooms_number"], ["base"]),
             helper.make_node("LabelEncoder", ["town"], ["bonus"], domain=ML, keys_strings=["York"], values_floats=[100.0],
                              default_float=0.0),
             helper.make_node("Add", ["base", "bonus"], ["variable"]),
         ],
         [value("size", "FP32", ["rows", 1]), value("rooms", "INT64", ["rows", 1]), value("town", "BYTES", ["rows", 1])],
         [value("variable", "FP32", ["rows", 1])],
         [numpy_helper.from_array(np.array(2, np.float32), "two")])


flowers_zipmap()
flowers_numbered()
flowers_plain()
houses()
