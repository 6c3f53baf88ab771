"""The models as the papers and the specification of their checkpoints have them,
in PyTorch: logits of every position, for rows with pads on the left.

Shares no code with the compiler or with the writer of checkpoints. `Checkpoint`
reads a folder; `logits(checkpoint, ids, mask, dtype)` computes in `dtype`.
"""
import json
import math
import os
import struct

import numpy as np
import torch
from torch.nn import functional as F


class Checkpoint:
    """config.json and the tensors of a folder."""

    # The order of the sums in products with weights: a seed, or None for that
    # of the library.
    order = None

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            self.config = json.load(f)
        index = os.path.join(folder, "model.safetensors.index.json")
        names = ["model.safetensors"]
        if os.path.exists(index):
            with open(index, encoding="utf-8") as f:
                names = sorted(set(json.load(f)["weight_map"].values()))
        self.tensors = {}
        for name in names:
            self.read(os.path.join(folder, name))

    def read(self, path):
        with open(path, "rb") as f:
            data = f.read()
        length, = struct.unpack("<Q", data[:8])
        for name, entry in json.loads(data[8:8 + length]).items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            raw = data[8 + length + begin:8 + length + end]
            if entry["dtype"] == "BF16":
                bits = np.frombuffer(raw, "<u2").astype("<u4") << 16
                array = bits.view("<f4")
            else:
                kind = {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]
                array = np.frombuffer(raw, kind)
            self.tensors[name] = torch.from_numpy(
                array.astype(np.float64).reshape(entry["shape"]))

    def get(self, key, default=None):
        value = self.config.get(key)
        return default if value is None else value


class Weights:
    """Tensors by name below a prefix, in one dtype."""

    def __init__(self, checkpoint, prefix, dtype):
        self.tensors, self.prefix, self.dtype = checkpoint.tensors, prefix, \
            dtype
        self.order = checkpoint.order

    def __call__(self, name):
        return self.tensors[self.prefix + name].to(self.dtype)

    def has(self, name):
        return self.prefix + name in self.tensors

    def below(self, prefix):
        inner = Weights.__new__(Weights)
        inner.tensors, inner.prefix, inner.dtype = \
            self.tensors, self.prefix + prefix, self.dtype
        inner.order = self.order
        return inner

    def product(self, x, weight):
        if self.order is not None:
            order = torch.Generator().manual_seed(self.order)
            places = torch.randperm(len(weight), generator=order)
            x, weight = x[..., places], weight[places]
        return x @ weight

    def linear(self, name, x):
        """x W^T + b, with the bias if there is one."""
        y = self.product(x, self(name + ".weight").T)
        return y + self(name + ".bias") if self.has(name + ".bias") else y

    def conv1d(self, name, x):
        return self.product(x, self(name + ".weight")) + self(name + ".bias")

    def layer_norm(self, name, x, eps):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        y = (x - mean) / torch.sqrt(variance + eps)
        if not self.has(name + ".weight"):
            return y
        return y * self(name + ".weight") + self(name + ".bias")

    def rms_norm(self, name, x, eps):
        y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
        return self(name + ".weight") * y


def activation(name, x):
    if name == "relu":
        return F.relu(x)
    if name == "gelu":
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    if name in ("gelu_new", "gelu_pytorch_tanh"):
        return 0.5 * x * (1 + torch.tanh(
            math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    assert name == "silu"
    return x * torch.sigmoid(x)


def heads_of(x, heads):
    """[B, S, heads * depth] to [B, heads, S, depth]."""
    rows, length, width = x.shape
    return x.reshape(rows, length, heads, width // heads).transpose(1, 2)


def attend(q, k, v, mask):
    """Causal attention over unmasked keys. `mask` is [B, S]; `q` is scaled."""
    length = q.shape[2]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    allowed = causal[None, None] & mask[:, None, None, :].bool()
    scores = q @ k.transpose(2, 3)
    lowest = torch.finfo(scores.dtype).min
    scores = torch.where(allowed, scores, torch.tensor(lowest,
                                                       dtype=scores.dtype))
    out = torch.softmax(scores, -1) @ v
    return out.transpose(1, 2).reshape(out.shape[0], length, -1)


def gpt2(c, ids, mask, dtype):
    prefix = "transformer." if "transformer.wte.weight" in c.tensors else ""
    w = Weights(c, prefix, dtype)
    heads, eps = c.get("n_head", 12), c.get("layer_norm_epsilon", 1e-5)
    positions = mask.cumsum(-1) - 1
    positions = positions.masked_fill(mask == 0, 1)
    x = w("wte.weight")[ids] + w("wpe.weight")[positions]
    for i in range(c.get("n_layer", 12)):
        h = w.below(f"h.{i}.")
        q, k, v = h.conv1d("attn.c_attn", h.layer_norm("ln_1", x, eps)
                           ).chunk(3, -1)
        q, k, v = (heads_of(part, heads) for part in (q, k, v))
        if c.get("scale_attn_weights", True):
            q = q / math.sqrt(q.shape[-1])
        if c.get("scale_attn_by_inverse_layer_idx", False):
            q = q / (i + 1)
        x = x + h.conv1d("attn.c_proj", attend(q, k, v, mask))
        y = h.conv1d("mlp.c_fc", h.layer_norm("ln_2", x, eps))
        y = activation(c.get("activation_function", "gelu_new"), y)
        x = x + h.conv1d("mlp.c_proj", y)
    tied = c.get("tie_word_embeddings", True)
    head = w("wte.weight") if tied else Weights(c, "", dtype)("lm_head.weight")
    return w.layer_norm("ln_f", x, eps), head


def opt(c, ids, mask, dtype):
    old = "decoder.embed_tokens.weight" in c.tensors
    w = Weights(c, "decoder." if old else "model.decoder.", dtype)
    heads, eps = c.get("num_attention_heads"), 1e-5
    first = c.get("do_layer_norm_before", True)
    positions = mask.cumsum(-1) * mask - 1 + 2
    x = w("embed_tokens.weight")[ids]
    if w.has("project_in.weight"):
        x = w.linear("project_in", x)
    x = x + w("embed_positions.weight")[positions]
    for i in range(c.get("num_hidden_layers")):
        layer = w.below(f"layers.{i}.")

        def attention(y):
            q, k, v = (heads_of(layer.linear(f"self_attn.{n}_proj", y), heads)
                       for n in "qkv")
            y = attend(q * q.shape[-1] ** -0.5, k, v, mask)
            return layer.linear("self_attn.out_proj", y)

        def feed_forward(y):
            y = activation(c.get("activation_function", "relu"),
                           layer.linear("fc1", y))
            return layer.linear("fc2", y)

        for norm, body in (("self_attn_layer_norm", attention),
                           ("final_layer_norm", feed_forward)):
            if first:
                x = x + body(layer.layer_norm(norm, x, eps))
            else:
                x = layer.layer_norm(norm, x + body(x), eps)
    if first and not c.get("_remove_final_layer_norm", False):
        x = w.layer_norm("final_layer_norm", x, eps)
    if w.has("project_out.weight"):
        x = w.linear("project_out", x)
    return x, w("embed_tokens.weight")


def inverse_frequencies(c, depth):
    rope = dict(c.get("rope_scaling") or c.get("rope_parameters") or {})
    theta = rope.get("rope_theta", c.get("rope_theta", 10000.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    inverse = theta ** (-torch.arange(0, depth, 2, dtype=torch.float64) / depth)
    if kind == "linear":
        return inverse / rope["factor"]
    if kind == "default":
        return inverse
    assert kind == "llama3"
    wave = 2 * math.pi / inverse
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    old, factor = rope["original_max_position_embeddings"], rope["factor"]
    share = (old / wave - low) / (high - low)
    between = (1 - share) * inverse / factor + share * inverse
    return torch.where(wave > old / low, inverse / factor,
                       torch.where(wave < old / high, inverse, between))


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * cos + turned * sin


def llama(c, ids, mask, dtype):
    bare = "embed_tokens.weight" in c.tensors
    w = Weights(c, "" if bare else "model.", dtype)
    heads = c.get("num_attention_heads")
    shared = c.get("num_key_value_heads", heads)
    eps = c.get("rms_norm_eps")
    depth = c.get("head_dim", c.get("hidden_size") // heads)
    positions = (mask.cumsum(-1) - 1).masked_fill(mask == 0, 1)
    angles = positions[..., None].to(dtype) * \
        inverse_frequencies(c, depth).to(dtype)
    angles = torch.cat([angles, angles], -1)[:, None]
    cos, sin = torch.cos(angles), torch.sin(angles)
    x = w("embed_tokens.weight")[ids]
    for i in range(c.get("num_hidden_layers")):
        layer = w.below(f"layers.{i}.")
        y = layer.rms_norm("input_layernorm", x, eps)
        q = heads_of(layer.linear("self_attn.q_proj", y), heads)
        k = heads_of(layer.linear("self_attn.k_proj", y), shared)
        v = heads_of(layer.linear("self_attn.v_proj", y), shared)
        if layer.has("self_attn.q_norm.weight"):
            q = layer.rms_norm("self_attn.q_norm", q, eps)
            k = layer.rms_norm("self_attn.k_norm", k, eps)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (part.repeat_interleave(heads // shared, 1) for part in (k, v))
        y = attend(q * depth ** -0.5, k, v, mask)
        x = x + layer.linear("self_attn.o_proj", y)
        y = layer.rms_norm("post_attention_layernorm", x, eps)
        gate = activation(c.get("hidden_act", "silu"),
                          layer.linear("mlp.gate_proj", y))
        x = x + layer.linear("mlp.down_proj",
                             gate * layer.linear("mlp.up_proj", y))
    tied = c.get("tie_word_embeddings", False)
    head = w("embed_tokens.weight") if tied else \
        Weights(c, "", dtype)("lm_head.weight")
    return w.rms_norm("norm", x, eps), head


def hidden_and_head(checkpoint, ids, mask, dtype):
    """What the head multiplies, [B, S, width], and the head."""
    model = {"gpt2": gpt2, "opt": opt}.get(checkpoint.get("model_type"), llama)
    with torch.no_grad():
        return model(checkpoint, torch.from_numpy(ids),
                     torch.from_numpy(mask), dtype)


def hidden(checkpoint, ids, mask, dtype):
    return hidden_and_head(checkpoint, ids, mask, dtype)[0].numpy()


def logits(checkpoint, ids, mask, dtype):
    """Logits [B, S, V] of `ids`, [B, S]; `mask` is 0 at pads."""
    x, head = hidden_and_head(checkpoint, ids, mask, dtype)
    return (x @ head.T).numpy()
