"""Trains writer: reads a text character by character and goes on writing in the manner of Jane Austen.

A decoder of three layers with rotary positions and a window of 128 characters. Leaves its weights in writer_weights.npz,
which make_writer.py turns into a model. About half an hour on two cores.
"""
import functools
import lzma
import time

import jax
import jax.numpy as jnp
import numpy as np

WIDTH, HEADS, LAYERS, WINDOW = 128, 4, 3, 128
LENGTH, BATCH, STEPS, RATE = 160, 16, 2400, 3e-3
INNER = WIDTH // HEADS

text = lzma.open("austen.txt.xz", "rt", encoding="utf-8").read()
vocabulary = sorted(set(text))
codes = np.array([vocabulary.index(c) for c in text], np.int32)
held_out = len(codes) // 50
train, test = codes[:-held_out], codes[-held_out:]


def initial(random):
    def matrix(*shape, scale=0.02):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    weights = {"embed": matrix(len(vocabulary), WIDTH, scale=0.05), "final": np.ones(WIDTH, np.float32)}
    for i in range(LAYERS):
        weights |= {
            f"{i}.attend": np.ones(WIDTH, np.float32),
            f"{i}.qkv": matrix(WIDTH, 3 * WIDTH, scale=WIDTH**-0.5),
            f"{i}.out": matrix(WIDTH, WIDTH, scale=WIDTH**-0.5 / LAYERS),
            f"{i}.think": np.ones(WIDTH, np.float32),
            f"{i}.up": matrix(WIDTH, 4 * WIDTH, scale=WIDTH**-0.5),
            f"{i}.down": matrix(4 * WIDTH, WIDTH, scale=(4 * WIDTH) ** -0.5 / LAYERS),
        }
    weights["head"] = matrix(WIDTH, len(vocabulary))
    return weights


def norm(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gain


def rotate(x, positions):
    frequencies = 10000.0 ** (-jnp.arange(INNER // 2) / (INNER // 2))
    angles = positions[:, None] * frequencies
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def forward(weights, tokens):
    length = tokens.shape[1]
    place = jnp.arange(length)
    distance = place[:, None] - place[None, :]
    mask = (distance >= 0) & (distance < WINDOW)
    x = weights["embed"][tokens]
    for i in range(LAYERS):
        q, k, v = jnp.split(norm(x, weights[f"{i}.attend"]) @ weights[f"{i}.qkv"], 3, -1)
        q, k, v = (t.reshape(*t.shape[:2], HEADS, INNER).transpose(0, 2, 1, 3) for t in (q, k, v))
        scores = rotate(q, place) @ rotate(k, place).swapaxes(-1, -2) * INNER**-0.5
        seen = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1) @ v
        x = x + seen.transpose(0, 2, 1, 3).reshape(x.shape) @ weights[f"{i}.out"]
        up = jax.nn.relu(norm(x, weights[f"{i}.think"]) @ weights[f"{i}.up"])
        x = x + (up * up) @ weights[f"{i}.down"]
    return norm(x, weights["final"]) @ weights["head"]


def loss(weights, rows):
    logits = forward(weights, rows[:, :-1])
    chances = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(chances, rows[:, 1:, None], -1))


@functools.partial(jax.jit, donate_argnums=(0, 1, 2))
def step(weights, first, second, rows, at):
    value, slope = jax.value_and_grad(loss)(weights, rows)
    length = jnp.sqrt(sum(jnp.sum(g * g) for g in slope.values()))
    slope = {k: g * jnp.minimum(1, 1 / length) for k, g in slope.items()}
    rate = RATE * jnp.minimum(1, at / 100) * (0.5 + 0.5 * jnp.cos(jnp.pi * jnp.minimum(1, at / STEPS))) + 1e-5
    first = {k: 0.9 * first[k] + 0.1 * g for k, g in slope.items()}
    second = {k: 0.98 * second[k] + 0.02 * g * g for k, g in slope.items()}
    one, two = 1 - 0.9**at, 1 - 0.98**at
    weights = {
        k: w * (1 - rate * (0.05 if w.ndim > 1 else 0)) - rate * first[k] / one / (jnp.sqrt(second[k] / two) + 1e-8)
        for k, w in weights.items()
    }
    return weights, first, second, value


def rows(random, of, count):
    starts = random.integers(0, len(of) - LENGTH - 1, count)
    return np.stack([of[s : s + LENGTH + 1] for s in starts])


def main():
    random = np.random.default_rng(7)
    weights = initial(random)
    first = {k: np.zeros_like(w) for k, w in weights.items()}
    second = {k: np.zeros_like(w) for k, w in weights.items()}
    fixed = rows(np.random.default_rng(1), test, 64)
    check = jax.jit(loss)
    begun = time.time()
    for at in range(1, STEPS + 1):
        weights, first, second, value = step(weights, first, second, rows(random, train, BATCH), float(at))
        if at % 100 == 0 or at == STEPS:
            bits = float(check(weights, fixed)) / np.log(2)
            print(f"step {at}: held-out text takes {bits:.3f} bits a character ({time.time() - begun:.0f} s)", flush=True)
            np.savez("writer_weights.npz", vocabulary="".join(vocabulary), **{k: np.asarray(w) for k, w in weights.items()})


main()
