"""What the services beside this file share: the vectors of texts, by the tokenizers package and ONNX Runtime as they are by default.

MODEL is the folder of the model.
"""
import base64
import json
import os
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer


class Vectors:
    """Texts of a call run together, padded to the longest, by a thread for each core; a vector is the mean of those of the tokens, with length 1."""

    def __init__(self):
        folder = Path(os.environ["MODEL"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(longest(folder))
        self.tokenizer.enable_padding()
        self.session = onnxruntime.InferenceSession(next((folder / "onnx").glob("*.onnx")), providers=["CPUExecutionProvider"])
        self.inputs = {given.name for given in self.session.get_inputs()}

    def of(self, texts):
        encodings = self.tokenizer.encode_batch(texts)
        mask = numpy.array([encoding.attention_mask for encoding in encodings])
        feed = {"input_ids": numpy.array([encoding.ids for encoding in encodings]), "attention_mask": mask,
                "token_type_ids": numpy.zeros_like(mask)}
        rows = self.session.run(None, {name: feed[name] for name in self.inputs})[0]
        sums = (rows * mask[..., None].astype(numpy.float32)).sum(axis=1)
        return sums / numpy.linalg.norm(sums, axis=1, keepdims=True)

    def of_each(self, lists):
        """The vectors of lists of texts, all in one run."""
        vectors = self.of([text for texts in lists for text in texts])
        return numpy.split(vectors, numpy.cumsum([len(texts) for texts in lists])[:-1])


def longest(folder):
    """How many tokens a text may have."""
    said = folder / "sentence_bert_config.json"
    if said.exists():
        return json.loads(said.read_text("utf-8"))["max_seq_length"]
    return json.loads((folder / "tokenizer.json").read_text("utf-8"))["truncation"]["max_length"]


def base64_of(vectors):
    """Each vector as OpenAI's clients like it best: the shortest form in JSON."""
    return [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
