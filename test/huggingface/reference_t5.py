"""T5 in PyTorch: versions 1.0 and 1.1, flan and mT5.

Rows of the encoder have pads on the right, rows of the decoder on the left.
`encode` computes the encoder's result, `logits` the scores of all positions of
the decoder. Both compute in the given dtype.
"""
import math

import torch

from reference import Weights, activation, heads_of


def bucket(distance, bidirectional, buckets, longest):
    """The row of the table of position biases for a key that stands `distance`
    after its query."""
    first = 0
    if bidirectional:
        buckets //= 2
        first = buckets if distance > 0 else 0
        n = abs(distance)
    else:
        n = max(0, -distance)
    exact = buckets // 2
    if n < exact:
        return first + n
    share = math.log(n / exact) / math.log(longest / exact)
    return first + min(buckets - 1, exact + int(share * (buckets - exact)))


def position_bias(c, w, length, bidirectional):
    """[heads, queries, keys]"""
    table = w("block.0.layer.0.SelfAttention.relative_attention_bias.weight")
    rows = [bucket(d, bidirectional, len(table),
                   c.get("relative_attention_max_distance", 128))
            for d in range(1 - length, length)]
    places = torch.arange(length)
    found = torch.tensor(rows)[places[None] - places[:, None] + length - 1]
    return table[found].permute(2, 0, 1)


def masked_attention(q, k, v, bias, allowed):
    """Scores are not scaled. `allowed` is true for keys that count."""
    scores = q @ k.transpose(2, 3) + bias
    lowest = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype)
    out = torch.softmax(torch.where(allowed, scores, lowest), -1) @ v
    return out.transpose(1, 2).reshape(out.shape[0], out.shape[2], -1)


def attention(c, w, x, memory, bias, allowed):
    heads = c.get("num_heads")
    q = heads_of(w.linear("q", x), heads)
    k, v = (heads_of(w.linear(part, memory), heads) for part in "kv")
    return w.linear("o", masked_attention(q, k, v, bias, allowed))


def feed_forward(c, w, x):
    parts = c.get("feed_forward_proj", "relu").split("-")
    gated = parts[0] == "gated"
    name = "gelu_new" if parts == ["gated", "gelu"] else parts[-1]
    inner = activation(name, w.linear("wi_0" if gated else "wi", x))
    if gated:
        inner = inner * w.linear("wi_1", x)
    return w.linear("wo", inner)


def stack(c, w, layers, x, allowed, memory=None, memory_allowed=None):
    eps = c.get("layer_norm_epsilon", 1e-6)
    bias = position_bias(c, w, x.shape[1], memory is None)
    for i in range(layers):
        def sublayer(number, name, body):
            part = w.below(f"block.{i}.layer.{number}.")
            return body(part.below(name + "."),
                        part.rms_norm("layer_norm", x, eps))
        x = x + sublayer(0, "SelfAttention", lambda at, y: attention(
            c, at, y, y, bias, allowed))
        if memory is not None:
            x = x + sublayer(1, "EncDecAttention", lambda at, y: attention(
                c, at, y, memory, 0, memory_allowed))
        x = x + sublayer(1 if memory is None else 2, "DenseReluDense",
                         lambda at, y: feed_forward(c, at, y))
    return w.rms_norm("final_layer_norm", x, eps)


def encode(c, ids, mask, dtype):
    """Hidden values [rows, seq, width]; `mask` is 0 at pads."""
    table = Weights(c, "", dtype)("shared.weight")
    return stack(c, Weights(c, "encoder.", dtype), c.get("num_layers"),
                 table[ids], mask.bool()[:, None, None, :])


def hidden_of_decoder(c, hidden, decoder_ids, decoder_mask, dtype,
                      mask=None):
    """`mask` is 0 at pads of the encoder's rows `hidden`."""
    if mask is None:
        mask = torch.ones(hidden.shape[:2])
    table = Weights(c, "", dtype)("shared.weight")
    length = decoder_ids.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    return stack(c, Weights(c, "decoder.", dtype),
                 c.get("num_decoder_layers", c.get("num_layers")),
                 table[decoder_ids],
                 causal & decoder_mask.bool()[:, None, None, :],
                 hidden, mask.bool()[:, None, None, :])


def head(c, x, dtype):
    w = Weights(c, "", dtype)
    tied = c.get("tie_word_embeddings", True)
    if c.get("scale_decoder_outputs", tied):
        x = x * c.get("d_model") ** -0.5
    return x @ w("lm_head.weight" if w.has("lm_head.weight") else
                 "shared.weight").T


def decode(c, hidden, decoder_ids, decoder_mask, dtype, mask=None):
    """Scores [rows, decoder_seq, vocabulary]."""
    return head(c, hidden_of_decoder(c, hidden, decoder_ids, decoder_mask,
                                     dtype, mask), dtype)
