"""The decoder of chat: what train_chat.py trains and make_chat.py writes as ONNX. Shaped like Llama, only smaller."""
import jax
import jax.numpy as jnp
import numpy as np

from decoder_graph import turns

TOKENS, WIDTH, LAYERS, HEADS, SHARED, INNER, HIDDEN, CONTEXT = 2048, 192, 4, 4, 2, 48, 512, 512
BASE, SMALL = 10000.0, 1e-5


def initial(random):
    def matrix(*shape, scale=1.0):
        return (random.standard_normal(shape) * scale * shape[0] ** -0.5).astype(np.float32)

    weights = {"embed": (random.standard_normal((TOKENS, WIDTH)) * 0.05).astype(np.float32), "final": np.ones(WIDTH, np.float32)}
    for i in range(LAYERS):
        weights |= {
            f"{i}.attend": np.ones(WIDTH, np.float32),
            f"{i}.q": matrix(WIDTH, HEADS * INNER),
            f"{i}.k": matrix(WIDTH, SHARED * INNER),
            f"{i}.v": matrix(WIDTH, SHARED * INNER),
            f"{i}.out": matrix(HEADS * INNER, WIDTH, scale=1 / LAYERS),
            f"{i}.think": np.ones(WIDTH, np.float32),
            f"{i}.gate": matrix(WIDTH, HIDDEN),
            f"{i}.up": matrix(WIDTH, HIDDEN),
            f"{i}.down": matrix(HIDDEN, WIDTH, scale=1 / LAYERS),
        }
    return weights


def norm(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + SMALL) * gain


def rotate(x, cos, sin):
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def forward(weights, tokens, texts):
    """The logits of what follows each token. A row holds several texts, by number; none sees another."""
    count, length = tokens.shape
    mask = (np.tril(np.ones((length, length), bool)) & (texts[:, :, None] == texts[:, None, :]))[:, None]
    cos, sin = turns(BASE, INNER, length)

    def by_head(x, heads):
        return x.reshape(count, length, heads, INNER).transpose(0, 2, 1, 3)

    x = weights["embed"][tokens]
    for i in range(LAYERS):
        seen = norm(x, weights[f"{i}.attend"])
        q = rotate(by_head(seen @ weights[f"{i}.q"], HEADS), cos, sin)
        k = jnp.repeat(rotate(by_head(seen @ weights[f"{i}.k"], SHARED), cos, sin), HEADS // SHARED, 1)
        v = jnp.repeat(by_head(seen @ weights[f"{i}.v"], SHARED), HEADS // SHARED, 1)
        scores = jnp.where(mask, q @ k.swapaxes(-1, -2) * INNER**-0.5, -1e9)
        read = (jax.nn.softmax(scores, -1) @ v).transpose(0, 2, 1, 3).reshape(count, length, HEADS * INNER)
        x = x + read @ weights[f"{i}.out"]
        seen = norm(x, weights[f"{i}.think"])
        x = x + (jax.nn.silu(seen @ weights[f"{i}.gate"]) * (seen @ weights[f"{i}.up"])) @ weights[f"{i}.down"]
    return norm(x, weights["final"]) @ weights["embed"].T
