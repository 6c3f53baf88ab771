"""Whisper in PyTorch: the encoder over features [rows, mels, 3000] and the
decoder over rows with pads on the left, in the given dtype."""
import math

import torch
from torch.nn import functional as F

from reference import Weights, activation, heads_of

EPSILON = 1e-5


def sinusoids(length, width):
    """Encoder positions of files that have none."""
    rate = torch.exp(-math.log(10000) / (width // 2 - 1) *
                     torch.arange(width // 2, dtype=torch.float64))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rate
    return torch.cat([torch.sin(angles), torch.cos(angles)], 1)


def attention(w, x, memory, heads, allowed=None):
    q = heads_of(w.linear("q_proj", x), heads)
    k, v = (heads_of(w.linear(f"{part}_proj", memory), heads) for part in "kv")
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
    if allowed is not None:
        lowest = torch.finfo(scores.dtype).min
        scores = torch.where(allowed, scores,
                             torch.tensor(lowest, dtype=scores.dtype))
    out = (torch.softmax(scores, -1) @ v).transpose(1, 2)
    return w.linear("out_proj", out.reshape(*out.shape[:2], -1))


def feed_forward(c, w, x):
    y = w.layer_norm("final_layer_norm", x, EPSILON)
    y = activation(c.get("activation_function", "gelu"), w.linear("fc1", y))
    return w.linear("fc2", y)


def encode(c, features, dtype):
    """[rows, positions, width]"""
    w = Weights(c, "model.encoder.", dtype)
    x = features.to(dtype)
    for name, stride in (("conv1", 1), ("conv2", 2)):
        x = activation("gelu", F.conv1d(x, w(name + ".weight"),
                                        w(name + ".bias"), stride, 1))
    x = x.transpose(1, 2)
    positions = w("embed_positions.weight") \
        if w.has("embed_positions.weight") else \
        sinusoids(x.shape[1], x.shape[2]).to(dtype)
    x = x + positions
    for i in range(c.get("encoder_layers")):
        layer = w.below(f"layers.{i}.")
        y = layer.layer_norm("self_attn_layer_norm", x, EPSILON)
        x = x + attention(layer.below("self_attn."), y, y,
                          c.get("encoder_attention_heads"))
        x = x + feed_forward(c, layer, x)
    return w.layer_norm("layer_norm", x, EPSILON)


def hidden_of_decoder(c, hidden, ids, mask, dtype):
    w = Weights(c, "model.decoder.", dtype)
    heads, length = c.get("decoder_attention_heads"), ids.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    allowed = causal & mask.bool()[:, None, None, :]
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    x = w("embed_tokens.weight")[ids] + w("embed_positions.weight")[positions]
    for i in range(c.get("decoder_layers")):
        layer = w.below(f"layers.{i}.")
        y = layer.layer_norm("self_attn_layer_norm", x, EPSILON)
        x = x + attention(layer.below("self_attn."), y, y, heads, allowed)
        y = layer.layer_norm("encoder_attn_layer_norm", x, EPSILON)
        x = x + attention(layer.below("encoder_attn."), y, hidden, heads)
        x = x + feed_forward(c, layer, x)
    return w.layer_norm("layer_norm", x, EPSILON)


def head(c, x, dtype):
    return x @ Weights(c, "model.decoder.", dtype)("embed_tokens.weight").T


def decode(c, hidden, ids, mask, dtype):
    """Scores [rows, seq, vocabulary]; `mask` is 0 at pads."""
    return head(c, hidden_of_decoder(c, hidden, ids, mask, dtype), dtype)
