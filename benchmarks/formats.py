#!/usr/bin/python3
"""The speed and error of weights in fewer bits: one decoding step of GPT-2,
with the weights of its products as f32, f16, bf16, int8 and int4.

The five artifacts take turns in rounds. The floor of each is the time to read
its weight file, inputs and outputs once. Logits are compared with PyTorch in
float64. The weights are random, so the model is not trained to be robust.
"""
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench as models
import callers
import rounds

MODEL = "gpt2_decode"
FORMATS = ["f32", "f16", "bf16", "int8", "int4"]


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def quality(logits, exact):
    """The largest error, and the largest divergence of a row in nats."""
    exact = exact.astype(np.float64)
    right, given = log_softmax(exact), log_softmax(logits.astype(np.float64))
    divergence = (np.exp(right) * (right - given)).sum(axis=-1)
    return {"largest_error": float(np.abs(logits - exact).max()),
            "largest_logit": float(np.abs(exact).max()),
            "divergence": float(divergence.max())}


def compile_formats(bench, options):
    """The artifact of each format, and the size of its weight file in bytes."""
    folder = os.path.join(options.build, "bench", "formats")
    os.makedirs(folder, exist_ok=True)
    model = os.path.join(options.models, f"{MODEL}.onnx")
    made = {}
    for kind in FORMATS:
        artifact = bench.compile(
            model, os.path.join(folder, f"{kind}.so"), "--dim=batch=1",
            f"--weight-format={kind}", "--weights=external")
        made[kind] = artifact, os.path.getsize(
            os.path.join(folder, f"{kind}.safetensors"))
    return made


def measure(bench, made, threads):
    options = bench.options
    inputs, outputs, exact = models.data_of(options, MODEL)
    door = sum(a.nbytes for a in [*inputs.values(), *outputs.values()])
    started, floor = {}, None
    try:
        for kind, (artifact, _) in made.items():
            started[kind] = callers.Caller(
                [bench.caller, artifact, threads], threads,
                os.path.join(bench.folder, "data", f"format-{kind}"),
                inputs, outputs)
        floor = callers.Floor([bench.floor, threads], threads)
        qualities = {kind: quality(caller.results()["logits"],
                                   exact["logits"])
                     for kind, caller in started.items()}
        seen = rounds.Rounds(started, floor, made["f32"][1] + door,
                             options.rounds)
    finally:
        for program in [*started.values(), *filter(None, [floor])]:
            program.close()
    if not seen.peak:
        raise SystemExit("bench: other machines took more than 2 % of the "
                         "processors' time in every round")
    return [{"format": kind, "threads": threads, "weight_bytes": size,
             "ms": seen.milliseconds(kind),
             "ratio": seen.ratio("f32", kind),
             "of_floor": seen.of_floor(kind, (0, size + door)),
             **qualities[kind]} for kind, (_, size) in made.items()]


def table(rows):
    titles = ["format", "weights MiB", "threads", "ms", "f32 / format",
              "of floor", "largest error of a logit", "divergence"]
    lines = [titles, ["---"] * len(titles)]
    for row in rows:
        middle, low, high = row["ratio"]
        lines.append([
            row["format"], f"{row['weight_bytes'] / 2**20:.0f}",
            str(row["threads"]), f"{row['ms']:.2f}",
            f"{middle:.2f} ({low:.2f} to {high:.2f})",
            f"{row['of_floor']:.0%}", f"{row['largest_error']:.2g} of "
            f"{row['largest_logit']:.2f}", f"{row['divergence']:.2g}"])
    return models.markdown(lines)


def main():
    options = models.parse_with(
        models.parser_of("bench formats", __doc__), "formats")
    models.export(options, MODEL)
    bench = models.Bench(options)
    made = compile_formats(bench, options)
    rows = []
    for threads in options.threads:
        rows += measure(bench, made, threads)
    models.write(options.json, json.dumps(
        {"schema": 1, "machine": models.machine(), "rows": rows},
        indent=1) + "\n")
    print(table(rows))
    print(f"results: {options.json}")


if __name__ == "__main__":
    main()
