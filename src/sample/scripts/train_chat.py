"""Trains chat: a small language model that talks about the few things that chat_text.py has sentences for.

Leaves the tokenizer in the folder of the model, and the weights in chat_weights.npz, which make_chat.py turns into a model.
A graphics processor is busy with it for a minute and a half, one core for two and a half hours.
"""
import functools
import random
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

import chat_model as model
import chat_tokenizer
from chat_text import Talk, conversation, story_text
from onnx_file import MODELS

LENGTH, BATCH, STEPS, WARM_UP, COOL_DOWN, RATE = 256, 16, 6000, 60, 2000, 4e-3
PLAIN = 0.15


def pieces(seed):
    """A text as (piece, whether it is learned) in turn: a conversation, or a bare question with its answer, or a story."""
    system, turns = conversation(seed)
    r = random.Random(-1 - seed)
    if r.random() < PLAIN:
        if r.random() < 0.15:
            return [(story_text(Talk(r)) + chat_tokenizer.END_TURN, True)]
        asked, answered = turns[0]
        return [(asked, False), (" " + answered + chat_tokenizer.END_TURN, True)]
    begin, end = chat_tokenizer.BEGIN_TURN, chat_tokenizer.END_TURN
    made = [(f"{begin}system\n{system}{end}\n", False)] if system else []
    for asked, answered in turns:
        made += [(f"{begin}user\n{asked}{end}\n{begin}assistant\n", False), (answered + end, True), ("\n", False)]
    return made[:-1]


class Rows:
    """Rows of whole texts, one behind another, each cut where its row ends."""

    def __init__(self, tokenizer, seed):
        self.tokenizer, self.seed, self.waiting = tokenizer, seed, []

    def text(self):
        if not self.waiting:
            texts = [pieces(self.seed + i) for i in range(1000)]
            self.seed += 1000
            codes = iter(self.tokenizer.encode_batch([piece for text in texts for piece, _ in text]))
            self.waiting = [[(next(codes).ids, learned) for _, learned in text] for text in texts]
        return self.waiting.pop()

    def row(self, length):
        tokens, texts, learned, number = [], [], [], 0
        while len(tokens) <= length:
            for codes, wanted in self.text():
                tokens += codes
                texts += [number] * len(codes)
                learned += [wanted] * len(codes)
            number += 1
        return tokens[: length + 1], texts[: length + 1], learned[: length + 1]

    def batch(self, count, length):
        return tuple(np.array(part, np.int32) for part in zip(*(self.row(length) for _ in range(count))))


def loss(weights, tokens, texts, learned):
    """The mean surprise of the answers' tokens; those of the questions count little."""
    chances = jax.nn.log_softmax(model.forward(weights, tokens[:, :-1], texts[:, :-1]))
    surprise = -jnp.take_along_axis(chances, tokens[:, 1:, None], -1)[..., 0]
    weight = (texts[:, 1:] == texts[:, :-1]) * jnp.where(learned[:, 1:] == 1, 1.0, 0.05)
    return jnp.sum(surprise * weight) / jnp.sum(weight)


def even(step):
    """The nearest matrix whose singular values are alike, by a few Newton-Schulz steps: the direction that Muon goes."""
    x = step / (jnp.linalg.norm(step) + 1e-7)
    wide = x.shape[0] > x.shape[1]
    x = x.T if wide else x
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x.T if wide else x) * 0.2 * max(step.shape) ** 0.5


@functools.partial(jax.jit, donate_argnums=(0, 1, 2))
def step(weights, first, second, batch, at, rate):
    value, slope = jax.value_and_grad(loss)(weights, *batch)
    moved = {}
    for name, g in slope.items():
        if g.ndim == 2 and name != "embed":
            first[name] = 0.95 * first[name] + g
            moved[name] = even(g + 0.95 * first[name]) + 0.05 * weights[name]
        else:
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.98 * second[name] + 0.02 * g * g
            moved[name] = first[name] / (1 - 0.9**at) / (jnp.sqrt(second[name] / (1 - 0.98**at)) + 1e-8)
    return {name: w - rate * moved[name] for name, w in weights.items()}, first, second, value


def rate(at):
    return RATE * min(1, at / WARM_UP, max(0.01, (STEPS - at) / COOL_DOWN))


def main():
    begun = time.process_time()
    tokenizer = chat_tokenizer.train("".join(piece for piece, _ in pieces(seed)) for seed in range(10**7, 10**7 + 20000))
    chat_tokenizer.save(MODELS / "chat", tokenizer)
    weights = model.initial(np.random.default_rng(7))
    first, second = ({name: np.zeros_like(w) for name, w in weights.items()} for _ in range(2))
    rows, held_out = Rows(tokenizer, 0), Rows(tokenizer, 2 * 10**7).batch(32, LENGTH)
    check = jax.jit(loss)
    for at in range(1, STEPS + 1):
        # The last steps see long conversations whole.
        count, length = (BATCH, LENGTH) if at <= STEPS - COOL_DOWN // 2 else (BATCH // 2, model.CONTEXT)
        weights, first, second, value = step(weights, first, second, rows.batch(count, length), float(at), rate(at))
        if at % 50 == 0 or at == STEPS:
            seen = float(check(weights, *held_out))
            print(f"step {at}: {seen:.4f} on held-out conversations ({time.process_time() - begun:.0f} s)", flush=True)
            np.savez("chat_weights.npz", **{name: np.asarray(w) for name, w in weights.items()})


if __name__ == "__main__":
    main()
