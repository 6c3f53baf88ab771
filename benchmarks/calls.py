#!/usr/bin/python3
"""Random calls of one artifact of GPT-2, as a table of times.

Every call has a kind of its own: prompts of 1 to 60 tokens, 1 to 4 of them, 1
to 4 beams, and other values of all options. Each kind is called twice, with
other tokens the second time, so that nothing of the first call can be kept. A
call allocates nothing if an earlier one was as large: the largest kind comes
first, and the context's memory must stay what it is then.
"""
import argparse
import collections
import os
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
STRATEGIES = {"greedy": {}, "sampling": {"do_sample": True},
              "beams": {"num_beams": 4},
              "beam sampling": {"num_beams": 4, "do_sample": True}}
LARGEST = {"num_beams": 4, "num_return_sequences": 4, "max_new_tokens": 12,
           "output_scores": True}

Kind = collections.namedtuple("Kind", "lengths options")


class Draw:
    def __init__(self, seed, vocabulary):
        self.random = np.random.default_rng(seed)
        self.vocabulary = vocabulary

    def between(self, least, most):
        return int(self.random.integers(least, most + 1))

    def ids(self, count):
        return self.random.integers(0, self.vocabulary, count).tolist()

    def maybe(self, value, otherwise):
        """An option that is on in one call of three."""
        return value() if self.random.random() < 1 / 3 else otherwise

    def kind(self, strategy):
        random, maybe = self.random, self.maybe
        options = dict(
            STRATEGIES[strategy], seed=self.between(0, 1 << 40),
            max_new_tokens=self.between(4, 12),
            min_new_tokens=self.between(0, 3),
            temperature=random.uniform(0.5, 2), top_k=maybe(
                lambda: self.between(5, 100), 0),
            top_p=maybe(lambda: random.uniform(0.5, 1), 1.0),
            min_p=maybe(lambda: random.uniform(0, 0.01), 0.0),
            typical_p=maybe(lambda: random.uniform(0.5, 1), 1.0),
            epsilon_cutoff=maybe(lambda: random.uniform(0, 1e-5), 0.0),
            eta_cutoff=maybe(lambda: random.uniform(0, 1e-5), 0.0),
            repetition_penalty=maybe(lambda: random.uniform(0.8, 1.5), 1.0),
            no_repeat_ngram_size=maybe(lambda: self.between(2, 4), 0),
            length_penalty=maybe(lambda: random.uniform(-1, 2), 1.0),
            early_stopping=self.between(0, 2),
            bad_words_ids=maybe(lambda: [self.ids(self.between(1, 3))
                                         for _ in range(3)], []),
            suppress_tokens=maybe(lambda: self.ids(5), []),
            renormalize_logits=bool(self.between(0, 1)),
            output_scores=bool(self.between(0, 1)),
            # Texts that end early would take another time.
            eos_token_id=[])
        if "num_beams" in options:
            options["num_beams"] = self.between(2, 4)
        most = options.get("num_beams", 4 if options.get("do_sample") else 1)
        options["num_return_sequences"] = self.between(1, most)
        return Kind([self.between(1, 60)
                     for _ in range(self.between(1, 4))], options)

    def prompts(self, kind):
        return [self.ids(length) for length in kind.lengths]


def milliseconds(generator, draw, kind):
    prompts = draw.prompts(kind)
    start = time.perf_counter()
    generator(prompts, **kind.options)
    return (time.perf_counter() - start) * 1e3


def compile_model(options):
    path = os.path.join(options.build, "bench", f"calls-{options.format}.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        subprocess.run([os.path.join(options.build, "bin", "tenon"), "compile",
                        "-q", options.model, "-o", path,
                        f"--weight-format={options.format}"], check=True)
    return path


def show(times):
    print("| strategy | kinds | first call ms | second call ms | "
          "first / second: median | 90% below |")
    print("|---|---|---|---|---|---|")
    for strategy, pairs in times.items():
        first, second = np.array(pairs).T
        ratio = first / second
        print(f"| {strategy} | {len(pairs)} | {np.median(first):.1f} | "
              f"{np.median(second):.1f} | {np.median(ratio):.3f} | "
              f"{np.quantile(ratio, 0.9):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--model", required=True, help="the checkpoint")
    parser.add_argument("--format", default="int8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(options.build, "python"))
    import tenon
    model = tenon.load(compile_model(options), threads=options.threads)
    generator = tenon.Generator(model)
    draw = Draw(options.seed, 50257)
    largest = Kind([60] * 4, LARGEST)
    page_in = milliseconds(generator, draw, largest)
    memory = generator.memory
    again = milliseconds(generator, draw, largest)
    print(f"largest call, with page-in: {page_in:.1f} ms, again {again:.1f} ms")
    times = {strategy: [] for strategy in STRATEGIES}
    for number in range(options.calls):
        strategy = list(STRATEGIES)[number % len(STRATEGIES)]
        kind = draw.kind(strategy)
        times[strategy].append((milliseconds(generator, draw, kind),
                                milliseconds(generator, draw, kind)))
        if generator.memory != memory:
            raise SystemExit(f"calls: {kind} made the context grow from "
                             f"{memory} to {generator.memory} bytes")
    show(times)
    print(f"context: {memory} bytes from the largest call to the last")
    return 0


if __name__ == "__main__":
    sys.exit(main())
