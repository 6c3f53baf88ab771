"""GPT-2 124M and a 12-layer encoder as plain PyTorch modules, for export.

GPT-2's prefill maps token ids to logits and every layer's keys and values. Its
decode step takes one token and the cache of the tokens before it. Both share
one set of weights.
"""
import math

import torch
from torch import nn


def heads(x, count):
    batch, length, width = x.shape
    return x.view(batch, length, count, width // count).transpose(1, 2)


def joined(x):
    batch, count, length, width = x.shape
    return x.transpose(1, 2).reshape(batch, length, count * width)


def gelu_tanh(x):
    return 0.5 * x * (1.0 + torch.tanh(
        math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Project(nn.Module):
    """x W + b with W stored input-first, as GPT-2 checkpoints have it."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.empty(outputs))

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias


class Gpt2Block(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.ln_1 = nn.LayerNorm(width)
        self.attention = Project(width, 3 * width)
        self.out = Project(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.up = Project(width, 4 * width)
        self.down = Project(4 * width, width)

    def forward(self, x, mask, past):
        q, k, v = self.attention(self.ln_1(x)).split(x.shape[-1], 2)
        q, k, v = (heads(t, self.count) for t in (q, k, v))
        if past is not None:
            k = torch.cat([past[0], k], 2)
            v = torch.cat([past[1], v], 2)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(
            q.shape[-1])
        if mask is not None:
            scores = torch.where(mask, scores,
                                 torch.full([], -1e9, dtype=scores.dtype))
        x = x + self.out(joined(torch.matmul(scores.softmax(-1), v)))
        return x + self.down(gelu_tanh(self.up(self.ln_2(x)))), k, v


class Gpt2(nn.Module):
    def __init__(self, layers=12, width=768, count=12, vocabulary=50257,
                 positions=1024):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Gpt2Block(width, count)
                                    for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def logits(self, x):
        return torch.matmul(self.ln_f(x), self.wte.weight.t())


class Prefill(nn.Module):
    def __init__(self, model, length):
        super().__init__()
        self.model = model
        self.register_buffer("positions", torch.arange(length)[None])
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        self.register_buffer("mask", mask[None, None])

    def forward(self, ids):
        m = self.model
        x = m.wte(ids) + m.wpe(self.positions)
        cache = []
        for block in m.blocks:
            x, k, v = block(x, self.mask, None)
            cache += [k, v]
        return (m.logits(x), *cache)


class Decode(nn.Module):
    """One token after a full cache, so nothing is masked."""

    def __init__(self, model, length):
        super().__init__()
        self.model = model
        self.register_buffer("position", torch.tensor([[length]]))

    def forward(self, ids, *past):
        m = self.model
        x = m.wte(ids) + m.wpe(self.position)
        cache = []
        for i, block in enumerate(m.blocks):
            x, k, v = block(x, None, past[2 * i:2 * i + 2])
            cache += [k, v]
        return (m.logits(x), *cache)


class EncoderLayer(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.norm_1 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm_2 = nn.LayerNorm(width)

    def forward(self, x, bias):
        q, k, v = (heads(p(x), self.count)
                   for p in (self.query, self.key, self.value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(
            q.shape[-1]) + bias
        x = self.norm_1(x + self.out(joined(
            torch.matmul(scores.softmax(-1), v))))
        return self.norm_2(x + self.down(
            nn.functional.gelu(self.up(x))))


class Encoder(nn.Module):
    """Maps token ids and a mask of real tokens to the last hidden states."""

    def __init__(self, layers=12, width=768, count=12, vocabulary=2000,
                 positions=512):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(EncoderLayer(width, count)
                                    for _ in range(layers))

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1])[None]
        x = self.norm(self.tokens(ids) + self.places(places))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x
