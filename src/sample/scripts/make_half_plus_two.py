"""half_plus_two: y = x / 2 + 2 as a TensorFlow SavedModel, in the two ways in which SavedModels are written.

Version 1 is a TensorFlow 1 graph run by a session; version 2 is a TensorFlow 2 module of functions. They look quite
different inside and must look the same to a client.
"""
import os
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf

from onnx_file import MODELS

v1 = tf.compat.v1
FOLDER = MODELS / "half_plus_two"
FEATURES = {"x": tf.io.FixedLenFeature([1], tf.float32)}
METHODS = {
    "serving_default": v1.saved_model.signature_constants.PREDICT_METHOD_NAME,
    "classify_x_to_y": v1.saved_model.signature_constants.CLASSIFY_METHOD_NAME,
    "regress_x_to_y": v1.saved_model.signature_constants.REGRESS_METHOD_NAME,
}


def session_graph(folder):
    with v1.Graph().as_default(), v1.Session() as session:
        half = v1.get_variable("half", initializer=0.5, use_resource=False)
        two = v1.get_variable("two", initializer=2.0, use_resource=False)
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.add(half * x, two, name="y")
        examples = v1.placeholder(tf.string, [None], name="examples")
        of_examples = tf.add(half * v1.parse_example(examples, FEATURES)["x"], two, name="y_of_examples")
        session.run(v1.global_variables_initializer())

        ends = {
            "serving_default": ({"x": x}, {"y": y}),
            "classify_x_to_y": ({"inputs": examples}, {"scores": of_examples}),
            "regress_x_to_y": ({"inputs": examples}, {"outputs": of_examples}),
        }
        info = v1.saved_model.build_tensor_info
        builder = v1.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(
            session, [v1.saved_model.tag_constants.SERVING], strip_default_attrs=True,
            signature_def_map={
                name: v1.saved_model.build_signature_def(
                    {key: info(tensor) for key, tensor in inputs.items()},
                    {key: info(tensor) for key, tensor in outputs.items()},
                    METHODS[name])
                for name, (inputs, outputs) in ends.items()
            })
        builder.save()


class HalfPlusTwo(tf.Module):
    def __init__(self):
        super().__init__()
        self.half = tf.Variable(0.5, name="half")
        self.two = tf.Variable(2.0, name="two")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def predict(self, x):
        return {"y": self.half * x + self.two}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="inputs")])
    def classify(self, inputs):
        return {"scores": self.half * tf.io.parse_example(inputs, FEATURES)["x"] + self.two}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="inputs")])
    def regress(self, inputs):
        return {"outputs": self.half * tf.io.parse_example(inputs, FEATURES)["x"] + self.two}


def module(folder):
    model = HalfPlusTwo()
    tf.saved_model.save(
        model, str(folder),
        signatures={"serving_default": model.predict, "classify_x_to_y": model.classify, "regress_x_to_y": model.regress},
        options=tf.saved_model.SaveOptions(save_debug_info=False))
    # TensorFlow 2 calls every signature "predict"; a server could then not offer classification and regression.
    updater = v1.saved_model.signature_def_utils.MethodNameUpdater(str(folder))
    for name, method in METHODS.items():
        updater.replace_method_name(name, method)
    updater.save()
    # It was taken before the names were changed, and holds a number that is random in every run.
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    # There are no assets, and an empty folder would be lost in version control anyway.
    shutil.rmtree(folder / "assets", ignore_errors=True)


shutil.rmtree(FOLDER, ignore_errors=True)
session_graph(FOLDER / "1")
module(FOLDER / "2")
