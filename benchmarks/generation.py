#!/usr/bin/python3
"""Text generation beside ONNX Runtime and llama.cpp: GPT-2 of 124 million
parameters, with random weights. Cases of T5 and Whisper are in encoded.py.

All programs get the same prompts and make as many tokens; those of f32 must be
the same before anything is measured. ONNX Runtime is called in a greedy loop
around one decoding step, and by its operators GreedySearch and BeamSearch. All
take turns in rounds.
"""
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench as models
import callers
import encoded
import gpt2_gguf
import gpt2_onnx
import rounds
from checkpoint_weights import Gpt2, written

FORMATS = {"f32": ("f32", 0), "bf16": ("bf16", None), "int8": ("q8_0", 8),
           "int4": ("q4_0", 4)}
NAMES = {"ort": "ONNX Runtime", "llama": "llama.cpp"}
PEERS = {**NAMES, **encoded.NAMES}
# The greatest number of steps in one turn: the positions grow with them.
STEPS = 16


class Case:
    """What is measured: one `step` after prompts of `lengths`, the `first`
    token, or a whole `call` with `new` tokens."""

    def __init__(self, what, lengths, beams=1, new=STEPS, formats=None):
        self.what, self.lengths, self.beams = what, lengths, beams
        # The first token is the prompt's.
        self.new = new + 1 if what == "step" else new
        self.formats = formats or list(FORMATS)

    def prompts(self, vocabulary):
        random = np.random.default_rng(124)
        return [random.integers(0, vocabulary, n).tolist()
                for n in self.lengths]


CASES = {
    "step": Case("step", [128]),
    "step-rows4": Case("step", [128] * 4),
    "step-beams4": Case("step", [128], beams=4),
    "first": Case("first", [128]),
    "step-512": Case("step", [512], formats=["f32", "int8"]),
    "step-900": Case("step", [900], formats=["f32", "int8"]),
    "greedy-call": Case("call", [128], formats=["f32", "int8"]),
    "beams-call": Case("call", [128], beams=4, formats=["f32", "int8"]),
    # The call of XLA's page on text generation: prompts padded to 8, two
    # beams, 20 tokens in all.
    "page-call": Case("call", [8, 5, 3], beams=2, new=12,
                      formats=["f32", "int8"]),
}


class Measured:
    """One program's part of a round."""

    def __init__(self, program, case, prompts, pad):
        self.program, self.what = program, case.what
        self.given = prompts, case.beams, case.new, pad
        self.distinct = case.what == "call"
        program.prepare(*self.given, self.distinct)

    def tokens(self):
        """Distinct tokens of a whole call: random weights repeat one."""
        self.program.prepare(*self.given, True)
        self.program.call()
        made = self.program.tokens()
        self.program.prepare(*self.given, self.distinct)
        return made

    def milliseconds(self, groups, calls):
        del calls
        if self.what == "step":
            self.program.first()
            return self.program.steps(min(groups, STEPS))
        ask = getattr(self.program, self.what)
        return min(ask() for _ in range(groups))


class Files:
    """Writes and compiles the model in all forms, each once."""

    def __init__(self, bench, options):
        self.options, self.bench = options, bench
        self.folder = os.path.join(options.build, "bench", "generation")
        os.makedirs(self.folder, exist_ok=True)
        self.checkpoint = options.checkpoint or written(
            "gpt2-124m", self.folder)
        self.weights = Gpt2(self.checkpoint)
        programs = os.path.join(options.build, "bench", "callers")
        library = os.path.join(options.build, "lib")
        common = ["generator.c"]
        self.ours = callers.build_c(
            os.path.join(programs, "tenon_generator"),
            ["tenon_generator.c", *common], f"-I{callers.SOURCE}",
            f"-L{library}", f"-Wl,-rpath,{library}", "-ltenon_rt")
        if "ort" in options.peers:
            self.ort = callers.build_c(
                os.path.join(programs, "ort_generator"),
                ["ort_generator.c", "ort.c", *common], "-ldl")
        if "llama" in options.peers:
            # A folder of its own: npm removes what another call installed.
            self.libraries, self.libllama = callers.install_llama(
                os.path.join(options.build, "llama"))
            self.llama = callers.build_c(
                os.path.join(programs, "llama_generator"),
                ["llama_generator.c", *common], "-ldl")

    def path(self, name):
        return os.path.join(self.folder, name)

    def once(self, name, write, writer, *rest):
        """The file `name`, written unless it is newer than the checkpoint and
        the module `writer`."""
        path = self.path(name)
        sources = [self.weights.path, writer.__file__]
        if not os.path.exists(path) or any(
                os.path.getmtime(path) < os.path.getmtime(s)
                for s in sources):
            print(f"writing {name}", flush=True)
            write(self.weights, path, *rest)
        return path

    def artifact(self, kind):
        path = self.path(f"{kind}.so")
        self.bench.compile(self.checkpoint, path, "--weights=external",
                           f"--weight-format={kind}")
        return path

    def weight_bytes(self, kind):
        """Bytes that a step reads: all but the table of positions."""
        positions = 4 * self.weights.positions * self.weights.width
        return os.path.getsize(self.path(f"{kind}.safetensors")) - positions

    def generator(self, who, kind, threads):
        """The command of a program that generates, or None if it has no such
        format."""
        w, (gguf, bits) = self.weights, FORMATS[kind]
        if who == "tenon":
            return [self.ours, self.artifact(kind), threads]
        if who == "llama":
            return [self.llama, self.libraries, self.libllama, self.once(
                f"{gguf}.gguf", gpt2_gguf.write, gpt2_gguf, gguf,
                self.libraries), threads, w.vocabulary]
        if bits is None:
            return None
        decoder = self.once(f"decoder-{kind}.onnx", gpt2_onnx.write_decoder,
                            gpt2_onnx, bits)
        return [self.ort, self.bench.library, decoder, threads, w.layers,
                w.heads, w.width // w.heads, w.vocabulary]


def searcher(files, case, threads):
    """ONNX Runtime's GreedySearch or BeamSearch for the case. Its tokens are
    those of the prompt and the new ones."""
    w, seq = files.weights, max(case.lengths)
    name = "greedy" if case.beams == 1 else "beams"
    path = files.once(f"{name}.onnx", gpt2_onnx.write_search, gpt2_onnx,
                      case.beams)
    rows, pad = len(case.lengths), w.vocabulary - 1
    ids = np.full((rows, seq), pad, np.int32)
    mask = np.zeros((rows, seq), np.int32)
    for r, prompt in enumerate(case.prompts(w.vocabulary)):
        ids[r, seq - len(prompt):] = prompt
        mask[r, seq - len(prompt):] = 1
    length = np.array([seq + case.new], np.int32)
    inputs = {"input_ids": ids, "max_length": length, "min_length": length,
              "attention_mask": mask}
    shape = (rows, int(length[0]))
    if case.beams > 1:
        inputs |= {"num_beams": np.array([case.beams], np.int32),
                   "num_return_sequences": np.ones(1, np.int32),
                   "length_penalty": np.ones(1, np.float32)}
        shape = (rows, 1, int(length[0]))
    return callers.Caller(
        [files.bench.ort, files.bench.library, path, threads], threads,
        files.path(f"data-{name}-{rows}"), inputs,
        {"sequences": np.zeros(shape, np.int32)})


def work_of(files, case, kind):
    """Operations of matrix products, and bytes of weights and of the cache, in
    parts: one step, the prompts, or the prompts and each step of a call."""
    w, rows = files.weights, len(case.lengths)
    layer, head = 12 * w.width ** 2, w.width * w.vocabulary
    # Keys and values of a token in all layers.
    token = 2 * w.layers * w.width
    prompt, size = token * sum(case.lengths), files.weight_bytes(kind)

    def step(made):
        beams = rows * case.beams
        own = token * made * beams
        return (2 * beams * (w.layers * layer + head) +
                2 * (case.beams * prompt + own), size + 4 * (prompt + own))

    def prompts():
        # A token has products with half of the keys and values of its prompt.
        # The last layer has keys and values for all tokens, the rest of it
        # and the head for the last token of each prompt.
        others, last = w.layers - 1, 2 * w.width ** 2
        pairs = sum(n * n for n in case.lengths) * others * w.width
        return (2 * ((others * layer + last) * sum(case.lengths) +
                     (layer - last + head) * rows) + 2 * pairs,
                size + 4 * prompt)

    if case.what == "step":
        return [step(0)]
    steps = range(1, case.new) if case.what == "call" else []
    return [prompts(), *map(step, steps)]


def check(case, started, files):
    """Compares the tokens of the programs with f32 weights."""
    made = {}
    for (who, kind), caller in started.items():
        if kind != "f32":
            continue
        if isinstance(caller, callers.Caller):
            caller.milliseconds(1, 1)
            found = caller.results()["sequences"]
            made[who] = found.reshape(len(case.lengths), -1)[:, -case.new:]
        else:
            made[who] = caller.tokens()
    wrong = [who for who in made if (made[who] != made["tenon"]).any()]
    different = len(np.unique(made["tenon"]))
    return {"tokens": int(made["tenon"].size), "different": different,
            "agree": [w for w in made if w != "tenon" and w not in wrong],
            "differ": wrong}


def start(files, case, threads):
    """Starts all programs of a case."""
    started = {}
    prompts = case.prompts(files.weights.vocabulary)
    for kind in case.formats:
        for who in ["tenon", *filter(files.options.peers.__contains__, NAMES)]:
            command = None
            if who == "ort" and case.what == "call":
                if kind == "f32":
                    started[who, kind] = searcher(files, case, threads)
            elif who == "tenon" or case.beams == 1:
                command = files.generator(who, kind, threads)
            if command:
                program = callers.Generator(command, threads)
                started[who, kind] = Measured(program, case, prompts,
                                              files.weights.vocabulary - 1)
    return started


def measure(files, name, threads):
    """The rows of one case, and the comparison of its tokens."""
    case, started, floor = CASES[name], {}, None
    try:
        started = start(files, case, threads)
        tokens = check(case, started, files)
        floor = callers.Floor([files.bench.floor, threads], threads)
        seen = rounds.Rounds(started, floor, files.weight_bytes("f32"),
                             files.options.rounds)
    finally:
        for each in [*started.values(), *filter(None, [floor])]:
            getattr(each, "program", each).close()
    if not seen.peak:
        raise SystemExit("bench: other machines took more than 2 % of the "
                         "processors' time in every round")
    rows = []
    for kind in case.formats:
        ours = "tenon", kind
        row = {"case": name, "what": case.what, "prompts": case.lengths,
               "beams": case.beams, "new": case.new, "threads": threads,
               "format": kind, "ms": seen.milliseconds(ours),
               "gbytes_per_s": float(np.median(seen.bandwidth)), "peers": {}}
        work = work_of(files, case, kind)
        least, row["bound"] = seen.floor(*work)
        row["floor_ms"] = float(np.median(least))
        row["of_floor"] = seen.of_floor(ours, *work)
        for who in NAMES:
            if (who, kind) in started:
                row["peers"][who] = {
                    "ms": seen.milliseconds((who, kind)),
                    "ratio": seen.ratio((who, kind), ours)}
        rows.append(row)
    return rows, tokens


def per_second(row):
    if row["what"] == "first":
        return f"{1e3 * sum(row['prompts']) / row['ms']:.0f}"
    made = row["new"] if row["what"] == "call" else 1
    return f"{1e3 * made * len(row['prompts']) / row['ms']:.0f}"


def table(rows, peers):
    titles = ["case", "threads", "weights", "Tenon ms", "tokens/s",
              "floor ms", "of floor", "limit"]
    for who in peers:
        titles += [f"{NAMES[who]} ms", "/ Tenon"]
    lines = [titles, ["---"] * len(titles)]
    for row in rows:
        line = [row["case"], str(row["threads"]), row["format"],
                f"{row['ms']:.2f}", per_second(row)]
        line += [f"{row['floor_ms']:.2f}", f"{row['of_floor']:.0%}",
                 row["bound"]]
        for who in peers:
            theirs = row["peers"].get(who)
            line += ([f"{theirs['ms']:.2f}", "{:.2f} ({:.2f} to {:.2f})"
                      .format(*theirs["ratio"])] if theirs else ["-"] * 2)
        lines.append(line)
    return models.markdown(lines)


def parse():
    parser = models.parser_of("bench generation", __doc__, rounds=7)
    parser.add_argument("--peers", default=",".join(PEERS),
                        help=f"of {', '.join(PEERS)}; none: Tenon alone")
    parser.add_argument("--whisper", metavar="LIBRARY", help="libwhisper.so "
                        "of whisper.cpp; default: npm's, which is slow")
    parser.add_argument("--checkpoint", help="a folder of GPT-2 with float32 "
                        "weights; default: random weights")
    parser.add_argument("names", nargs="*", metavar="CASE",
                        help="default: all; " + " ".join([*CASES,
                                                           *encoded.CASES]))
    options = models.parse_with(parser, "generation")
    options.names = options.names or [*CASES, *encoded.CASES]
    for given, known in ((options.peers, PEERS),
                         (options.names, {**CASES, **encoded.CASES})):
        for name in given:
            if name not in known:
                parser.error(f"{name}: expected one of {', '.join(known)}")
    return options


def main():
    options = parse()
    bench = models.Bench(options)
    texts, encodings, wrong = [], [], []
    for module, known, rows in ((sys.modules[__name__], CASES, texts),
                                (encoded, encoded.CASES, encodings)):
        names = [name for name in options.names if name in known]
        files = module.Files(bench, options) if names else None
        for name in names:
            for threads in options.threads:
                fresh, tokens = module.measure(files, name, threads)
                rows += fresh
                agreed = " and ".join(PEERS[w] for w in tokens["agree"])
                print(f"{name} on {threads}: done; {tokens['tokens']} tokens, "
                      f"{tokens['different']} different"
                      + (f", the same from {agreed}" if agreed else ""),
                      flush=True)
                wrong += [f"{name} on {threads}: {PEERS[w]} made other tokens"
                          for w in tokens["differ"]]
    models.write(options.json, json.dumps(
        {"schema": 1, "machine": models.machine(), "rows": texts + encodings},
        indent=1) + "\n")
    if texts:
        print(table(texts, NAMES))
    if encodings:
        print(models.markdown(encoded.table(encodings)))
    print(f"results: {options.json}")
    for complaint in wrong:
        print(f"bench: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
