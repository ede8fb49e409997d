"""A step function as a SavedModel, to be run in a loop: ../steps."""
import os
import shutil
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf

FOLDER = Path(__file__).resolve().parent.parent / "steps" / "decoder"
TOKENS = 32
WIDTH = 8
RANDOM = np.random.default_rng(7)


def whole(*shape):
    """Whole numbers, whose sums are exact whatever stands beside them."""
    return tf.constant(RANDOM.integers(-4, 5, shape), tf.float32)


class Decoder(tf.Module):
    """One layer: its cache is all that it was given so far, and its logits are sums of that."""

    def __init__(self):
        super().__init__()
        self.table = whole(TOKENS, WIDTH)
        self.head = whole(WIDTH, TOKENS)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int64, name="ids"),
                                  tf.TensorSpec([None, None, WIDTH], tf.float32, name="past_0")])
    def step(self, ids, past_0):
        present = tf.concat([past_0, tf.gather(self.table, ids)], 1)
        return {"logits": tf.reduce_sum(present, 1, keepdims=True) @ self.head, "present_0": present}


shutil.rmtree(FOLDER, ignore_errors=True)
model = Decoder()
tf.saved_model.save(model, str(FOLDER), signatures={"serving_default": model.step},
                    options=tf.saved_model.SaveOptions(save_debug_info=False))
# A number that is random in every run, and a folder that would be lost in version control.
(FOLDER / "fingerprint.pb").unlink(missing_ok=True)
shutil.rmtree(FOLDER / "assets", ignore_errors=True)
