"""Writes GPT-2 for ONNX Runtime, with the operators that its own tools use.

`write_decoder` writes one pass over new tokens with a cache in the caller's
buffers (GroupQueryAttention), and with weights as f32, int8 or int4
(MatMulNBits). `write_search` writes the operators GreedySearch and BeamSearch
around a pass with a growing cache (Attention).
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "bad"))
from onnx_build import graph, model, node

MICROSOFT = "com.microsoft"
# Elements that share a scale.
BLOCK = 32


def in_blocks(weights, bits):
    """Weights [K, N] as MatMulNBits reads them: unsigned elements [N, K / BLOCK,
    BLOCK * bits / 8] around the middle value, and scales."""
    depth, columns = weights.shape
    blocks = np.ascontiguousarray(weights.T).reshape(columns, -1, BLOCK)
    middle = 1 << bits - 1
    scales = np.abs(blocks).max(axis=2, keepdims=True) / (middle - 1)
    scales = np.maximum(scales, 1e-30).astype(np.float32)
    stored = (np.rint(blocks / scales) + middle).astype(np.uint8)
    if bits == 4:
        stored = stored[:, :, 0::2] | stored[:, :, 1::2] << 4
    return stored, scales.reshape(-1)


class Writer:
    """The nodes and constants of one decoder."""

    def __init__(self, weights, bits):
        self.weights, self.bits = weights, bits
        self.nodes, self.constants = [], {}

    def constant(self, name, array=None):
        self.constants[name] = self.weights[name] if array is None else array
        return name

    def add(self, op, inputs, out, **rest):
        outputs = out if isinstance(out, list) else [out]
        self.nodes.append(node(op, inputs, outputs, outputs[0], **rest))
        return outputs[0]

    def product(self, x, name, array=None):
        """`x` times a weight [K, N]."""
        array = self.weights[name] if array is None else array
        out = name + ".product"
        if not self.bits:
            return self.add("MatMul", [x, self.constant(name, array)], out)
        stored, scales = in_blocks(array, self.bits)
        return self.add(
            "MatMulNBits", [x, self.constant(name + ".stored", stored),
                            self.constant(name + ".scales", scales)],
            out, domain=MICROSOFT, K=array.shape[0], N=array.shape[1],
            bits=self.bits, block_size=BLOCK, accuracy_level=4)

    def linear(self, x, name):
        return self.add("Add", [self.product(x, name + ".weight"),
                                self.constant(name + ".bias")], name)

    def norm(self, x, name):
        return self.add("LayerNormalization",
                        [x, self.constant(name + ".weight"),
                         self.constant(name + ".bias")], name, epsilon=1e-5)

    def decoder(self, attention):
        """All nodes up to `logits`, the scores after the last token of each
        row. `attention(writer, x, layer)` adds a layer's attention."""
        layers = self.weights.layers
        x = self.add("Add", [
            self.add("Gather", [self.constant("wte.weight"), "input_ids"],
                     "token"),
            self.add("Gather", [self.constant("wpe.weight"), "position_ids"],
                     "position")], "embedded")
        for i in range(layers):
            h = f"h.{i}."
            attended = attention(self, self.norm(x, h + "ln_1"), i)
            x = self.add("Add", [x, self.linear(attended, h + "attn.c_proj")],
                         h + "middle")
            inner = self.add(
                "FastGelu", [self.product(self.norm(x, h + "ln_2"),
                                          h + "mlp.c_fc.weight"),
                             self.constant(h + "mlp.c_fc.bias")],
                h + "gelu", domain=MICROSOFT)
            x = self.add("Add", [x, self.linear(inner, h + "mlp.c_proj")],
                         h + "out")
        for name, value in (("from", -1), ("to", 2 ** 31 - 1), ("axis", 1)):
            self.constant(name, np.array([value], np.int64))
        last = self.add("Slice", [x, "from", "to", "axis"], "last")
        head = np.ascontiguousarray(self.weights["wte.weight"].T)
        scores = self.product(self.norm(last, "ln_f"), "head", head)
        self.add("Identity", [scores], "logits")


def shared_cache(writer, x, layer):
    """Attention over a cache in buffers that are input and output at once."""
    h = f"h.{layer}.attn"
    heads = writer.weights.heads
    writer.add("GroupQueryAttention",
               [writer.linear(x, h + ".c_attn"), "", "",
                f"past_key_{layer}", f"past_value_{layer}", "seqlens_k",
                "total_sequence_length"],
               [h, f"present_key_{layer}", f"present_value_{layer}"],
               domain=MICROSOFT, num_heads=heads, kv_num_heads=heads)
    return h


def growing_cache(writer, x, layer):
    """Attention that returns the cache with the new keys and values appended."""
    h = f"h.{layer}.attn"
    return writer.add(
        "Attention", [x, writer.constant(h + ".c_attn.weight"),
                      writer.constant(h + ".c_attn.bias"), "attention_mask",
                      f"past_{layer}"], [h, f"present_{layer}"],
        domain=MICROSOFT, num_heads=writer.weights.heads, unidirectional=1)


def write_decoder(weights, path, bits=0):
    writer = Writer(weights, bits)
    writer.decoder(shared_cache)
    cache = (f"f32[batch,{weights.heads},room,"
             f"{weights.width // weights.heads}]")
    inputs = {"input_ids": "i64[batch,new]", "position_ids": "i64[batch,new]",
              "seqlens_k": "i32[batch]", "total_sequence_length": "i32[]"}
    outputs = {"logits": f"f32[batch,1,{weights.vocabulary}]"}
    for i in range(weights.layers):
        for kind in ("key", "value"):
            inputs[f"past_{kind}_{i}"] = cache
            outputs[f"present_{kind}_{i}"] = cache
    save(path, model(writer.nodes, inputs, outputs, writer.constants))


def write_search(weights, path, beams):
    """BeamSearch, or GreedySearch if `beams` is 1. No token comes twice."""
    writer = Writer(weights, 0)
    writer.decoder(growing_cache)
    shape = f"{weights.heads},%s,{weights.width // weights.heads}]"
    inputs = {"input_ids": "i32[batch,new]", "position_ids": "i32[batch,new]",
              "attention_mask": "i32[batch,total]"}
    outputs = {"logits": f"f32[batch,1,{weights.vocabulary}]"}
    for i in range(weights.layers):
        inputs[f"past_{i}"] = "f32[2,batch," + shape % "held"
        outputs[f"present_{i}"] = "f32[2,batch," + shape % "total"
    body = graph(writer.nodes, inputs, outputs, writer.constants)
    # The operators need an end token; callers forbid it by `min_length`.
    common = {"decoder": body, "model_type": 0,
              "eos_token_id": weights.vocabulary - 1,
              "pad_token_id": weights.vocabulary - 1,
              "vocab_size": weights.vocabulary, "no_repeat_ngram_size": 1,
              "domain": MICROSOFT}
    given = {"input_ids": "i32[batch,seq]", "max_length": "i32[1]",
             "min_length": "i32[1]", "attention_mask": "i32[batch,seq]"}
    if beams == 1:
        search = node("GreedySearch",
                      ["input_ids", "max_length", "min_length", "", "", "",
                       "attention_mask"], ["sequences"], **common)
        result = {"sequences": "i32[batch,length]"}
    else:
        given.update({"num_beams": "i32[1]", "num_return_sequences": "i32[1]",
                      "length_penalty": "f32[1]"})
        search = node("BeamSearch",
                      ["input_ids", "max_length", "min_length", "num_beams",
                       "num_return_sequences", "length_penalty", "", "", "",
                       "attention_mask"], ["sequences"], early_stopping=1,
                      **common)
        result = {"sequences": "i32[batch,returned,length]"}
    save(path, model([search], given, result))


def save(path, encoded):
    with open(f"{path}.part", "wb") as out:
        out.write(encoded)
    os.replace(f"{path}.part", path)
