"""The tensors of a GPT-2 checkpoint folder, for the writers of the peers'
files."""
import json
import math
import os

import numpy as np


class Gpt2:
    """The sizes and float32 tensors of a checkpoint. Tensors are read when they
    are asked for."""

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as held:
            config = json.load(held)
        self.vocabulary, self.positions = (config["vocab_size"],
                                           config["n_positions"])
        self.width, self.layers, self.heads = (
            config["n_embd"], config["n_layer"], config["n_head"])
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
