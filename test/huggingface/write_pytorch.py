#!/usr/bin/python3
"""Writes the tensors of a checkpoint folder as files of PyTorch.

`write_pytorch.py FROM TO FORM...` writes a folder TO/FORM/model for each form, with
the config.json of FROM and what torch.save makes of the tensors of
FROM/model.safetensors. `FORMS` has forms that hold the same tensors, `OTHERS`
forms that a compiler must refuse.
"""
import argparse
import json
import os
import shutil
import struct
import sys
import zipfile
from collections import OrderedDict

import numpy as np
import torch

NAME = "pytorch_model.bin"
MARKER = "was-here"
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def read_safetensors(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    tensors = OrderedDict()
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        bytes_of = torch.frombuffer(data[begin:end], dtype=torch.uint8)
        tensors[name] = bytes_of.view(DTYPES[entry["dtype"]]).reshape(
            entry["shape"])
    return tensors


def save(tensors, folder, name=NAME, **more):
    torch.save(tensors, os.path.join(folder, name), **more)


def ordered(tensors, folder):
    """As state_dict() returns them, with the versions of the modules."""
    tensors._metadata = OrderedDict({"": {"version": 1}})
    save(tensors, folder)


def plain(tensors, folder):
    save(dict(tensors), folder)


def parameters(tensors, folder):
    save({name: torch.nn.Parameter(tensor)
          for name, tensor in tensors.items()}, folder)


def views(tensors, folder):
    """All tensors are parts of one storage, at any element of it."""
    ends = np.cumsum([0] + [tensor.numel() + 1 for tensor in tensors.values()])
    whole = torch.zeros(int(ends[-1]),
                        dtype=next(iter(tensors.values())).dtype)
    parts = {}
    for (name, tensor), end in zip(tensors.items(), ends):
        parts[name] = whole[end:end + tensor.numel()].view(tensor.shape)
        parts[name].copy_(tensor)
    save(parts, folder)


def tied(tensors, folder):
    """A head that is the table, and the buffers of old versions of GPT-2."""
    table = next(name for name in tensors
                 if name.endswith(("wte.weight", "embed_tokens.weight")))
    tensors["lm_head.weight"] = tensors[table]
    if table.endswith("wte.weight"):
        for layer in range(2):
            stem = table[:-len("wte.weight")] + f"h.{layer}.attn."
            tensors[stem + "bias"] = torch.ones(1, 1, 8, 8, dtype=torch.bool)
            tensors[stem + "masked_bias"] = torch.tensor(-1e4)
    save(tensors, folder)


def shards(tensors, folder):
    """Two files; the head in the second is the table, and its bytes are counted
    once."""
    names = list(tensors)
    total = sum(tensor.numel() * tensor.element_size()
                for tensor in tensors.values())
    tensors["lm_head.weight"] = tensors[names[0]]
    placed = {}
    for i in range(2):
        part = OrderedDict((name, tensors[name]) for name in names[i::2])
        if i == 0:
            part["lm_head.weight"] = tensors["lm_head.weight"]
        file = f"pytorch_model-{i + 1:05}-of-00002.bin"
        save(part, folder, file)
        placed.update(dict.fromkeys(part, file))
    with open(os.path.join(folder, NAME + ".index.json"), "w",
              encoding="utf-8") as out:
        json.dump({"metadata": {"total_size": total}, "weight_map": placed},
                  out)


def rezip(folder, method):
    path = os.path.join(folder, NAME)
    with zipfile.ZipFile(path) as old:
        entries = [(name, old.read(name)) for name in old.namelist()]
    with zipfile.ZipFile(path, "w", method) as new:
        for name, data in entries:
            new.writestr(name, data)


def zipped(tensors, folder):
    """An archive of another writer, which aligns nothing."""
    save(tensors, folder)
    rezip(folder, zipfile.ZIP_STORED)


def deflated(tensors, folder):
    save(tensors, folder)
    rezip(folder, zipfile.ZIP_DEFLATED)


def legacy(tensors, folder):
    save(tensors, folder, _use_new_zipfile_serialization=False)


def protocol(tensors, folder):
    save(tensors, folder, pickle_protocol=4)


def transposed(tensors, folder):
    name = next(name for name, tensor in tensors.items() if tensor.dim() == 2)
    tensors[name] = tensors[name].t().contiguous().t()
    save(tensors, folder)


def nested(tensors, folder):
    save({"step": 1, "model": tensors}, folder)


def module(_, folder):
    save(torch.nn.Linear(2, 3), folder)


class Command:
    """Runs a command when it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def command(tensors, folder):
    marker = os.path.join(folder, MARKER)
    save({**tensors, "lm_head.weight": Command(f"touch '{marker}'")}, folder)


def script(_, folder):
    torch.jit.script(torch.nn.Linear(2, 3)).save(os.path.join(folder, NAME))


FORMS = {form.__name__: form for form in (
    ordered, plain, parameters, views, tied, shards, zipped)}
OTHERS = {form.__name__: form for form in (
    deflated, legacy, protocol, transposed, nested, module, command, script)}


def write(source, form, folder):
    os.makedirs(folder)
    shutil.copy(os.path.join(source, "config.json"), folder)
    tensors = read_safetensors(os.path.join(source, "model.safetensors"))
    {**FORMS, **OTHERS}[form](tensors, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("target", metavar="TO")
    parser.add_argument("form", nargs="+", choices=[*FORMS, *OTHERS])
    options = parser.parse_args()
    for form in options.form:
        write(options.source, form,
              os.path.join(options.target, form, "model"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
