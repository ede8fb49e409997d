"""SavedModels whose inputs and outputs are sparse and ragged tensors: ../tfs/sparse and ../tfs/ragged."""
import shutil
from pathlib import Path

import tensorflow as tf

TFS = Path(__file__).resolve().parent.parent / "tfs"
v1 = tf.compat.v1


def signature(inputs, outputs):
    describe = v1.saved_model.utils.build_tensor_info
    return v1.saved_model.signature_def_utils.build_signature_def(
        {name: describe(tensor) for name, tensor in inputs.items()},
        {name: describe(tensor) for name, tensor in outputs.items()},
        "tensorflow/serving/predict")


def save(name, signatures):
    folder = TFS / name / "1"
    shutil.rmtree(folder, ignore_errors=True)
    builder = v1.saved_model.Builder(str(folder))
    with v1.Session() as session:
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map=signatures)
    builder.save()
    variables = folder / "variables"
    if variables.exists() and not any(variables.iterdir()):
        variables.rmdir()


def sparse():
    """Doubles a sparse matrix, and adds up its rows. `densify` gives a dense one only."""
    with tf.Graph().as_default():
        x = v1.sparse_placeholder(tf.float32, shape=[None, None], name="x")
        doubled = tf.sparse.map_values(lambda values: values * 2, x)
        sums = tf.sparse.reduce_sum(x, axis=1, name="sums")
        dense = tf.sparse.to_dense(x, name="dense")
        save("sparse", {
            "serving_default": signature({"x": x}, {"doubled": doubled, "sums": sums}),
            "densify": signature({"x": x}, {"dense": dense}),
        })


def ragged():
    """Adds up the parts of ragged numbers; gives back texts cut at blanks."""
    with tf.Graph().as_default():
        x = v1.ragged.placeholder(tf.float32, ragged_rank=1, value_shape=[], name="x")
        texts = v1.placeholder(tf.string, [None], name="texts")
        words = tf.strings.split(texts)
        deep = v1.ragged.placeholder(tf.int64, ragged_rank=2, value_shape=[], name="deep")
        save("ragged", {
            "serving_default": signature({"x": x}, {"sums": tf.reduce_sum(x, axis=1), "x": x * 10.0}),
            "words": signature({"texts": texts}, {"words": words, "count": words.row_lengths()}),
            "deep": signature({"deep": deep}, {"deep": deep + tf.constant(1, tf.int64)}),
        })


sparse()
ragged()
