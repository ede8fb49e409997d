"""Text encoders that are as small as can be, in folders as Hugging Face has them: ../encoders."""
import json
import shutil
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "sample" / "scripts"))
from onnx_file import save, value

ENCODERS = HERE.parent / "encoders"
TOKENIZER = HERE.parents[1] / "resources/text/tokenizer.json"
TOKENS = 324
WIDTH = 4
RANDOM = np.random.default_rng(7)


def numbers(name, *shape):
    return numpy_helper.from_array(RANDOM.uniform(-1, 1, shape).astype(np.float32), name)


def write(name, architecture, head, output, constants=()):
    """A token's vector is a row of a table, and nothing else; what the mask hides is 0."""
    save(ENCODERS / name,
         [helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
          helper.make_node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
          helper.make_node("Unsqueeze", ["seen", "width_axis"], ["mask"]),
          helper.make_node("Mul", ["vectors", "mask"], ["shown"]), *head],
         [value("input_ids", "INT64", ["batch", "length"]), value("attention_mask", "INT64", ["batch", "length"])],
         [output],
         [numbers("table", TOKENS, WIDTH), numpy_helper.from_array(np.array([2]), "width_axis"), *constants])
    (ENCODERS / name / "config.json").write_text(json.dumps({"architectures": [architecture], "id2label": {"0": "score"}}) + "\n")
    shutil.copy(TOKENIZER, ENCODERS / name)


write("vectors", "BertModel", [helper.make_node("Identity", ["shown"], ["last_hidden_state"])],
      value("last_hidden_state", "FP32", ["batch", "length", WIDTH]))
write("ranker", "BertForSequenceClassification",
      [helper.make_node("ReduceSum", ["shown", "length_axis"], ["sum"], keepdims=0),
       helper.make_node("MatMul", ["sum", "head"], ["logits"])],
      value("logits", "FP32", ["batch", 1]),
      [numbers("head", WIDTH, 1), numpy_helper.from_array(np.array([1]), "length_axis")])
