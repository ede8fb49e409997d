"""Compares a text encoder with ONNX Runtime and the tokenizers package in Python: vectors of texts in 20 scripts.

    python embeddings.py keep MODEL FILE               writes texts with their token ids and vectors, for a test
    python embeddings.py compare MODEL URL NAME COUNT  asks a running server for the tokens and vectors of so many texts, and compares

MODEL is a folder as Hugging Face has it: tokenizer.json, and one .onnx file in onnx. A text's vector is the mean of those of its
tokens, with the length 1. Texts are made by a seed, so that each run has the same. Needs embeddings-requirements.txt.
"""
import base64
import http.client
import json
import random
import sys
import unicodedata
import urllib.parse
import urllib.request
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

# First and last code point of letters.
SCRIPTS = {
    "Latin": (0x41, 0x7A), "Latin with accents": (0xC0, 0x24F), "Greek": (0x370, 0x3FF), "Cyrillic": (0x400, 0x4FF),
    "Armenian": (0x531, 0x587), "Hebrew": (0x5D0, 0x5EA), "Arabic": (0x620, 0x65F), "Devanagari": (0x900, 0x97F),
    "Bengali": (0x980, 0x9FF), "Tamil": (0xB80, 0xBFF), "Telugu": (0xC00, 0xC7F), "Thai": (0xE00, 0xE7F),
    "Tibetan": (0xF40, 0xFBC), "Georgian": (0x10A0, 0x10FF), "Ethiopic": (0x1200, 0x137F), "Khmer": (0x1780, 0x17D3),
    "Hiragana": (0x3041, 0x3096), "Katakana": (0x30A1, 0x30FA), "Han": (0x4E00, 0x9FA5), "Hangul": (0xAC00, 0xD7A3),
}
LETTERS = {
    name: [chr(point) for point in range(first, last + 1) if unicodedata.category(chr(point))[0] in "LM"]
    for name, (first, last) in SCRIPTS.items()
}
WORDS = ("the a train station is near old bridge and where can I read what you have said about many small models that answer "
         "questions of people in every town because nobody knows how long it takes").split()
MARKS = [".", ",", "?", "!", ";", " -", "\n", "\t", " 12", " 3.5", " (x)", "\u00a0", "\u3002", " [SEP]", " \U0001f682", "e\u0301"]
SPECIAL = ["hello", "The train station is near the old bridge.", "a [SEP] b [CLS]", "tab\tand\nnewline  twice", "x " * 200,
           "\U0001f682 where? \U0001f469\u200d\U0001f469\u200d\U0001f467", "nul \0 and \ufffd", "\u4f60\u597d, caf\u00e9!"]
KEPT_FOR_EACH_SCRIPT = 2
AT_ONCE = 64
TOLERANCE = 1e-5


def word(script, source):
    if script == "Latin":
        return source.choice(WORDS)
    return "".join(source.choices(LETTERS[script], k=source.randint(1, 8)))


def text(script, source):
    """Some words of a script; one in eight is of another one."""
    words = []
    for _ in range(source.choice([1, 2, 3, 5, 8, 13, 21, 34])):
        of = source.choice(list(SCRIPTS)) if source.random() < 1 / 8 else script
        words.append(word(of, source) + (source.choice(MARKS) if source.random() < 1 / 6 else ""))
    return " ".join(words)


def texts(count):
    source = random.Random(20)
    scripts = list(SCRIPTS)
    return [text(scripts[i % len(scripts)], source) for i in range(count)]


class Encoder:
    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.encode_special_tokens = True
        self.session = onnxruntime.InferenceSession(str(next((Path(folder) / "onnx").glob("*.onnx"))))
        self.inputs = {given.name for given in self.session.get_inputs()}

    def vector(self, encoding):
        rows = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
        feed = {name: numpy.array([row], numpy.int64) for name, row in rows.items() if name in self.inputs}
        mean = self.session.run(None, feed)[0][0].astype(numpy.float64).mean(axis=0)
        return (mean / numpy.linalg.norm(mean)).astype(numpy.float32)


def keep(folder, target):
    encoder = Encoder(folder)
    rows = []
    for said in SPECIAL + texts(KEPT_FOR_EACH_SCRIPT * len(SCRIPTS)):
        encoding = encoder.tokenizer.encode(said)
        raw = base64.b64encode(encoder.vector(encoding).astype("<f4").tobytes()).decode()
        rows.append(json.dumps({"text": said, "ids": encoding.ids, "vector": raw}))
    Path(target).write_text("[\n" + ",\n".join(rows) + "\n]\n")


def ask(url, name, some):
    """The server's vectors, by V2, in binary."""
    body = json.dumps({"inputs": [{"name": "text", "datatype": "BYTES", "shape": [len(some)], "data": some}],
                       "outputs": [{"name": "embedding", "parameters": {"binary_data": True}}]}).encode()
    request = urllib.request.Request(f"{url}/v2/models/{name}/infer", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        head = int(answer.headers["Inference-Header-Content-Length"])
        return numpy.frombuffer(answer.read()[head:], "<f4").reshape(len(some), -1)


def tokens(connection, name, one):
    """The server's token ids."""
    connection.request("POST", "/tokenize", json.dumps({"model": name, "prompt": one}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = json.loads(answer.read())
    if answer.status != 200:
        sys.exit(f"{one!r}: {body}")
    return body["tokens"]


def compare(folder, url, name, count):
    encoder = Encoder(folder)
    worst, ids, said = 0, 0, texts(count)
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)
    for begin in range(0, count, AT_ONCE):
        some = said[begin:begin + AT_ONCE]
        encodings = [encoder.tokenizer.encode(one) for one in some]
        ids += sum(len(encoding.ids) for encoding in encodings)
        for one, encoding, theirs in zip(some, encodings, ask(url, name, some), strict=True):
            if tokens(connection, name, one) != encoding.ids:
                sys.exit(f"{one!r}: the tokens differ")
            difference = float(numpy.abs(encoder.vector(encoding) - theirs).max())
            worst = max(worst, difference)
            if difference > TOLERANCE:
                sys.exit(f"{one!r}: the vectors differ by {difference}")
    print(f"{count} texts in {len(SCRIPTS)} scripts, {ids} tokens, all equal: the vectors differ by {worst:.2g} at most")


if __name__ == "__main__":
    if sys.argv[1] == "keep":
        keep(*sys.argv[2:])
    else:
        compare(*sys.argv[2:5], int(sys.argv[5]))
