"""Runs the model through the command line: compiled once, run for each size.

A result is a dict of arrays, or a `Refusal` with the status and the message.
"""
import os
import subprocess
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Refusal:
    status: int
    words: str


def call(command, limit):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, "no answer in time"


class Compiled:
    def __init__(self, tenon, folder, limit=120):
        self.tenon, self.folder, self.limit = tenon, folder, limit

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, model, out="m.so", *flags):
        """Compiles the model; returns None, or the reason of a failure."""
        with open(self.path("model.onnx"), "wb") as file:
            file.write(model)
        status, said = call(
            [self.tenon, "compile", "-q", self.path("model.onnx"), "-o",
             self.path(out), *flags], self.limit)
        return Refusal(status, said) if status != 0 else None

    def run(self, inputs, artifact="m.so"):
        np.savez(self.path("in.npz"), **inputs)
        outputs = self.path("out.npz")
        if os.path.exists(outputs):
            os.remove(outputs)
        given = [f"--inputs={self.path('in.npz')}"] if inputs else []
        status, said = call(
            [self.tenon, "run", "-q", self.path(artifact), *given,
             f"--outputs={outputs}"], self.limit)
        if status != 0:
            return Refusal(status, said)
        with np.load(outputs) as held:
            return {name: held[name] for name in held.files}
