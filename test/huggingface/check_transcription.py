#!/usr/bin/python3
"""Compares the segments of speech to text with the reference of
reference_longform.py, for small checkpoints of Whisper and sounds of up to 100
s, one of five minutes, and a sentence that espeak-ng speaks.

Settings are drawn: language and task given or found, timestamps, prompts,
conditioning on earlier text, temperatures with thresholds, beams. Segments,
windows, temperatures, the language and what is measured of a text must be the
same. A case that has a decision which is not certain is drawn anew. The windows
of long sounds, temperatures, skipped windows, each form of a segment's end and
several languages that are found must all occur. `--full` takes more cases. The
last line has the counts.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference_longform as longform
import transcription_sampled
import transcription_selftest
import transcription_spoken
import write_checkpoints
from check_checkpoints import PRECISION, Checks
from generation_options import Options
from generation_reference import WhisperModel
from generation_scores import Near
from reference_longform import Settings
from transcription_artifact import Transcriber

SHORT = {"whisper_turbo": 8, "whisper_english": 8}
FULL = {"whisper": 15, "whisper_turbo": 40, "whisper_english": 40,
        "whisper_f16": 20, "whisper_old": 20}
MINUTES = 5
WITH_MINUTES = ("whisper", "whisper_turbo")
# What must have occurred in the cases of a run.
SEEN = ("several windows", "a pair", "no pair", "a single end", "a hot window",
        "a skipped window", "earlier text")
FOUND = "found "
MOST_LANGUAGES = 20  # sounds, until two languages have been found


class Draw:
    def __init__(self, model, random):
        self.model, self.special, self.random = model, model.special, random

    def chance(self, probability):
        return self.random.random() < probability

    def seconds(self, long):
        return self.random.uniform(31, 100) if long else \
            self.random.uniform(0.1, 30)

    def sound(self, seconds):
        """Noise and tones that come and go."""
        time = np.arange(int(seconds * 16000)) / 16000
        made = 0.02 * self.random.standard_normal(len(time))
        for _ in range(5):
            hertz, rate, phase = self.random.uniform(
                (80, 0.05, 0), (5000, 2, 6))
            made += 0.3 * np.sin(6.28 * hertz * time) * (
                np.sin(6.28 * rate * time + phase) > 0.2)
        return made.astype(np.float32)

    def settings(self, long):
        """Settings, and the options that the library is given."""
        special, s = self.special, Settings()
        s.timestamps = special.no_timestamps is not None and \
            (long or self.chance(0.5))
        if special.multilingual and special.languages:
            if self.chance(0.5):
                s.language = str(self.random.choice(
                    list(special.languages)))[2:-2]
            if self.chance(0.4):
                s.task = str(self.random.choice(list(special.tasks)))
        most = self.model.checkpoint.get("max_target_positions")
        if self.chance(0.4):
            tokens = self.random.integers(0, special.end, self.random.integers(
                1, 8)).tolist()
            s.prompt = [special.previous, *tokens]
        s.condition = self.chance(0.6)
        s.prompt_everywhere = s.condition and self.chance(0.5)
        changes = {"top_k": 1, "max_new_tokens": int(self.random.integers(
            8, min(40, most // 2 - 15)))}
        if self.chance(0.3):
            changes["num_beams"] = int(self.random.integers(2, 4))
        if self.chance(0.3):
            changes["repetition_penalty"] = float(np.float32(1.25))
        if self.chance(0.6):
            s.temperatures = (0.0, 0.25, 0.5, 1.0)
            s.compression = float(np.float32(self.random.uniform(0.8, 1.6)))
            s.log_probability = float(np.float32(self.random.uniform(-4, 0)))
            if self.chance(0.6):
                s.no_speech = float(np.float32(
                    10 ** self.random.uniform(-5, -1)))
        o = Options(suppress_tokens=special.suppressed,
                    begin_suppress_tokens=special.begin_suppressed,
                    max_initial_timestamp_index=-1
                    if special.max_initial is None else special.max_initial)
        s.options = o.with_(**changes)
        return s, changes


def languages_in(seen):
    return sum(what.startswith(FOUND) for what in seen)


def occurred(result, settings, first):
    """What a case has shown."""
    if len(result.seeks) > 1:
        yield "several windows"
        if settings.condition:
            yield "earlier text"
    if max(result.temperatures) > 0:
        yield "a hot window"
    if any(one.skips for one in result.judged):
        yield "a skipped window"
    for segment in result.segments:
        marks = [token >= first for token in segment.ids]
        if marks[-2:] == [True, True]:
            yield "a pair"
        elif marks[-2:] == [False, True]:
            yield "a single end"
        elif marks and not marks[-1]:
            yield "no pair"


def difference(ours, wanted, languages):
    """None if both have the same segments."""
    if wanted.language is not None and \
            languages[f"<|{ours.language}|>"] != wanted.language:
        return f"language {ours.language}, expected {wanted.language}"
    for i, (a, b) in enumerate(zip(ours.segments, wanted.segments)):
        if list(a.ids) != list(b.ids):
            return f"segment {i} has ids {a.ids}, expected {b.ids}"
        if abs(a.start - b.start) + abs(a.end - b.end) > 1e-6:
            return f"segment {i} has times {a[:2]}, expected {b[:2]}"
    if len(ours.segments) != len(wanted.segments):
        return (f"{len(ours.segments)} segments, expected "
                f"{len(wanted.segments)}")
    spoken = {seek: (temperature, judged) for seek, temperature, judged in
              zip(wanted.seeks, wanted.temperatures, wanted.judged)
              if not judged.skips}
    if list(spoken) != ours.seeks or not np.allclose(
            [temperature for temperature, _ in spoken.values()],
            ours.temperatures):
        return (f"windows {ours.seeks} with temperatures "
                f"{ours.temperatures}, expected {spoken}")
    for a, (_, b) in zip(ours.judged, spoken.values()):
        for name in ("ratio", "mean", "silence"):
            value, known = getattr(a, name), getattr(b, name)
            if known is not None and not np.isclose(value, known, rtol=1e-3,
                                                    atol=1e-3):
                return f"{name} {value}, expected {known}"
    return None


class ModelCheck:
    """Cases of one model; `run(samples, settings, changes)` is what is
    tested."""

    def __init__(self, name, model, run, checks, random):
        self.name, self.model, self.run = name, model, run
        self.checks, self.draw = checks, Draw(model, random)
        self.seen = collections.Counter()

    def case(self, long, seconds=None):
        while True:
            sound = self.draw.sound(seconds or self.draw.seconds(long))
            settings, changes = self.draw.settings(long)
            try:
                wanted = longform.transcribe(self.model, sound, settings)
            except Near:
                continue
            finally:
                self.model.forget_all()
            return sound, settings, changes, wanted

    def check(self, count):
        timed = self.model.special.no_timestamps is not None
        for number in range(count):
            self.compare(*self.case(timed and number % 2 == 0))

    def minutes(self):
        """A sound of many windows."""
        sound, settings, changes, wanted = self.case(True, 60 * MINUTES)
        self.compare(sound, settings, changes, wanted)
        print(f"{self.name}: {MINUTES} minutes in {len(wanted.seeks)} windows, "
              f"{len(wanted.segments)} segments", flush=True)

    def languages(self):
        """Texts of one token, until two languages have been found. Some random
        models find the same language in all sounds."""
        special = self.model.special
        if not special.languages:
            return
        for _ in range(MOST_LANGUAGES):
            sound = self.draw.sound(self.draw.seconds(False))
            settings = Settings(timestamps=False, options=Options(
                max_new_tokens=1, suppress_tokens=special.suppressed,
                begin_suppress_tokens=special.begin_suppressed))
            try:
                wanted = longform.transcribe(self.model, sound, settings)
                self.compare(sound, settings, {"max_new_tokens": 1}, wanted)
            except Near:
                continue
            finally:
                self.model.forget_all()
            if languages_in(self.seen) > 1:
                return

    def compare(self, sound, settings, changes, wanted):
        try:
            holds = difference(self.run(sound, settings, changes), wanted,
                               self.model.special.languages)
        except Exception as failed:
            holds = f"{type(failed).__name__}: {failed}"
        self.checks.that(holds is None, f"{self.name}: {holds}\n  "
                         f"{len(sound)} samples, {settings}")
        first = (self.model.special.no_timestamps or 1 << 30) + 1
        self.seen.update(set(occurred(wanted, settings, first)))
        if wanted.language is not None and not settings.language:
            names = {token: name for name, token in
                     self.model.special.languages.items()}
            self.seen[FOUND + names[wanted.language]] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    checks, seen = Checks(), collections.Counter()
    speaks = transcription_spoken.can_speak()
    transcription_selftest.run(checks)
    counts = FULL if options.full or options.case else SHORT
    for name in options.case or counts:
        with tempfile.TemporaryDirectory() as folder:
            source = write_checkpoints.write(write_checkpoints.WHISPER[name],
                                             os.path.join(folder, name))
            artifact = os.path.join(folder, name + ".so")
            subprocess.run([os.path.join(options.build, "bin", "tenon"),
                            "compile", source, "-o", artifact, "-q",
                            *PRECISION], check=True)
            transcriber = Transcriber(options.build, artifact)
            check = ModelCheck(name, WhisperModel(source), transcriber.run,
                               checks, np.random.default_rng(len(name)))
            check.check(counts[name])
            check.languages()
            if name in WITH_MINUTES:
                check.minutes()
            transcription_sampled.check(check.model, transcriber, checks)
            if speaks:
                transcription_spoken.check(options.build, source, artifact,
                                           check, folder)
            transcriber.close()
            seen += check.seen
            print(f"{name:18} {dict(check.seen)}", flush=True)
    if not options.case:
        for what in SEEN:
            checks.that(seen[what], f"no case has {what}")
        checks.that(languages_in(seen) > 1, "all sounds have one language")
    print(f"{checks.passed} passed, {checks.failed} failed, "
          f"{int(not speaks)} skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
