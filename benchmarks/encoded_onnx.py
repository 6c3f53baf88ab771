"""Writes T5 and Whisper for ONNX Runtime: an encoder that returns the keys and
values which the decoder reads, and one decoding step. ort_encoded.c calls them
in a loop.

All beams of a step read the same keys and values of the encoder: they are rows
of its queries. The step takes `sums`, the scores of the beams, and returns the
`scores` and `choices` of twice as many; without beams it returns `choices`, the
best token. Its cache grows: `parents` names the row that each row continues.
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "bad"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "huggingface"))
from gpt2_onnx import MICROSOFT, Writer, save
from onnx_build import model
from reference_t5 import bucket


class Stack(Writer):
    """An encoder or a decoder; subclasses know its tensors."""

    unscaled = {}

    def __init__(self, weights, side):
        super().__init__(weights, 0)
        self.side, self.config = side, weights.config

    def integers(self, name, *values):
        return self.constant(name, np.array(values, np.int64))

    def times(self, x, name):
        """`x` times a weight [N, K] of the checkpoint."""
        return self.product(x, name + ".weight", np.ascontiguousarray(
            self.weights[name + ".weight"].T))

    def attend(self, inputs, outputs, **more):
        return self.add("MultiHeadAttention", inputs, outputs,
                        domain=MICROSOFT, num_heads=self.heads,
                        **self.unscaled, **more)

    def self_attention(self, x, i, past=(), bias="", **more):
        """With the residual. `past` are the keys and values so far."""
        name = f"{self.side}.{i}.self"
        y = self.norm(x, i, "self")
        parts = [self.project(y, i, "self", n) for n in "qkv"]
        out = [name]
        if past:
            out += [f"present_key_{i}", f"present_value_{i}"]
        attended = self.attend([*parts, "", "", bias, *past], out, **more)
        return self.add("Add", [x, self.project(attended, i, "self", "o")],
                        name + ".sum")

    def cross_attention(self, x, i):
        name = f"{self.side}.{i}.cross"
        width = self.heads * self.depth
        rows = self.add("Reshape", [
            self.project(self.norm(x, i, "cross"), i, "cross", "q"),
            self.integers("queries of one row", 1, -1, width)], name + ".rows")
        attended = self.attend([rows, f"cross_key_{i}", f"cross_value_{i}"],
                               name)
        split = self.add("Reshape", [attended, "shape of rows"],
                         name + ".split")
        return self.add("Add", [x, self.project(split, i, "cross", "o")],
                        name + ".sum")

    def write_encoder(self, path, given):
        x, bias = self.begin()
        for i in range(self.layers):
            x = self.feed_forward(self.self_attention(x, i, bias=bias), i)
        x = self.end(x)
        shape = self.integers("split", 0, 0, self.heads, self.depth)
        decoder, outputs = self.decoder(), {}
        for i in range(decoder.layers):
            for kind in ("key", "value"):
                product = decoder.project(x, i, "cross", kind[0])
                self.nodes += decoder.nodes
                self.constants.update(decoder.constants)
                decoder.nodes.clear(), decoder.constants.clear()
                out = f"cross_{kind}_{i}"
                self.add("Transpose", [self.add("Reshape", [product, shape],
                                                out + ".split")],
                         out, perm=[0, 2, 1, 3])
                outputs[out] = f"f32[1,{self.heads},source,{self.depth}]"
        save(path, model(self.nodes, given, outputs, self.constants))

    def write_step(self, path, beams):
        inputs = {"ids": "i64[rows,new]", "parents": "i64[rows]"}
        cache = f"f32[%s,{self.heads},%s,{self.depth}]"
        outputs = {"choices": "i64[candidates]"}
        for i in range(self.layers):
            for kind in ("key", "value"):
                inputs[f"past_{kind}_{i}"] = cache % ("held", "past")
                inputs[f"cross_{kind}_{i}"] = cache % (1, "source")
                outputs[f"present_{kind}_{i}"] = cache % ("rows", "total")
        shape = self.add("Shape", ["ids"], "shape of ids")
        self.add("Concat", [shape, self.integers(
            "width", self.heads * self.depth)], "shape of rows", axis=0)
        self.count = self.add("Gather", [shape, self.integers("one", 1)],
                              "count")
        self.past = self.add("Gather", [
            self.add("Shape", ["past_key_0"], "shape of past"),
            self.integers("two", 2)], "first")
        self.total = self.add("Add", [self.past, self.count], "total")
        x, bias = self.begin()
        for i in range(self.layers):
            past = [f"past_{kind}_{i}" for kind in ("key", "value")]
            if beams > 1:
                past = [self.add("Gather", [name, "parents"],
                                 name + ".gathered", axis=0) for name in past]
            x = self.self_attention(x, i, past, bias, unidirectional=1)
            x = self.feed_forward(self.cross_attention(x, i), i)
        last = self.add("Slice", [
            self.end(x), self.integers("minus one", -1),
            self.integers("far", 2 ** 31 - 1), self.integers("axis", 1)],
            "last")
        logits = self.head(last)
        flat = self.integers("flat", -1)
        if beams == 1:
            best = self.add("ArgMax", [logits], "best", axis=-1, keepdims=0)
            self.add("Reshape", [best, flat], "choices")
        else:
            inputs["sums"], outputs["scores"] = "f32[rows,1,1]", "f32[candidates]"
            sums = self.add("Add", [
                self.add("LogSoftmax", [logits], "logs", axis=-1), "sums"],
                "all sums")
            self.add("TopK", [self.add("Reshape", [sums, flat], "candidates"),
                              self.integers("beams", 2 * beams)],
                     ["scores", "choices"])
        save(path, model(self.nodes, inputs, outputs, self.constants))


class T5(Stack):
    """With gated feed-forward layers and a head of its own. `length` is the
    greatest number of positions."""

    PARTS = {"self": "0.SelfAttention", "cross": "1.EncDecAttention"}
    unscaled = {"scale": 1.0}

    def __init__(self, weights, side, length):
        super().__init__(weights, side)
        c = self.config
        self.heads, self.depth = c["num_heads"], c["d_kv"]
        self.layers = c["num_layers" if side == "encoder" else
                        "num_decoder_layers"]
        self.length = length

    def decoder(self):
        return T5(self.weights, "decoder", 0)

    def project(self, x, i, part, letter):
        return self.times(x, f"{self.side}.block.{i}.layer."
                          f"{self.PARTS[part]}.{letter}")

    def scale_rms(self, x, name):
        return self.add("SimplifiedLayerNormalization",
                        [x, self.constant(name + ".weight")], name, axis=-1,
                        epsilon=self.config["layer_norm_epsilon"])

    def norm(self, x, i, part):
        return self.scale_rms(x, f"{self.side}.block.{i}.layer."
                              f"{self.PARTS[part][0]}.layer_norm")

    def feed_forward(self, x, i):
        name = f"{self.side}.block.{i}.layer.{1 if self.side == 'encoder' else 2}"
        y = self.scale_rms(x, name + ".layer_norm")
        inner = self.add("Mul", [
            self.add("FastGelu", [self.times(y, name + ".DenseReluDense.wi_0")],
                     name + ".gate", domain=MICROSOFT),
            self.times(y, name + ".DenseReluDense.wi_1")], name + ".inner")
        return self.add("Add", [x, self.times(
            inner, name + ".DenseReluDense.wo")], name + ".sum")

    def biases(self):
        """The position biases of all pairs, [1, heads, length, length]."""
        table = self.weights[f"{self.side}.block.0.layer.0.SelfAttention."
                             "relative_attention_bias.weight"]
        rows = [bucket(d, self.side == "encoder", len(table),
                       self.config["relative_attention_max_distance"])
                for d in range(1 - self.length, self.length)]
        places = np.arange(self.length)
        found = np.array(rows)[places[None] - places[:, None]
                               + self.length - 1]
        return self.constant("biases", np.ascontiguousarray(
            table[found].transpose(2, 0, 1)[None]))

    def begin(self):
        x = self.add("Gather", [self.constant("shared.weight"), "ids"],
                     "embedded")
        biases = self.biases()
        if self.side == "encoder":
            return x, biases
        zero = self.integers("zero", 0)
        return x, self.add("Slice", [
            biases, self.add("Concat", [self.past, zero], "from", axis=0),
            self.add("Concat", [self.total, self.total], "to", axis=0),
            self.integers("last axes", 2, 3)], "bias")

    def end(self, x):
        return self.scale_rms(x, f"{self.side}.final_layer_norm")

    def head(self, x):
        return self.times(x, "lm_head")


class Whisper(Stack):
    PARTS = {"self": "self_attn", "cross": "encoder_attn"}

    def __init__(self, weights, side):
        super().__init__(weights, side)
        c = self.config
        self.heads, self.layers = (c[f"{side}_attention_heads"],
                                   c[f"{side}_layers"])
        self.depth = c["d_model"] // self.heads

    def decoder(self):
        return Whisper(self.weights, "decoder")

    def project(self, x, i, part, letter):
        name = f"model.{self.side}.layers.{i}.{self.PARTS[part]}."
        name += "out_proj" if letter == "o" else f"{letter}_proj"
        product = self.times(x, name)
        if letter == "k":
            return product
        return self.add("Add", [product, self.constant(name + ".bias")], name)

    def layer_norm(self, x, name):
        name = f"model.{self.side}.{name}"
        return self.add("LayerNormalization",
                        [x, self.constant(name + ".weight"),
                         self.constant(name + ".bias")], name, epsilon=1e-5)

    def norm(self, x, i, part):
        return self.layer_norm(x, f"layers.{i}.{self.PARTS[part]}_layer_norm")

    def feed_forward(self, x, i):
        name = f"model.{self.side}.layers.{i}."
        y = self.layer_norm(x, f"layers.{i}.final_layer_norm")
        inner = self.add("BiasGelu", [self.times(y, name + "fc1"),
                                      self.constant(name + "fc1.bias")],
                         name + "gelu", domain=MICROSOFT)
        out = self.add("Add", [self.times(inner, name + "fc2"),
                               self.constant(name + "fc2.bias")], name + "fc2")
        return self.add("Add", [x, out], name + "sum")

    def begin(self):
        name = f"model.{self.side}."
        positions = self.constant(name + "embed_positions.weight")
        if self.side == "encoder":
            x = "features"
            for conv, stride in (("conv1", 1), ("conv2", 2)):
                made = self.add(
                    "Conv", [x, self.constant(f"{name}{conv}.weight"),
                             self.constant(f"{name}{conv}.bias")], conv,
                    strides=[stride], pads=[1, 1], kernel_shape=[3])
                x = self.add("Gelu", [made], conv + ".gelu", domain=MICROSOFT)
            x = self.add("Transpose", [x], "columns", perm=[0, 2, 1])
        else:
            x = self.add("Gather", [
                self.constant(name + "embed_tokens.weight"), "ids"], "tokens")
            positions = self.add("Slice", [positions, self.past, self.total,
                                           self.integers("zero", 0)],
                                 "positions")
        return self.add("Add", [x, positions], "embedded"), ""

    def end(self, x):
        return self.layer_norm(x, "layer_norm")

    def head(self, x):
        table = self.weights["model.decoder.embed_tokens.weight"]
        return self.product(x, "head", np.ascontiguousarray(table.T))


def write_t5_encoder(weights, path, source):
    T5(weights, "encoder", source).write_encoder(
        path, {"ids": "i64[1,source]"})


def write_t5_step(weights, path, beams, new):
    T5(weights, "decoder", new).write_step(path, beams)


def write_whisper_encoder(weights, path):
    Whisper(weights, "encoder").write_encoder(
        path, {"features": f"f32[1,{weights.config['num_mel_bins']},3000]"})


def write_whisper_step(weights, path, beams):
    Whisper(weights, "decoder").write_step(path, beams)
