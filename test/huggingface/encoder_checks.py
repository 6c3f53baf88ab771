"""Checks of the entries `encode`, `logits` and `features` of T5 and Whisper.

  encode    at every token of rows with 0 to 7 pads, and of rows that are longer
            than the last border of position biases; zeros at pads
  logits    the same for the decoder, whose pads are on the left
  features  of noise, tones, sweeps, clicks, silence and short sounds: at most
            1e-4 from float64, and twice the error of torch.stft
The errors are judged as in check_checkpoints.py. A row has its bits alone and
with any number of threads, whatever stands at pads.
"""
import json
import os
import subprocess

import numpy as np
import torch

import reference
import reference_logmel as logmel
import reference_t5
import reference_whisper
import write_checkpoints
from generation_artifact import package
from generation_cases import made_logs
from generation_inputs import PAD, Sound

MOST_PADS = 7
LENGTH = 13
LONG = 140  # tokens: the last borders are at 91 and 113
ALLOWED = 2.0


class Errors:
    """The errors of one output, and PyTorch's in float32."""

    def __init__(self):
        self.ours, self.theirs = [], []

    def add(self, ours, exact, theirs):
        for kept, values in ((self.ours, ours), (self.theirs, theirs)):
            kept.append(np.abs(values.astype(np.float64) - exact).ravel())

    def judge(self, that, name):
        if not self.ours:
            return 0.0
        mine, other = np.concatenate(self.ours), np.concatenate(self.theirs)
        worst = 0.0
        for kind, a, b in (("largest", mine.max(), other.max()),
                           ("rms", np.sqrt((mine ** 2).mean()),
                            np.sqrt((other ** 2).mean()))):
            that(a <= ALLOWED * b,
                 f"{name}: {kind} error {a:.3g}, PyTorch's {b:.3g}")
            worst = max(worst, a / b)
        return worst


def same(a, b):
    return np.ascontiguousarray(a).tobytes() == \
        np.ascontiguousarray(b).tobytes()


class EncoderCheck:
    """Checks one artifact. Subclasses have the inputs of their model."""

    FUNCTIONS = ("encode", "logits")

    def __init__(self, name, case, build, folder, checks, flags):
        self.name, self.case, self.checks = name, case, checks
        self.build, self.flags = build, flags
        self.source = write_checkpoints.write(case,
                                              os.path.join(folder, name))
        self.artifact = os.path.join(folder, name + ".so")
        self.random = np.random.default_rng(7)
        self.vocabulary = case.config["vocab_size"]
        self.report, self.worst = {}, 0.0

    def that(self, holds, text):
        return self.checks.that(holds, f"{self.name}: {text}")

    def compile(self):
        done = subprocess.run(
            [os.path.join(self.build, "bin", "tenon"), "compile", self.source,
             "-o", self.artifact, "--format=json", "-q", *self.flags,
             *(f"--function={name}" for name in self.FUNCTIONS)],
            capture_output=True, text=True)
        if not self.that(done.returncode == 0 and not done.stderr,
                         f"compile: {done.returncode}\n{done.stderr}"):
            return False
        self.report = json.loads(done.stdout)
        return True

    def check(self):
        if not self.compile():
            return
        self.model = package(self.build).load(self.artifact, threads=1)
        self.checkpoint = reference.Checkpoint(self.source)
        for name in ("encode", "logits"):
            errors = Errors()
            for inputs in self.inputs_of(name):
                self.compare(name, inputs, errors)
            self.worst = max(self.worst, errors.judge(self.that, name))
        self.check_bytes()
        self.model.close()

    def run(self, name, inputs, threads=1):
        if threads == 1:
            return np.array(self.model[name](**inputs))
        other = package(self.build).load(self.artifact, threads=threads)
        made = np.array(other[name](**inputs))
        other.close()
        return made

    def compare(self, name, inputs, errors):
        """Errors at the tokens of each row, and the row's bits alone."""
        ours = self.run(name, inputs)
        for threads in (2, 5):
            self.that(same(self.run(name, inputs, threads), ours),
                      f"{name}: other bits with {threads} threads")
        for row in range(len(ours)):
            kept = self.kept(name, inputs, row)
            with torch.no_grad():
                exact, theirs = (self.reference(name, inputs, row, dtype)
                                 for dtype in (torch.float64, torch.float32))
            if self.that(ours[row, kept].shape == exact.shape,
                         f"{name}: shape {ours.shape}"):
                errors.add(ours[row, kept], exact, theirs)
            if row % 3 == 0:
                alone = self.run(name, self.alone(name, inputs, row))
                self.that(same(alone[0], ours[row, kept]),
                          f"{name}: row {row} has other bits alone")
            if name == "encode":
                rest = np.delete(ours[row], kept, 0)
                self.that(not rest.any(), f"encode: row {row} has values at "
                          "pads")

    def decoder(self, lengths, width):
        """Prompts of the decoder with pads on the left."""
        ids = self.random.integers(0, self.vocabulary, (len(lengths), width))
        pads = np.arange(width)[None] < width - np.array(lengths)[:, None]
        return {"decoder_ids": np.where(pads, PAD, ids),
                "decoder_lengths": np.array(lengths)}

    def decoder_row(self, inputs, row):
        length = inputs["decoder_lengths"][row]
        return inputs["decoder_ids"][row:row + 1,
                                     len(inputs["decoder_ids"][row]) - length:]

    def check_bytes(self):
        """A weight of 16 bits takes two bytes. The rest is f32 and the
        padding of panels."""
        if self.case.dtype in ("F16", "BF16"):
            elements = sum(int(np.prod(shape)) for _, shape, kind in
                           self.case.tensors())
            stored = self.report["weight_bytes"]
            self.that(stored < 3.5 * elements,
                      f"{stored} bytes for {elements} elements of 16 bits")


class T5Check(EncoderCheck):
    def ids(self, lengths):
        width = max(lengths)
        ids = self.random.integers(0, self.vocabulary, (len(lengths), width))
        pads = np.arange(width)[None] >= np.array(lengths)[:, None]
        return {"ids": np.where(pads, PAD, ids), "lengths": np.array(lengths)}

    def inputs_of(self, name):
        short = [LENGTH - pads for pads in range(MOST_PADS + 1)]
        for encoder, decoder, width in (
                (short, short[::-1], LENGTH), ([LONG, LONG - 5], [1, 1], 1),
                ([3, 2], [LONG, LONG - 3], LONG), ([1], [2], 2)):
            inputs = self.ids(encoder)
            if name == "logits":
                inputs |= self.decoder(decoder, width)
            yield inputs

    def kept(self, name, inputs, row):
        if name == "encode":
            return np.arange(inputs["lengths"][row])
        width = inputs["decoder_ids"].shape[1]
        return np.arange(width - inputs["decoder_lengths"][row], width)

    def alone(self, name, inputs, row):
        length = inputs["lengths"][row]
        made = {"ids": inputs["ids"][row:row + 1, :length],
                "lengths": inputs["lengths"][row:row + 1]}
        if name == "logits":
            made["decoder_ids"] = self.decoder_row(inputs, row)
            made["decoder_lengths"] = inputs["decoder_lengths"][row:row + 1]
        return made

    def reference(self, name, inputs, row, dtype):
        made = {key: torch.from_numpy(value) for key, value in
                self.alone(name, inputs, row).items()}
        hidden = reference_t5.encode(self.checkpoint, made["ids"],
                                     torch.ones_like(made["ids"]), dtype)
        if name == "logits":
            ids = made["decoder_ids"]
            hidden = reference_t5.decode(self.checkpoint, hidden, ids,
                                         torch.ones_like(ids), dtype)
        return hidden[0].numpy()


class WhisperCheck(EncoderCheck):
    FUNCTIONS = ("features", "encode", "logits")

    def check(self):
        super().check()
        if os.path.exists(self.artifact):
            self.check_features()

    def inputs_of(self, name):
        mels = self.case.config["num_mel_bins"]
        lengths = [LENGTH, LENGTH - 3, LENGTH - MOST_PADS]
        for frames, decoder, width in (
                ([3000, 2999, 80], lengths, LENGTH), ([1], [1], 1),
                ([1501], [self.case.config["max_target_positions"]],
                 self.case.config["max_target_positions"])):
            sounds = []
            for count in frames:
                logs = made_logs(self.random, mels, count)
                sounds.append(Sound(logs, logs.max() + 0.5))
            inputs = Sound.arrays(sounds)
            if name == "logits":
                inputs |= self.decoder(decoder, width)
            yield inputs

    def kept(self, name, inputs, row):
        if name == "encode":
            return np.arange(self.case.config["max_source_positions"])
        width = inputs["decoder_ids"].shape[1]
        return np.arange(width - inputs["decoder_lengths"][row], width)

    def alone(self, name, inputs, row):
        frames = inputs["frames"][row]
        made = {"features": inputs["features"][row:row + 1, :, :frames],
                "frames": inputs["frames"][row:row + 1],
                "greatest": inputs["greatest"][row:row + 1]}
        if name == "logits":
            made["decoder_ids"] = self.decoder_row(inputs, row)
            made["decoder_lengths"] = inputs["decoder_lengths"][row:row + 1]
        return made

    def reference(self, name, inputs, row, dtype):
        made = self.alone(name, inputs, row)
        kind = np.float64 if dtype == torch.float64 else np.float32
        sound = Sound(made["features"][0], made["greatest"][0])
        hidden = reference_whisper.encode(
            self.checkpoint, torch.from_numpy(sound.windowed(kind))[None],
            dtype)
        if name == "logits":
            ids = torch.from_numpy(made["decoder_ids"])
            hidden = reference_whisper.decode(self.checkpoint, hidden, ids,
                                              torch.ones_like(ids), dtype)
        return hidden[0].numpy()

    def check_features(self):
        model = package(self.build).load(self.artifact, threads=1)
        mels = self.case.config["num_mel_bins"]
        for what, sound in sounds(self.random):
            sound = sound.astype(np.float32)
            exact = logmel.log_mel(sound, mels)
            theirs = logmel.log_mel_of_torch(sound, mels)
            made = model["features"](samples=sound)
            ours = np.array(made["features"])
            if self.that(ours.shape == exact.shape,
                         f"features of {what}: {ours.shape}"):
                for form in (np.asarray, scaled):
                    mine, error = (np.abs(form(logs) - form(exact)).max()
                                   for logs in (ours, theirs))
                    # Errors of short sounds are roundings of the logarithm.
                    self.that(mine <= min(1e-4, max(2 * error, 1e-6)),
                              f"features of {what}: error {mine:.3g}, "
                              f"torch.stft's {error:.3g}")
                self.that(ours.max() == made["greatest"],
                          f"features of {what}: not the greatest")
                self.check_parts(model, what, sound, ours)
        model.close()

    def check_parts(self, model, what, sound, whole):
        """A window with its neighbours has the bits that it has in the whole
        sound."""
        count = len(sound) // logmel.HOP
        for first, last in ((0, count // 2), (count // 3, count),
                            (count // 3, count // 2)):
            begin = max(0, first * logmel.HOP - 400)
            end = min(len(sound), last * logmel.HOP + 400) \
                if last < count else len(sound)
            before = first * logmel.HOP - begin
            after = end - last * logmel.HOP if last < count else 0
            if last - first < 3 or 0 < before < 200 or 0 < after < 200:
                continue
            made = np.array(model["features"](
                samples=sound[begin:end], before=np.int64(before),
                after=np.int64(after))["features"])
            self.that(same(made, whole[:, first:last]),
                      f"features of {what}: frames {first} to {last}")


def scaled(logs):
    """As the encoder reads them: f32 has no digits far below the greatest."""
    return logmel.scaled(logs.astype(np.float64), float(logs.max()))


def sounds(random):
    """Names and samples."""
    long = np.arange(logmel.SAMPLES) / logmel.RATE
    short = long[:40000]
    yield "noise", 0.3 * random.standard_normal(logmel.SAMPLES)
    yield "a tone", np.sin(6.28318 * 440 * short)
    yield "tones", sum(np.sin(6.28318 * f * short) / 3 for f in
                       (97.3, 1234.5, 7999))
    yield "a sweep", np.sin(6.28318 * (20 + 130 * long) * long)
    clicks = np.zeros(50011)
    clicks[::1777] = 1
    yield "clicks", clicks
    yield "silence", np.zeros(48000)
    yield "a faint noise", 1e-6 * random.standard_normal(32000)
    yield "1.5 frames", random.standard_normal(240)
    yield "three frames", random.standard_normal(639)
