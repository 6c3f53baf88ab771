"""Text by T5 and Whisper beside ONNX Runtime and whisper.cpp, with random
weights of full size: cases of `quickstart bench generation`.

All programs get the same tokens or the same features of 30 s of noise, and make
as many tokens. Programs with f32 weights must make the same ones as we do before
anything is measured; whisper.cpp, whose cache has 16 bits, the same first one.
"""
import os

import numpy as np

import callers
import encoded_onnx
import rounds
import whisper_ggml
from checkpoint_weights import Checkpoint, written

NAMES = {"ort": "ONNX Runtime", "whisper": "whisper.cpp"}
# Their formats for ours.
THEIRS = {"f32": "f32", "bf16": "f16"}
SECONDS = 30
FRAMES = 3000
SOURCE = 512
# Start of a text, English, transcribe, no timestamps.
PROMPT = [50258, 50259, 50359, 50363]


class Case:
    """`what` is measured: the `first` token, which needs the encoder, the
    `steps` that make `new` tokens after it, or a whole `call`."""

    def __init__(self, checkpoint, what, beams=1, new=100,
                 formats=("f32", "bf16"), peers=("ort", "whisper")):
        self.checkpoint, self.what, self.beams = checkpoint, what, beams
        self.new, self.formats, self.peers = new, formats, peers
        self.sound = checkpoint.startswith("whisper")


def cases_of(name):
    checkpoint = f"whisper-{name}"
    return {f"{checkpoint}-first": Case(checkpoint, "first"),
            f"{checkpoint}-steps": Case(checkpoint, "steps"),
            f"{checkpoint}-steps-beams5": Case(checkpoint, "steps", 5),
            f"{checkpoint}-call": Case(checkpoint, "call", formats=("f32",)),
            f"{checkpoint}-call-beams5": Case(checkpoint, "call", 5,
                                              formats=("f32",))}


CASES = {"t5-call-beams4": Case("flan-t5-small", "call", 4, 64, ("f32",),
                                ("ort",)),
         **cases_of("tiny"), **cases_of("small")}


def data_of(case, config):
    """The inputs of our call, of ONNX Runtime and of whisper.cpp."""
    random = np.random.default_rng(15)
    if not case.sound:
        ids = random.integers(2, config["vocab_size"], (1, SOURCE))
        start = np.full((1, 1), config["decoder_start_token_id"])
        return ({"ids": start, "lengths": np.ones(1, np.int64),
                 "encoder_ids": ids, "encoder_lengths": np.array([SOURCE])},
                {"ids": ids, "prompt": start}, None)
    logs = random.standard_normal(
        (config["num_mel_bins"], FRAMES)).astype(np.float32)
    read = (np.maximum(logs, logs.max() - 8) + 4) / 4
    prompt = np.array(PROMPT)
    return ({"ids": prompt[None], "lengths": np.array([len(PROMPT)]),
             "features": logs[None], "frames": np.array([FRAMES]),
             "greatest": logs.max().reshape(1)},
            {"features": read[None], "prompt": prompt[None]},
            {"features": read, "prompt": prompt})


class Files:
    """The checkpoints in all forms, each written and compiled once."""

    def __init__(self, bench, options):
        self.bench, self.options = bench, options
        self.folder = os.path.join(options.build, "bench", "generation")
        os.makedirs(self.folder, exist_ok=True)
        programs = os.path.join(options.build, "bench", "callers")
        if "ort" in options.peers:
            self.ort = callers.build_c(
                os.path.join(programs, "ort_encoded"),
                ["ort_encoded.c", "caller.c", "ort.c"], "-ldl")
        if "whisper" in options.peers:
            self.library = options.whisper or callers.install_whisper(
                os.path.join(options.build, "whisper"))
            self.whisper = callers.build_c(
                os.path.join(programs, "whisper_caller"),
                ["whisper_caller.c", "caller.c"], "-ldl")

    def path(self, name):
        return os.path.join(self.folder, name)

    def once(self, name, write, *given):
        path = self.path(name)
        if not os.path.exists(path):
            print(f"writing {name}", flush=True)
            write(given[0], path, *given[1:])
        return path

    def models(self, case, weights):
        """The encoder and the step for ONNX Runtime."""
        name = case.checkpoint
        encoder, step = f"{name}-encoder.onnx", f"{name}-step{case.beams}.onnx"
        if case.sound:
            return (self.once(encoder, encoded_onnx.write_whisper_encoder,
                              weights),
                    self.once(step, encoded_onnx.write_whisper_step, weights,
                              case.beams))
        return (self.once(encoder, encoded_onnx.write_t5_encoder, weights,
                          SOURCE),
                self.once(step, encoded_onnx.write_t5_step, weights,
                          case.beams, case.new + 1))

    def command(self, who, case, kind, threads, weights):
        """The command of a program, but for what it measures."""
        c = weights.config
        if who == "tenon":
            folder = written(case.checkpoint, self.folder)
            artifact = self.path(f"{case.checkpoint}-{kind}.so")
            self.bench.compile(folder, artifact, "--weights=external",
                               f"--weight-format={kind}")
            return ["/usr/bin/python3",
                    os.path.join(callers.CALLERS, "encoded_caller.py"),
                    self.options.build, artifact, threads, case.beams]
        if who == "whisper":
            kind = THEIRS[kind]
            return [self.whisper, self.library,
                    self.once(f"{case.checkpoint}-{kind}.ggml",
                              whisper_ggml.write, weights, kind),
                    threads, case.beams]
        heads = c.get("num_heads") or c["decoder_attention_heads"]
        return [self.ort, self.bench.library, *self.models(case, weights),
                threads, case.beams,
                c.get("num_decoder_layers") or c["decoder_layers"], heads,
                c.get("d_kv") or c["d_model"] // heads,
                c["max_source_positions"] if case.sound else SOURCE,
                c["vocab_size"], c["eos_token_id"]]


def start(files, name, case, threads, weights):
    """Starts all programs of a case."""
    started, c = {}, weights.config
    ours, onnx, ggml = data_of(case, c)
    for kind in case.formats:
        for who in ["tenon", *case.peers]:
            if who != "tenon" and who not in files.options.peers or (
                    who == "ort" and kind != "f32"):
                continue
            outputs = {"sequences": np.zeros(case.new, np.int64)}
            inputs = {"tenon": ours, "ort": onnx, "whisper": ggml}[who]
            if who == "whisper":
                outputs = {"logits": np.zeros(c["vocab_size"], np.float32),
                           **outputs}
            started[who, kind] = callers.Caller(
                [*files.command(who, case, kind, threads, weights), case.what],
                threads, files.path(f"data-{name}-{who}-{kind}"), inputs,
                outputs)
    return started


def check(case, started):
    """Compares the tokens of the programs with f32 weights."""
    made = {}
    if case.what != "first":
        made = {who: caller.results()["sequences"]
                for (who, kind), caller in started.items() if kind == "f32"}
    agree, differ = [], []
    for who, tokens in made.items():
        if who == "tenon" or who == "whisper" and case.beams > 1:
            continue
        equal = tokens == made["tenon"]
        same = equal[0] if who == "whisper" else equal.all()
        (agree if same else differ).append(who)
    return {"tokens": case.new if made else 0,
            "different": len(np.unique(made.get("tenon", []))),
            "agree": agree, "differ": differ}


def work_of(case, c, kind):
    """Operations of products, and bytes of weights and of the sound's keys and
    values, for `first` or for all steps; None for a whole call."""
    if case.what == "call" or not case.sound:
        return None
    d, positions = c["d_model"], c["max_source_positions"]
    size = 4 if kind == "f32" else 2
    held = 2 * c["decoder_layers"] * positions * d
    if case.what == "first":
        convolutions = 3 * d * (2 * c["num_mel_bins"] + d)
        layer = 4 * d * d + 2 * d * c["encoder_ffn_dim"]
        products = convolutions + c["encoder_layers"] * (
            layer + 2 * positions * d) + 2 * c["decoder_layers"] * d * d
        weights = convolutions + c["encoder_layers"] * layer \
            + 2 * c["decoder_layers"] * d * d
        return 2 * positions * products, size * weights
    weights = c["decoder_layers"] * (
        6 * d * d + 2 * d * c["decoder_ffn_dim"]) + c["vocab_size"] * d
    return (2 * case.new * case.beams * (weights + held),
            case.new * (size * weights + 4 * held))


def measure(files, name, threads):
    """The rows of one case, and the comparison of its tokens."""
    case, started, floor = CASES[name], {}, None
    weights = Checkpoint(written(case.checkpoint, files.folder))
    try:
        started = start(files, name, case, threads, weights)
        tokens = check(case, started)
        floor = callers.Floor([files.bench.floor, threads], threads)
        seen = rounds.Rounds(started, floor, 1 << 28, files.options.rounds)
    finally:
        for each in [*started.values(), *filter(None, [floor])]:
            each.close()
    if not seen.peak:
        raise SystemExit("bench: other machines took more than 2 % of the "
                         "processors' time in every round")
    rows = []
    for kind in case.formats:
        ours = "tenon", kind
        row = {"case": name, "what": case.what, "beams": case.beams,
               "new": case.new, "threads": threads, "format": kind,
               "ms": seen.milliseconds(ours), "best_ms": min(seen.times[ours]),
               "seconds": SECONDS if case.sound else None, "peers": {}}
        work = work_of(case, weights.config, kind)
        if work:
            least, row["bound"] = seen.floor(work)
            row["floor_ms"] = float(np.median(least))
            row["of_floor"] = seen.of_floor(ours, work)
        for who in case.peers:
            if (who, kind) in started:
                row["peers"][who] = {
                    "ms": seen.milliseconds((who, kind)),
                    "best_ms": min(seen.times[who, kind]),
                    "ratio": seen.ratio((who, kind), ours)}
        rows.append(row)
    return rows, tokens


def table(rows):
    """Lines of cells. Steps have the time of one."""
    lines = [["case", "threads", "weights", "Tenon ms", "a token",
              "x real time", "floor ms", "of floor", "limit"]
             + [title for who in NAMES.values()
                for title in (f"{who} ms", "/ Tenon")]]
    lines.append(["---"] * len(lines[0]))
    for row in rows:
        faster = 1e3 * row["seconds"] / row["ms"] \
            if row["seconds"] and row["what"] != "steps" else None
        line = [row["case"], str(row["threads"]), row["format"],
                f"{row['ms']:.0f}",
                f"{row['ms'] / row['new']:.2f}" if row["what"] == "steps"
                else "-", f"{faster:.0f}" if faster else "-"]
        line += ([f"{row['floor_ms']:.0f}", f"{row['of_floor']:.0%}",
                  row["bound"]] if "floor_ms" in row else ["-"] * 3)
        for who in NAMES:
            theirs = row["peers"].get(who)
            line += ([f"{theirs['ms']:.0f}", "{:.2f} ({:.2f} to {:.2f})"
                      .format(*theirs["ratio"])] if theirs else ["-"] * 2)
        lines.append(line)
    return lines
