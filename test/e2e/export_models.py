#!/usr/bin/python3
"""Exports real architectures with random weights by PyTorch, with references.

For each model of `MODELS` this writes NAME.onnx, NAME.inputs.npz and
NAME.reference.npz to a folder. For output `y` the reference has `y` (PyTorch
in float32, or in f16 for a model in f16) and `y.f64` (equal weights and inputs
in float64). Models with
named axes have further such pairs at other sizes, NAME.1.inputs.npz and so on.
Every parameter and buffer is drawn from the seed, so that no two layers are
equal. Exporters merge equal weights, and tests need separate ones; the
exported file is checked for that. Files that are newer than these sources are
kept.
"""
import argparse
import contextlib
import hashlib
import math
import os
import sys
import time
import warnings

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "conformance"))
sys.path.insert(0, os.path.join(HERE, "..", "bad"))
import detection_models
import half_models
import image_models
import onnx_wire
import quantized_models
import transformer_models
import varied_models

OPSET = 17


def draw(model, seed):
    """Draws every parameter; each layer has a scale that keeps signals
    alive."""
    random = torch.Generator().manual_seed(seed)

    def normal(tensor, deviation, mean=0.0):
        tensor.normal_(mean, deviation, generator=random)

    with torch.no_grad():
        for module in model.modules():
            norm = isinstance(module, (nn.LayerNorm,
                                       nn.modules.batchnorm._BatchNorm))
            for name, p in module.named_parameters(recurse=False):
                if norm and name == "weight":
                    p.uniform_(0.6, 1.4, generator=random)
                elif p.dim() < 2:
                    normal(p, 0.05)
                elif isinstance(module, nn.Embedding):
                    normal(p, 0.05)
                elif isinstance(module, nn.modules.conv._ConvNd):
                    normal(p, math.sqrt(2.0 / p[0].numel()))
                elif isinstance(module, transformer_models.Project):
                    normal(p, math.sqrt(0.5 / p.shape[0]))
                elif "token" in name or "embedding" in name:
                    normal(p, 0.05)
                else:
                    normal(p, math.sqrt(1.0 / p.shape[-1]))
    return random


def measure_statistics(model, images, random):
    """Sets BatchNorm statistics from one pass, each then changed a little."""
    norms = [m for m in model.modules()
             if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    model.train()
    with torch.no_grad():
        model(images)
        for norm in norms:
            spread = norm.running_var.sqrt()
            norm.running_mean += 0.1 * spread * torch.randn(
                spread.shape, generator=random)
            norm.running_var *= 0.8 + 0.4 * torch.rand(
                spread.shape, generator=random)
            norm.running_var += 1e-4
            norm.momentum = 0.1
    model.eval()


class Recipe:
    """The recipe of one model: module, inputs, names, named axes."""

    def __init__(self, module, inputs, names, outputs, axes, keep_norms=False,
                 fold=True, more=(), opset=OPSET, norms=0, half=False,
                 rewrite=None):
        self.norms = norms  # that are not folded into a convolution
        self.half = half  # in f16
        self.rewrite = rewrite  # of the exported file's bytes
        self.module, self.inputs = module.eval(), inputs
        self.names, self.outputs, self.axes = names, outputs, axes
        self.keep_norms, self.fold, self.opset = keep_norms, fold, opset
        self.sizes = [self.inputs, *more]


def mlp(batch_axis):
    net = nn.Sequential(nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 5),
                        nn.Softmax(1))
    random = draw(net, 11)
    # Many inputs: with few, one rounding determines the largest error.
    sizes = [16] * 24 if not batch_axis else [1, 100, 333]
    first, *more = [[torch.randn(n, 10, generator=random)] for n in sizes]
    return Recipe(net, first, ["x"], ["y"], batch_axis, more=more)


def classifier(make, seed, keep_norms, rows=2, norms=0):
    net = make()
    random = draw(net, seed)
    images = torch.randn(8, 3, 224, 224, generator=random)
    if any(isinstance(m, nn.BatchNorm2d) for m in net.modules()):
        measure_statistics(net, images[:4], random)
    return Recipe(net, [images[:rows].clone()], ["data"], ["logits"],
                  {"data": {0: "batch"}, "logits": {0: "batch"}}, keep_norms,
                  norms=norms)


def resnet50(keep_norms):
    from torchvision import models
    return classifier(models.resnet50, 12, keep_norms)


def mobilenet(keep_norms):
    from torchvision import models
    return classifier(models.mobilenet_v3_large, 13, keep_norms)


def vit():
    from torchvision import models
    return classifier(models.vit_b_16, 14, False)


def encoder(dynamic):
    net = transformer_models.Encoder()
    random = draw(net, 15)
    ids = torch.randint(0, 2000, (2, 128), generator=random)
    mask = torch.ones(2, 128, dtype=torch.int64)
    mask[1, 100:] = 0
    axes = {0: "batch", 1: "seq"} if dynamic else {}
    if not dynamic:
        ids, mask = ids[1:].clone(), mask[1:].clone()
    return Recipe(net, [ids, mask], ["ids", "mask"], ["hidden"],
                  {name: axes for name in ("ids", "mask", "hidden")}
                  if axes else None,
                  more=[[torch.randint(0, 2000, size, generator=random),
                         torch.ones(size, dtype=torch.int64)]
                        for size in ((1, 17), (3, 40), (1, 200)) if dynamic])


def cache_names(prefix):
    return [f"{prefix}.{i}.{kind}" for i in range(12)
            for kind in ("key", "value")]


def gpt2():
    net = transformer_models.Gpt2()
    return net, draw(net, 16)


def batched(names):
    return {name: {0: "batch"} for name in names}


def gpt2_prefill():
    net, random = gpt2()
    ids = torch.randint(0, 50257, (1, 128), generator=random)
    names = ["logits", *cache_names("present")]
    return Recipe(transformer_models.Prefill(net, 128), [ids], ["ids"],
                  names, batched(["ids", *names]), fold=False)


def gpt2_decode():
    net, random = gpt2()
    ids = torch.randint(0, 50257, (2, 1), generator=random)
    past = [0.5 * torch.randn(2, 12, 128, 64, generator=random)
            for _ in range(24)]
    inputs = ["ids", *cache_names("past")]
    outputs = ["logits", *cache_names("present")]
    return Recipe(transformer_models.Decode(net, 128), [ids, *past], inputs,
                  outputs, batched(inputs + outputs), fold=False)


def images(net, seed, sizes, axes, channels_last=False):
    random = draw(net, seed)
    first, *more = [[torch.randn(n, h, w, 16, generator=random)]
                    if channels_last else
                    [torch.randn(n, 3, h, w, generator=random)]
                    for n, h, w in sizes]
    return Recipe(net, first, ["x"], ["y"], {"x": axes, "y": axes}, more=more)


IMAGE_AXES = {0: "batch", 2: "height", 3: "width"}


def unet():
    return images(image_models.UNet(), 17,
                  [(2, 20, 30), (1, 21, 33), (3, 37, 19), (1, 16, 16)],
                  IMAGE_AXES)


def windows():
    return images(image_models.Windows(), 18,
                  [(2, 12, 16), (1, 13, 18), (3, 7, 9)],
                  {0: "batch", 1: "height", 2: "width"}, channels_last=True)


def swin():
    from torchvision import models
    # The last stage must be one window at every size, because the exporter
    # fixes which stages shift.
    recipe = images(models.swin_t(), 19, [(1, 224, 224), (2, 190, 215)],
                    IMAGE_AXES)
    recipe.axes = {"x": IMAGE_AXES, "y": {0: "batch"}}
    return recipe


def neighbours():
    net = varied_models.Neighbours()
    random = draw(net, 20)
    points = torch.randn(2, 3, 1024, generator=random)
    measure_statistics(net, points, random)
    return Recipe(net, [points], ["x"], ["y"], batched(["x", "y"]))


def points():
    net = varied_models.Points()
    random = draw(net, 21)
    points = torch.randn(2, 3, 1024, generator=random)
    measure_statistics(net, points, random)
    axes = {"x": {0: "batch", 2: "points"}, "y": {0: "batch"}}
    return Recipe(net, [points], ["x"], ["y"], axes,
                  more=[[torch.randn(3, 3, 77, generator=random)]])


def boxes():
    net = varied_models.Boxes()
    random = draw(net, 22)
    first, other = [[torch.randn(1, 3, *size, generator=random)]
                    for size in ((256, 320), (224, 192))]
    return Recipe(net, first, ["x"], ["boxes", "scores"],
                  {"x": {2: "height", 3: "width"}}, more=[other])


def tagger():
    net = varied_models.Tagger()
    random = draw(net, 24)
    ids = [[torch.randint(0, 1000, size, generator=random)]
           for size in ((2, 64), (3, 17))]
    axes = {0: "batch", 1: "words"}
    return Recipe(net, ids[0], ["x"], ["y"], {"x": axes, "y": axes},
                  more=ids[1:])


def halves(net, seed, sizes, names, axes):
    """A model in f16. Floats of `sizes`, lists of inputs, are drawn; all of
    them and the weights are f16 numbers."""
    random = draw(net, seed)
    for parameter in net.parameters():
        parameter.data = parameter.data.half().float()

    def given(x):
        if isinstance(x, tuple):
            x = torch.randn(*x, generator=random)
        return x.half().float() if x.is_floating_point() else x
    first, *more = [[given(x) for x in size] for size in sizes]
    return Recipe(net, first, names, ["y"], axes, more=more, half=True,
                  rewrite=half_models.halve)


def texts_half():
    random = torch.Generator().manual_seed(50)
    ids = [[torch.randint(0, 5000, size, generator=random)]
           for size in ((2, 256), (3, 31))]
    return halves(half_models.Texts(), 50, ids, ["x"],
                  {"x": {0: "batch", 1: "words"}, "y": {0: "batch"}})


def block_half():
    def inputs(batch, rows):
        angles = torch.outer(torch.arange(rows).float(),
                             10000 ** (-torch.arange(32) / 32))
        angles = torch.cat([angles, angles], 1)
        mask = torch.full((rows, rows), -60000.0).triu(1)
        return [(batch, rows, 512), angles.cos(), angles.sin(), mask]
    axes = {0: "batch", 1: "rows"}
    return halves(half_models.Block(), 51, [inputs(2, 128), inputs(1, 19)],
                  ["x", "cosine", "sine", "mask"],
                  {"x": axes, "cosine": {0: "rows"}, "sine": {0: "rows"},
                   "mask": {0: "rows", 1: "rows"}, "y": axes})


def maps_half():
    axes = {0: "batch", 2: "height", 3: "width"}
    return halves(half_models.Maps(), 52, [[(2, 3, 128, 128)],
                                           [(1, 3, 48, 88)]],
                  ["x"], {"x": axes, "y": axes})


def residual(quantized):
    """A residual network of bytes, or the same weights in f32."""
    net = quantized_models.Residual()
    random = draw(net, 53)
    images = torch.randn(4, 3, 224, 224, generator=random)
    rewrite = None
    if quantized:
        scales = net.freeze(images)

        def rewrite(data):
            return quantized_models.store_bytes(data, scales)
    return Recipe(net, [images[:2].clone()], ["x"], ["y"], batched(["x", "y"]),
                  rewrite=rewrite)


def torchvision_open(make, seed, sizes):
    """A classifier, or a model that gives a map for its image, with open
    sizes."""
    net = make()
    random = draw(net, seed)
    images = [torch.randn(1, 3, *size, generator=random) for size in sizes]
    if any(isinstance(m, nn.BatchNorm2d) for m in net.modules()):
        measure_statistics(net, torch.randn(4, 3, *sizes[0],
                                            generator=random), random)
    first, *more = [[image] for image in images]
    return Recipe(net, first, ["x"], ["y"], {"x": IMAGE_AXES}, more=more)


class Segments(nn.Module):
    """The map of a segmentation model of torchvision."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, images):
        return self.net(images)["out"]


def fcn():
    from torchvision.models import segmentation
    return Segments(segmentation.fcn_resnet50(weights_backbone=None))


def torchvision_model(name, **options):
    from torchvision import models
    return getattr(models, name)(weights=None, **options)


def detector(build, seed, other_size=None):
    """With another size, height and width of the image are open."""
    net, images, names = detection_models.make(build, draw, seed)
    axes = None
    if other_size:
        axes = {"image": {1: "height", 2: "width"}}
        images.append(nn.functional.interpolate(images[0][None], other_size,
                                                mode="bicubic")[0])
    first, *more = [[image] for image in images]
    # From opset 16 on the exporter's RoiAlign is off by half a pixel.
    return Recipe(net, first, ["image"], names, axes, more=more, opset=11)


MODELS = {
    "mlp": lambda: mlp(None),
    "mlp_batch": lambda: mlp({"x": {0: "batch"}, "y": {0: "batch"}}),
    "resnet50": lambda: resnet50(False),
    "resnet50_bn": lambda: resnet50(True),
    "mobilenet_v3_large": lambda: mobilenet(False),
    "mobilenet_v3_large_bn": lambda: mobilenet(True),
    "vit_b_16": vit,
    "encoder": lambda: encoder(False),
    "encoder_dynamic": lambda: encoder(True),
    "gpt2_prefill": gpt2_prefill,
    "gpt2_decode": gpt2_decode,
    "unet": unet,
    "windows": windows,
    "swin_t": swin,
    "neighbours": neighbours,
    "points": points,
    "boxes": boxes,
    "style": lambda: images(varied_models.Style(), 23,
                            [(1, 160, 160), (1, 61, 94)], IMAGE_AXES),
    "tagger": tagger,
    "texts_half": texts_half,
    "block_half": block_half,
    "maps_half": maps_half,
    "residual": lambda: residual(False),
    "residual_bytes": lambda: residual(True),
    "squeezenet": lambda: classifier(
        lambda: torchvision_model("squeezenet1_1"), 40, False),
    "squeezenet_open": lambda: torchvision_open(
        lambda: torchvision_model("squeezenet1_1"), 40, [(224, 224)]),
    "fcn_open": lambda: torchvision_open(fcn, 41, [(224, 224)]),
    "regnet_x": lambda: classifier(
        lambda: torchvision_model("regnet_x_400mf"), 42, False),
    "densenet": lambda: classifier(
        lambda: torchvision_model("densenet121"), 43, False, norms=62),
    "googlenet": lambda: classifier(
        lambda: torchvision_model("googlenet", init_weights=False,
                                  aux_logits=False), 44, False),
    "efficientnet_open": lambda: torchvision_open(
        lambda: torchvision_model("efficientnet_b0"), 45, [(224, 224)]),
    "efficientnet": lambda: classifier(
        lambda: torchvision_model("efficientnet_b0"), 45, False),
    "fasterrcnn": lambda: detector(detection_models.fasterrcnn, 31),
    "maskrcnn": lambda: detector(detection_models.maskrcnn, 31),
    "retinanet": lambda: detector(detection_models.retinanet, 31),
    "ssdlite": lambda: detector(detection_models.ssdlite, 31),
    "fasterrcnn_open": lambda: detector(detection_models.fasterrcnn, 31,
                                        (144, 208)),
    "maskrcnn_open": lambda: detector(detection_models.maskrcnn, 31,
                                      (152, 144)),
    "retinanet_open": lambda: detector(detection_models.retinanet, 31,
                                       (144, 160)),
    "ssdlite_open": lambda: detector(detection_models.ssdlite, 31,
                                     (256, 384)),
}


def check_weights(path, recipe):
    """Checks that no two weights of the file are equal and none is missing."""
    graph = onnx_wire.Model(path).graph
    seen = {}
    elements = 0
    for tensor in graph.initializers:
        count = math.prod(tensor.dims)
        elements += count
        if count < 16:
            continue
        digest = hashlib.sha256(tensor.message.all(9)[-1]).digest()
        if digest in seen:
            sys.exit(f"{path}: {tensor.name} and {seen[digest]} are equal")
        seen[digest] = tensor.name
    norms = sum(n.op == "BatchNormalization" for n in graph.walk())
    wanted = sum(isinstance(m, nn.BatchNorm2d)
                 for m in recipe.module.modules()) if recipe.keep_norms \
        else recipe.norms
    if norms != wanted:
        sys.exit(f"{path}: expected {wanted} BatchNormalization, got {norms}")
    parameters = sum(p.numel() for p in recipe.module.parameters())
    if elements < 0.95 * parameters:
        sys.exit(f"{path}: {elements} weights for {parameters} parameters")


def arrays(names, tensors):
    return {n: t.detach().numpy() for n, t in zip(names, tensors)}


def outputs_of(module, inputs, half=False):
    with torch.no_grad(), half_models.RoundsEachOp() if half \
            else contextlib.nullcontext():
        out = module(*inputs)
    return out if isinstance(out, tuple) else (out,)


def stored(recipe, tensors):
    """The tensors in the types of the file."""
    return [t.half() if recipe.half and t.is_floating_point() else t
            for t in tensors]


def rewrite_file(path, change):
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(change(data))


def export(name, folder):
    recipe = MODELS[name]()
    path = os.path.join(folder, name)
    # PRESERVE keeps BatchNorm nodes, with inference semantics.
    training = torch.onnx.TrainingMode.PRESERVE if recipe.keep_norms else \
        torch.onnx.TrainingMode.EVAL
    partial = f"{path}.onnx.part"
    torch.onnx.export(
        recipe.module, tuple(recipe.inputs), partial,
        opset_version=recipe.opset,
        input_names=recipe.names, output_names=recipe.outputs,
        dynamic_axes=recipe.axes, training=training,
        do_constant_folding=recipe.fold and not recipe.keep_norms)
    if recipe.rewrite:
        rewrite_file(partial, recipe.rewrite)
    check_weights(partial, recipe)
    answers = [arrays(recipe.outputs, stored(recipe, outputs_of(
        recipe.module, inputs, recipe.half))) for inputs in recipe.sizes]
    recipe.module.double()
    for number, (inputs, kept) in enumerate(zip(recipe.sizes, answers)):
        stem = f"{path}.{number}" if number else path
        np.savez(f"{stem}.inputs.npz", **arrays(recipe.names, stored(recipe,
                                                                 inputs)))
        wide = [t.double() if t.is_floating_point() else t for t in inputs]
        exact = outputs_of(recipe.module, wide)
        kept.update({f"{n}.f64": t.numpy()
                     for n, t in zip(recipe.outputs, exact)})
        np.savez(f"{stem}.reference.npz", **kept)
    # Rename the model last: if it exists, all of its files exist.
    os.replace(partial, f"{path}.onnx")


def fresh(name, folder):
    made = os.path.join(folder, f"{name}.onnx")
    sources = [__file__, detection_models.__file__, half_models.__file__,
               image_models.__file__, quantized_models.__file__,
               transformer_models.__file__, varied_models.__file__]
    return os.path.exists(made) and all(
        os.path.getmtime(made) > os.path.getmtime(s) for s in sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", help="default: all")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.makedirs(options.folder, exist_ok=True)
    for name in options.names or MODELS:
        if fresh(name, options.folder):
            continue
        start = time.monotonic()
        export(name, options.folder)
        print(f"{name}: exported in {time.monotonic() - start:.0f} s",
              flush=True)


if __name__ == "__main__":
    main()
