#!/usr/bin/python3
"""Compares text generation on an emulated device with the CPU's, bit by bit.

check_generation.py [--build=BUILD] [--architecture=sm_80] [--steps=N]
                    [--kinds=KIND,..] [--full] [--folder=FOLDER | CASE..]

Each case of write_checkpoints.py, by default one of each kind of model, with
--full of each family, or the decoder in FOLDER, generates N tokens: greedily,
by beam search, by sampling, and decoders by contrastive search. All ids and
scores have the CPU's bits, and so have the logits of each step, but those of
contrastive search's candidates.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "huggingface"))
import numpy as np

import write_checkpoints
from check_checkpoints import CASES, Checks
from generation_artifact import Artifact, extents_of, play
from generation_options import Options
from generation_reference import model_of

SHORT = ("gpt2", "t5", "whisper")
FULL = SHORT + ("opt_350m", "llama3", "qwen3")
KINDS = {"greedy": dict(),
         "beams": dict(num_beams=3, num_return_sequences=2,
                       length_penalty=0.5),
         "sampled": dict(do_sample=True, top_p=0.9, temperature=0.7, seed=11,
                         repetition_penalty=1.25),
         "contrastive": dict(penalty_alpha=0.5, top_k=4)}
WIDTH, PADS = 11, (0, 4)


def calls_of(model, kinds, steps):
    """Yields names and calls of two rows, one of which has pads."""
    draw = model.draw(np.random.default_rng(steps), "hf-pt")
    for name in kinds:
        ids = [[5] * pads + draw.ids(WIDTH - pads, WIDTH - pads)
               for pads in PADS]
        lengths = [WIDTH - pads for pads in PADS]
        options = Options(max_new_tokens=steps, pad_token_id=5,
                          output_scores=True, **KINDS[name])
        yield name, draw.given(ids, lengths, options)


def same(one, other):
    return np.array_equal(np.array(one).view(np.uint32),
                          np.array(other).view(np.uint32))


def difference(here, there):
    """What two texts differ in, or nothing."""
    if len(here.logits) != len(there.logits):
        return "another number of steps"
    for step, (one, other) in enumerate(zip(here.logits, there.logits)):
        if not same(one, other):
            return f"other logits in step {step + 1}"
    return "" if here.texts == there.texts else "other texts"


class Check:
    def __init__(self, options, checks):
        self.options, self.checks = options, checks

    def checkpoint(self, name, source, is_decoder):
        path = os.path.join(os.path.dirname(source), "model.so")
        done = subprocess.run(
            [os.path.join(self.options.build, "bin", "tenon"), "compile",
             source, "-o", path, "-q", "--matmul-precision=strict",
             f"--device=cpu,nvptx:{self.options.architecture}"],
            capture_output=True, text=True)
        if not self.checks.that(done.returncode == 0, f"{name}: {done.stderr}"):
            return
        model = model_of(source)
        artifacts = [Artifact(self.options.build, path, 2, model.room(),
                              device) for device in ("cpu", "cuda")]
        kinds = [kind for kind in self.options.kinds
                 if is_decoder or kind != "contrastive"]
        for kind, call in calls_of(model, kinds, self.options.steps):
            said, start = [], time.monotonic()
            for artifact in artifacts:
                session = artifact.session(**extents_of(call))
                said.append(play(session, call,
                                 with_logits=kind != "contrastive"))
                session.close()
            seconds = time.monotonic() - start
            print(f"{name}, {kind}: {seconds:.0f} s", flush=True)
            wrong = difference(*said)
            self.checks.that(not wrong, f"{name}, {kind}: {wrong}")
        for artifact in artifacts:
            artifact.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", help="accepted; one thread computes")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--architecture", default="sm_80")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--kinds", type=lambda text: text.split(","),
                        default=list(KINDS))
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    # The stand-in takes the driver's place in this process.
    library = os.path.join(options.build, "lib", "gpu")
    if library not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        os.environ["LD_LIBRARY_PATH"] = library
        os.execv(sys.executable, [sys.executable] + sys.argv)
    checks = Checks()
    check = Check(options, checks)
    with tempfile.TemporaryDirectory() as folder:
        if options.folder:
            source = os.path.join(folder, "model")
            os.symlink(os.path.abspath(options.folder), source)
            check.checkpoint(os.path.basename(options.folder), source, True)
        cases = FULL if options.full else SHORT
        for name in options.case or (() if options.folder else cases):
            source = write_checkpoints.write(CASES[name],
                                             os.path.join(folder, name))
            check.checkpoint(name, source, name in write_checkpoints.CASES)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
