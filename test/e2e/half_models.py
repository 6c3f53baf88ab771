"""Models whose weights and values are f16.

`Texts` convolves embeddings of words, `Block` is a layer of Llama, `Maps` a
U-Net. PyTorch 1.13 neither runs nor exports f16 on a CPU: the modules are
exported in f32, and `halve` rewrites the file. `RoundsEachOp` is what PyTorch
computes in f16: each op in f32, its result rounded.
"""
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

import wire


class Texts(nn.Module):
    def __init__(self, words=5000, width=128, filters=128, classes=10):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, filters, size)
                                    for size in (3, 4, 5))
        self.head = nn.Linear(3 * filters, classes)

    def forward(self, ids):
        x = self.embedding(ids).transpose(1, 2)
        return self.head(torch.cat([functional.relu(layer(x)).amax(2)
                                    for layer in self.layers], 1))


class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt((x * x).mean(-1, True) + 1e-5))


class Block(nn.Module):
    def __init__(self, width=512, heads=8, shared=4, inner=1376):
        super().__init__()
        self.heads, self.shared, self.depth = heads, shared, width // heads
        self.before, self.between = Scale(width), Scale(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = (
            nn.Linear(width, shared * self.depth, bias=False)
            for _ in range(2))
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, inner, bias=False)
                              for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def turned(self, x, cosine, sine):
        half = self.depth // 2
        other = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * cosine + other * sine

    def forward(self, x, cosine, sine, mask):
        batch, rows, width = x.shape

        def split(y, heads):
            return y.reshape(batch, rows, heads, self.depth).transpose(1, 2)
        y = self.before(x)
        query = self.turned(split(self.query(y), self.heads), cosine, sine)
        key = self.turned(split(self.key(y), self.shared), cosine, sine)
        value = split(self.value(y), self.shared)
        key, value = (
            z.unsqueeze(2).expand(-1, -1, self.heads // self.shared, -1, -1)
            .reshape(batch, self.heads, rows, self.depth)
            for z in (key, value))
        scores = query @ key.transpose(2, 3) / self.depth ** 0.5 + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2)
        x = x + self.out(mixed.reshape(batch, rows, width))
        y = self.between(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


def convolutions(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(after, after, 3, padding=1), nn.ReLU())


class Maps(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        widths = [width << i for i in range(4)]
        self.down = nn.ModuleList(convolutions(b, a) for b, a in
                                  zip([3, *widths], widths))
        self.rise = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, stride=2)
                                  for w in widths[:3])
        self.up = nn.ModuleList(convolutions(2 * w, w) for w in widths[:3])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(functional.max_pool2d(x, 2) if kept else x)
            kept.append(x)
        for i in (2, 1, 0):
            x = self.up[i](torch.cat([kept[i], self.rise[i](x)], 1))
        return self.head(x)


class RoundsEachOp(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        def rounded(x):
            isFloat = isinstance(x, torch.Tensor) and x.dtype == torch.float32
            return x.half().float() if isFloat else x
        return tree_map(rounded, function(*args, **(kwargs or {})))


FLOAT, HALF = 1, 10


def half_tensor(message):
    """A TensorProto of f16; others stay as they are."""
    if message.integer(2) != FLOAT:
        return message
    values = wire.floats(message)
    return message.without(4, 9).replaced(2, HALF).added(
        9, values.astype("<f2").tobytes())


def half_value(message):
    """A ValueInfoProto of f16."""
    def of_tensor(tensor):
        return tensor.replaced(1, HALF) if tensor.integer(1) == FLOAT \
            else tensor
    return message.mapped(2, lambda t: t.mapped(1, of_tensor))


def half_node(message, kept):
    def attribute(a):
        if a.text(1) == "to" and a.integer(3) == FLOAT:
            return a.replaced(3, HALF)
        return a.mapped(5, half_tensor)
    if message.text(4) == "Constant" and message.text(2) in kept:
        return message
    return message.mapped(5, attribute)


def halve(data):
    """The ONNX file with f16 for every f32, but for the factors of Resize."""
    def graph(g):
        kept = {name for node in g.messages(1) if node.text(4) == "Resize"
                for name in node.texts(1)[1:]}
        g = g.mapped(1, lambda node: half_node(node, kept))
        g = g.mapped(5, lambda t: t if t.text(8) in kept else half_tensor(t))
        for field in (11, 12, 13):
            g = g.mapped(field, half_value)
        return g
    return wire.Message(data).mapped(7, graph).encoded()
