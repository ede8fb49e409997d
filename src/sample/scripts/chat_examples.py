"""Asks chat some questions by a plain loop and writes what it answers to chat_examples.json, each time the likeliest token.

The server's tests want the same answers. A question whose answer hangs on less than rounding is refused: it would say nothing.
"""
import json
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from onnx_file import MODELS

FILE = Path(__file__).with_name("chat_examples.json")
CLOSE = 0.0001

CONVERSATIONS = [
    ["Hello!", "My name is Ada.", "How are you?", "What is the capital of France?", "And Spain?", "What is my name?", "Thank you!", "Goodbye!"],
    ["What is Sluice?", "Which protocols does Sluice speak?", "How big are you?", "Who made you?"],
    ["What is 7 + 8?", "What is 6 times 7?", "Count to 5.", "What is 12345 * 678?"],
    ["Tell me a story about a fox called Mimi.", "Thanks!"],
    ["My dog is called Bello.", "What is my dog called?", "How old am I?"],
    ["What is the opposite of hot?", "What is the plural of child?", "What does a cow say?", "Which day comes after Friday?"],
    ["How many days are in March?", "How do you say water in French?", "What colour is grass?"],
    ["What is the weather like?", "Explain photosynthesis.", "Write a poem."],
    ["Tell me a joke."],
]
PLAIN = ["What is the capital of Italy?", "What is 3 + 4?", "Once upon a time", "Who are you?"]


class Decoder:
    """The bare runtime and the tokenizer in a loop."""

    def __init__(self):
        self.tokenizer = Tokenizer.from_file(str(MODELS / "chat" / "tokenizer.json"))
        self.session = onnxruntime.InferenceSession(MODELS / "chat" / "1" / "model.onnx", providers=["CPUExecutionProvider"])
        self.outputs = [output.name for output in self.session.get_outputs()]
        self.past = [i for i in self.session.get_inputs() if i.name.startswith("past")]
        self.ends = json.loads((MODELS / "chat" / "generation_config.json").read_text())["eos_token_id"]

    def nothing(self):
        return {i.name: np.zeros((1, i.shape[1], 0, i.shape[3]), np.float32) for i in self.past}

    def run(self, tokens, total, past):
        """The logits of what follows the last token, and the caches."""
        given = {"input_ids": np.array([tokens], np.int64), "attention_mask": np.ones((1, total), np.int64), **past}
        answered = dict(zip(self.outputs, self.session.run(None, given)))
        return answered.pop("logits")[0, -1], {name.replace("present", "past_key_values"): a for name, a in answered.items()}

    def answer(self, text, most=256):
        tokens = self.tokenizer.encode(text).ids
        total, past, said = len(tokens), self.nothing(), []
        while len(said) < most:
            logits, past = self.run(tokens, total, past)
            second, first = np.argsort(logits)[-2:]
            assert logits[first] - logits[second] > CLOSE, f"{text!r}: after {self.tokenizer.decode(said)!r} two tokens are as likely"
            if first in self.ends:
                break
            said.append(int(first))
            tokens, total = [int(first)], total + 1
        return self.tokenizer.decode(said)


def turn(role, text):
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def examples():
    """Each question with all that was said before it, and the answer."""
    decoder, made = Decoder(), [{"text": text, "answer": ""} for text in PLAIN]
    for example in made:
        example["answer"] = decoder.answer(example["text"])
    for questions in CONVERSATIONS:
        said = ""
        for question in questions:
            said += turn("user", question)
            answered = decoder.answer(said + "<|im_start|>assistant\n")
            made.append({"text": said + "<|im_start|>assistant\n", "answer": answered})
            said += turn("assistant", answered)
    return made


if __name__ == "__main__":
    FILE.write_text("[\n" + ",\n".join(json.dumps(example) for example in examples()) + "\n]\n")
