"""Checkpoints of full size with random weights, and the tensors of a checkpoint
folder for the writers of the peers' files."""
import json
import math
import os
import subprocess
import sys

import numpy as np

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Names of write_checkpoints.py.
NAMES = ("gpt2-124m", "flan-t5-small", "whisper-tiny", "whisper-small")


def written(name, folder):
    """The checkpoint `name` of NAMES in `folder`, written once."""
    target = os.path.join(folder, name)
    if not os.path.exists(os.path.join(target, "model.safetensors")):
        subprocess.run(
            [sys.executable, os.path.join(SOURCE, "test", "huggingface",
                                          "write_checkpoints.py"),
             name, target], check=True)
    return target


class Checkpoint:
    """The configuration and float32 tensors of a checkpoint. Tensors are read
    when they are asked for."""

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as held:
            self.config = json.load(held)
        self.path = os.path.join(folder, "model.safetensors")
        with open(self.path, "rb") as held:
            size = int.from_bytes(held.read(8), "little")
            self.entries = json.loads(held.read(size))
        self.base = 8 + size

    def __getitem__(self, name):
        entry = self.entries.get(name) or self.entries["transformer." + name]
        if entry["dtype"] != "F32":
            raise SystemExit(f"bench: {name}: expected F32, got "
                             f"{entry['dtype']}")
        return np.fromfile(
            self.path, np.float32, math.prod(entry["shape"]),
            offset=self.base + entry["data_offsets"][0]).reshape(
                entry["shape"])


class Gpt2(Checkpoint):
    """With the sizes of GPT-2."""

    def __init__(self, folder):
        super().__init__(folder)
        c = self.config
        self.vocabulary, self.positions = c["vocab_size"], c["n_positions"]
        self.width, self.layers, self.heads = (c["n_embd"], c["n_layer"],
                                               c["n_head"])
