"""A residual network of convolutions of bytes: int8 weights with a scale for
each output, i32 biases, activations of ui8.

PyTorch's exporter writes QuantizeLinear and DequantizeLinear for activations.
Weights and biases are rounded to multiples of their scales in the module, and
`store_bytes` rewrites the file: they become integers behind DequantizeLinear,
as quantizers of ONNX models store them.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

import onnx_build
import wire


class Activation(nn.Module):
    """Rounds to 256 multiples of a scale, once its range is measured."""

    def __init__(self):
        super().__init__()
        self.low, self.high, self.scale, self.zero = 0.0, 0.0, None, 0

    def forward(self, x):
        if self.scale is not None:
            return torch.fake_quantize_per_tensor_affine(
                x, self.scale, self.zero, 0, 255)
        self.low = min(self.low, float(x.min()))
        self.high = max(self.high, float(x.max()))
        return x

    def freeze(self):
        self.scale = float(np.float32((self.high - self.low) / 255))
        self.zero = int(round(-self.low / self.scale))


class Layer(nn.Module):
    """A convolution or a product, then ReLU if asked for."""

    def __init__(self, product, before, relu, after=True):
        super().__init__()
        self.product, self.relu = product, relu
        self.before = [before]  # not a submodule
        self.after = Activation() if after else nn.Identity()

    def forward(self, x):
        x = self.product(x)
        return self.after(functional.relu(x) if self.relu else x)

    def freeze(self):
        """Rounds weights and bias; returns the scale of each output."""
        weight, bias = self.product.weight.data, self.product.bias.data
        rows = (-1, *[1] * (weight.dim() - 1))
        scale = weight.abs().amax(list(range(1, weight.dim()))) / 127
        weight.copy_((weight / scale.reshape(rows)).round()
                     * scale.reshape(rows))
        both = np.float32(self.before[0].scale) * scale.numpy()
        bias.copy_((bias / torch.from_numpy(both)).round()
                   * torch.from_numpy(both))
        return scale.numpy(), both


class Block(nn.Module):
    def __init__(self, before, inner, outer, stride):
        super().__init__()

        def layer(source, channels, outputs, size, stride, relu):
            return Layer(nn.Conv2d(channels, outputs, size, stride, size // 2),
                         source, relu)
        self.first = layer(before, inner, outer, 3, stride, True)
        self.second = layer(self.first.after, outer, outer, 3, 1, False)
        self.short = layer(before, inner, outer, 1, stride, False) \
            if inner != outer else nn.Identity()
        self.after = Activation()

    def forward(self, x):
        y = self.second(self.first(x)) + self.short(x)
        return self.after(functional.relu(y))


class Residual(nn.Module):
    def __init__(self, widths=(64, 64, 128, 128, 256, 256, 512, 512)):
        super().__init__()
        self.image = Activation()
        self.stem = Layer(nn.Conv2d(3, widths[0], 7, 2, 3), self.image, True)
        blocks, before, inner = [], self.stem.after, widths[0]
        for width in widths:
            blocks.append(Block(before, inner, width, 1 + (inner != width)))
            before, inner = blocks[-1].after, width
        self.blocks = nn.Sequential(*blocks)
        self.mean = Activation()
        self.head = Layer(nn.Linear(inner, 1000), self.mean, False, False)

    def forward(self, x):
        x = functional.max_pool2d(self.stem(self.image(x)), 3, 2, 1)
        return self.head(self.mean(self.blocks(x).mean((2, 3))))

    def freeze(self, images):
        """Measures ranges on `images` and rounds weights. Returns the scales of
        parameters by name."""
        with torch.no_grad():
            self(images)
        for module in self.modules():
            if isinstance(module, Activation):
                module.freeze()
        scales = {}
        for name, module in self.named_modules():
            if isinstance(module, Layer):
                scales[f"{name}.product.weight"], \
                    scales[f"{name}.product.bias"] = module.freeze()
        return scales


def store_bytes(data, scales):
    """The ONNX file with the parameters of `scales` as integers behind
    DequantizeLinear."""
    def graph(g):
        nodes, tensors = [], []

        def stored(tensor):
            name = tensor.text(8)
            if name not in scales:
                return tensor
            scale = scales[name]
            values = wire.floats(tensor).reshape(tensor.all(1))
            rows = (-1, *[1] * (values.ndim - 1))
            kind = np.int8 if values.ndim > 1 else np.int32
            integers = np.rint(values / scale.reshape(rows)).astype(kind)
            nodes.append(onnx_build.node(
                "DequantizeLinear", [f"{name}.integers", f"{name}.scale"],
                [name], name=f"{name}.real", axis=0))
            tensors.append(onnx_build.tensor(f"{name}.scale", scale))
            return wire.Message(onnx_build.tensor(f"{name}.integers",
                                                  integers))
        g = g.mapped(5, stored)
        first = [(1, 2, node) for node in nodes]
        more = [(5, 2, tensor) for tensor in tensors]
        return wire.Message.of([*first, *g.fields, *more])
    return wire.Message(data).mapped(7, graph).encoded()
