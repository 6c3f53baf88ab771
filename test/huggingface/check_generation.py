#!/usr/bin/python3
"""Compiles small checkpoints and compares the text that they generate with an
independent reference, in both compatibility modes.

  texts          greedy, beam and contrastive search: equal tokens for random
                 options, prompts with 0 to 7 pads, masks of allowed tokens,
                 ends by eos, by length and at the cache's end
  rules          of suppression and timestamps: each decides tokens of greedy
                 texts and whole texts of beam search that are compared; the
                 counts are printed
  languages      of sounds, different ones in the rows of a batch
  logits         of `start` and of each step: the error of every element is at
                 most twice the largest that PyTorch has in float32 by four
                 orders of sums, the rms error at most twice PyTorch's
  bits           rows, beams, threads, steps, cancelled runs, `keep`; also with
                 weights and caches in fewer bits
  ranges         options out of their range are refused by name
  sampled        tokens of sampled texts lie in their distributions
  distributions  of each warper, of pairs and of beam sampling; seeds
  defaults       options that generation_config.json sets
  many_calls     one context answers many calls as a fresh context does
  long prompts   of several parts: errors, bits, kept columns
  totals         the scores of texts, and a context without a prompt
  counts         the compared calls of each family; each option of processors
                 is set in calls of each strategy

First the reference is tested by examples, and the checks by faults that they
must find. `--full` takes all checkpoints and many more calls. The last line has
the counts.
"""
import argparse
import functools
import os
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generation_counts
import generation_defaults
import generation_faults
import generation_long_prompts
import generation_selftest
import generation_totals
import write_checkpoints
from check_checkpoints import CASES, PRECISION, Checks
from generation_artifact import Artifact
from generation_checks import ModelCheck
from generation_options import MODES
from generation_reference import model_of

SHORT = (("gpt2", "hf-pt"), ("gpt2", "hf-tf"), ("opt_350m", "hf-tf"),
         ("llama3", "hf-pt"), ("qwen3", "hf-tf"), ("t5", "hf-pt"),
         ("t5_form5", "hf-tf"), ("whisper", "hf-pt"))

# Models whose weights or cache have fewer bits.
FORMS = (("llama3", ("--cache-format=bf16",)),
         ("whisper", ("--cache-format=bf16",)),
         ("t5_f16", ()), ("t5_bf16", ("--cache-format=bf16",)),
         ("t5_bf16", ("--weight-format=int8",)),
         ("t5_flan", ("--weight-format=int4", "--cache-format=bf16")))

def modes_of(name):
    """TensorFlow has no rules of timestamps."""
    return MODES[:1] if name in write_checkpoints.WHISPER else MODES


class Few:
    texts, calls, draws, cancelled, sampled, rules = 8, 40, 2000, 300, 12, 2


class FewEncoded(Few):
    texts, cancelled = 36, 30


class Full:
    texts, calls, draws, cancelled, sampled, rules = \
        20, 1000, 100000, 1000, 60, 8


class FullEncoded(Full):
    texts = 36


class Check:
    def __init__(self, build, full, checks):
        self.build, self.checks = build, checks
        self.sizes = (Full, FullEncoded) if full else (Few, FewEncoded)
        self.counts = generation_counts.Counts()

    def checkpoint(self, name, modes):
        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            source = write_checkpoints.write(case, os.path.join(folder, name))
            model = model_of(source)
            for mode in modes:
                path = os.path.join(folder, mode + ".so")
                if self.compile(name, source, path, mode):
                    self.artifact(name, model, path, mode)

    def compile(self, name, source, path, mode, *flags):
        done = subprocess.run(
            [os.path.join(self.build, "bin", "tenon"), "compile", source, "-o",
             path, "-q", f"--gen-compat={mode}", *PRECISION, *flags],
            capture_output=True, text=True)
        return self.checks.that(
            done.returncode == 0 and not done.stderr,
            f"{name} {mode}: compile: {done.returncode}\n{done.stderr}")

    def artifact(self, name, model, path, mode, parts=ModelCheck.CHECKS):
        def opened(threads):
            return Artifact(self.build, path, threads, model.room())
        family = generation_counts.family_of(name.split()[0])
        if name in write_checkpoints.CASES:
            artifact = opened(1)
            generation_totals.check(f"{name} {mode}", artifact,
                                    self.checks.that)
            artifact.close()
        ModelCheck(name, model, opened, mode, self.checks,
                   self.sizes[family != "decoders"],
                   functools.partial(self.counts.add, family)).run(parts)

    def forms(self):
        for name, flags in FORMS:
            with tempfile.TemporaryDirectory() as folder:
                source = write_checkpoints.write(
                    CASES[name], os.path.join(folder, name))
                path = os.path.join(folder, "model.so")
                if self.compile(name, source, path, MODES[0], *flags):
                    self.artifact(" ".join((name, *flags)), model_of(source),
                                  path, MODES[0], ["bits"])

    def long_prompts(self):
        for name, case in generation_long_prompts.CASES.items():
            with tempfile.TemporaryDirectory() as folder:
                source = write_checkpoints.write(case,
                                                 os.path.join(folder, name))
                path = os.path.join(folder, "model.so")
                if self.compile(name, source, path, MODES[0]):
                    model = model_of(source)
                    model.positions = generation_long_prompts.POSITIONS
                    generation_long_prompts.check(
                        f"{name}, long prompts", model,
                        lambda threads: Artifact(self.build, path, threads,
                                                 model.room()),
                        self.checks.that)

    def defaults(self):
        """One checkpoint with several files generation_config.json."""
        with tempfile.TemporaryDirectory() as folder:
            source = write_checkpoints.write(write_checkpoints.CASES["gpt2"],
                                             os.path.join(folder, "model"))
            model = model_of(source)
            for name, config in generation_defaults.CONFIGS.items():
                generation_defaults.write(source, config)
                mode = generation_defaults.MODE[name]
                path = os.path.join(folder, f"{name}.so")
                if self.compile(name, source, path, mode):
                    self.defaults_of(name, model, path, mode)

    def defaults_of(self, name, model, path, mode):
        artifact = Artifact(self.build, path)
        generation_defaults.check(name, model, artifact, mode, self.checks.that)
        artifact.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    checks = Checks()
    generation_selftest.run(checks)
    generation_faults.run(checks)
    check = Check(options.build, options.full, checks)
    names = options.case or (options.full and CASES)
    for name, *modes in [(name, *modes_of(name)) for name in names] \
            if names else SHORT:
        check.checkpoint(name, modes)
    if not options.case:
        check.forms()
        check.defaults()
        check.long_prompts()
    if not options.case:
        check.counts.check(checks.that)
    check.counts.report()
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
