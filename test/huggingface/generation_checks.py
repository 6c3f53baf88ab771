"""The checks of one model in one compatibility mode, for an artifact or for
the fake of generation_fake.py.
"""
import collections
import time

import numpy as np
import torch

import generation_draws as draws
import generation_languages
import generation_rules
from generation_artifact import extents_of, play
from generation_bits import Bits
from generation_cases import exact
from generation_options import Options
from generation_reference import rows_at
from generation_search import Near

ALLOWED = 2.0  # times PyTorch's error in float32
SCORE_ERROR = 1e-4
BAD = (
    ("temperature", (0.0, -1.0)), ("top_p", (-0.25, 1.5)),
    ("min_p", (-0.25, 1.5)), ("typical_p", (0.0, 1.5)), ("top_k", (-1,)),
    ("repetition_penalty", (0.0, -2.0)),
    ("encoder_repetition_penalty", (0.0, -2.0)),
    ("num_beams", (0, 65)), ("num_return_sequences", (0, 2)),
    ("penalty_alpha", (-0.1, 1.1)),
    ("no_repeat_ngram_size", (-1,)), ("encoder_no_repeat_ngram_size", (-1,)),
    ("early_stopping", (3, -1)), ("min_length", (1000,)),
)


class ModelCheck:
    """`opened(threads)` opens the artifact."""

    CHECKS = ("texts", "rules", "languages", "logits", "bits", "ranges",
              "sampled", "distributions", "many_calls")

    def __init__(self, name, model, opened, mode, checks, size,
                 counted=lambda *call: None):
        """`counted(strategy, call, texts)` is called for compared texts."""
        self.counted = counted
        self.name, self.model, self.opened = f"{name} {mode}", model, opened
        self.mode, self.checks, self.size = mode, checks, size
        self.random = np.random.default_rng(len(name) * 7 + len(mode))
        self.artifact = opened(1)
        self.drawn = self.calls = 0

    def that(self, holds, text):
        return self.checks.that(holds, f"{self.name}: {text}")

    def run(self, names=CHECKS):
        for name in names:
            start, before = time.process_time(), self.checks.passed
            getattr(self, name)()
            print(f"{self.name:24} {name:13} "
                  f"{self.checks.passed - before:4} passed  "
                  f"{time.process_time() - start:5.1f} s", flush=True)
        self.artifact.close()

    def strategies(self):
        contrastive = "penalty_alpha" in self.artifact.known
        return ("greedy", "one token", "beams",
                *(["contrastive"] if contrastive else []))

    def texts(self):
        """Equal tokens, and the scores of beam search."""
        for strategy in self.strategies():
            for number in range(self.size.texts):
                # The last ones fill the cache: the prompt and the text have
                # all positions.
                fills = number % 6 == 5
                limits = {"longest": self.model.positions - 1,
                          "most_new": self.model.positions} if fills else {}
                call, wanted, drawn = exact(self.model, self.random, self.mode,
                                            strategy, **limits)
                self.drawn += drawn
                self.text(call, wanted, strategy)
            self.model.forget()

    def text(self, call, wanted, strategy):
        positions = call.limit() if self.random.random() < 0.3 else None
        session = self.artifact.session(positions=positions, **extents_of(call))
        steps = int(self.random.integers(1, 30))
        said = play(session, call, steps)
        session.close()
        holds = compare(call, said, wanted)
        self.counted(strategy, call, len(wanted))
        return self.that(holds is None, f"{strategy}: {holds}\n  {call}")

    def rules(self):
        """Each rule of timestamps, where there are any."""
        if not self.model.rules:
            return
        for strategy, what in (("greedy", "tokens decided by"),
                               ("beams", "texts of beams decided by")):
            decided = collections.Counter()
            for call, wanted, found in generation_rules.cases(
                    self.model, self.random, strategy, self.size.rules):
                if self.text(call, wanted, "rules"):
                    decided += found
            self.shown(what, decided, generation_rules.NAMES[strategy])
            self.model.forget()

    def languages(self):
        """The languages of sounds, several of them in one batch."""
        if self.model.languages:
            found = generation_languages.check(self)
            self.shown("sounds in", found, [*self.model.languages,
                                            generation_languages.DIFFERENT])

    def shown(self, what, count, names):
        print(f"{self.name:24} {what} " + ", ".join(
            f"{name} {count[name]}" for name in names), flush=True)
        for name in names:
            self.that(count[name] > 0, f"no {what} {name}")

    def logits(self):
        """The error of each element against PyTorch in float64. Few rows have
        the largest errors, and by chance one order of sums is near the exact
        value there: PyTorch's errors are those of several orders."""
        ours, theirs = [], []
        draw = self.model.draw(self.random, self.mode)
        for width, new in draw.walks():
            rows = 8 if new < 20 else 3
            pads = np.arange(rows) if width > 8 else np.zeros(rows, np.int64)
            ids = [[0] * p + draw.ids(width - p, width - p) for p in pads]
            call = draw.given(ids, [width - p for p in pads],
                              Options(max_new_tokens=new))
            session = self.artifact.session(rows)
            said = play(session, call, with_logits=True)
            session.close()
            for step, logits in enumerate(said.logits):
                keys = rows_at(call, said.texts, step)
                exact_ones = self.model(list(keys.values()))
                ours.append(logits[list(keys)] - exact_ones)
                theirs += [single - exact_ones for single in
                           self.model.single(list(keys.values()))]
        mine = np.abs(np.concatenate(ours)).ravel()
        other = np.abs(np.concatenate(theirs)).ravel()
        for kind, a, b in (("largest", mine.max(), other.max()),
                           ("rms", np.sqrt((mine ** 2).mean()),
                            np.sqrt((other ** 2).mean()))):
            self.that(a <= ALLOWED * b, f"{kind} error of logits {a:.3g}, "
                      f"PyTorch's {b:.3g}")

    def bits(self):
        bits = Bits(self.model, self.opened, self.mode, self.random)
        for part in (bits.rows(), bits.shared(), bits.beams(), bits.threads(),
                     bits.steps(), bits.keep(), bits.keep_encoder(),
                     bits.cancelled(self.size.cancelled)):
            for what, holds in part:
                self.that(holds, what)

    def ranges(self):
        """An error for an option names it, and the context goes on."""
        session = self.artifact.session(1)
        call = self.model.draw(self.random, self.mode).given(
            [[3, 4, 5]], [3], Options(max_new_tokens=2))
        for name, values in BAD:
            for value in values:
                kind = np.float32 if isinstance(value, float) else np.int64
                more = {name: kind(value)}
                if name == "temperature":
                    more["do_sample"] = np.bool_(True)
                try:
                    session.start(call, **more)
                    said = "accepted"
                except session.refusals as refused:
                    said = str(refused)
                self.that(name in said, f"{name} = {value}: {said}")
        self.that(len(play(session, call).texts[0].ids) == 2,
                  "a call after refused ones")
        session.close()

    def sampled(self):
        """Sampled texts of any options: possible tokens, in their places."""
        draw = self.model.draw(self.random, self.mode)
        paths = draws.Paths()
        for _ in range(self.size.sampled):
            call = draw.call("sampling")
            call.options.num_return_sequences = int(
                self.random.integers(1, 4))
            session = self.artifact.session(**extents_of(call))
            try:
                paths.add(self.model, call, play(session, call, 5).texts)
            except session.refusals as refused:
                self.that(no_choice(call, refused), f"{refused}\n  {call}")
            session.close()
        self.that(not paths.strange,
                  f"impossible tokens: {paths.strange[:2]}")
        self.that(paths.p_value() > draws.LEAST_P,
                  f"places of sampled tokens: p = {paths.p_value():.3g}")
        self.model.forget()

    def distributions(self):
        rows = 64
        session = self.artifact.session(rows)
        sampler = self.sampler(session, rows)
        for name, changes in draws.WARPERS.items():
            p = sampler.warper(changes, self.size.draws)
            self.that(p > draws.LEAST_P, f"draws with {name}: p = {p:.3g}")
        for name, p in sampler.pairs(self.size.draws):
            self.that(p > draws.LEAST_P, f"pairs of {name}: p = {p:.3g}")
        p = sampler.beams(self.size.draws)
        self.that(p > draws.LEAST_P, f"beam sampling: p = {p:.3g}")
        self.seeds(session, sampler)
        session.close()

    def sampler(self, session, rows):
        """A sampler with a prompt after which no warper is at its border."""
        for _ in range(100):
            prompt = self.random.integers(0, self.model.vocabulary, 5).tolist()
            sampler = draws.Sampler(self.model, session, self.mode, rows,
                                    prompt)
            try:
                for changes in draws.WARPERS.values():
                    draws.certain_support(self.model,
                                          sampler.call(1, **changes))
            except Near:
                continue
            return sampler
        raise AssertionError("every prompt is at a border")

    def seeds(self, session, sampler):
        """Equal seeds give equal text, other seeds another."""
        for beams in (1, 2):
            # Flat scores: beams that draw the best ones agree otherwise.
            call = sampler.call(6, beams=beams, top_k=20, temperature=4.0)
            texts = [play(session, call._replace(
                options=call.options.with_(seed=seed))).texts
                for seed in (7, 7, 8, 2**40 + 7)]
            self.that(texts[0] == texts[1], f"seed 7 twice, {beams} beams")
            self.that(texts[0] != texts[2] and texts[0] != texts[3] and
                      texts[2] != texts[3], f"other seeds, {beams} beams")

    def many_calls(self):
        """Calls of all strategies in one context, some again in a fresh
        one."""
        draw = self.model.draw(self.random, self.mode)
        session = self.artifact.session(24, prompts=4)
        for number in range(self.size.calls):
            call = draw.call(draw.one("greedy", "sampling", "beams",
                                      "beam sampling", "contrastive"),
                             longest=60)
            call.options.eos_token_id = sorted(set(draw.ids(0, 3)))
            if number % 2 and not call.options.contrastive():
                # A sampler whose tokens run out is another matter.
                call.options.top_k = 0
            steps = int(self.random.integers(1, 30))
            try:
                said = play(session, call, steps)
                if number % 5 == 0:
                    fresh = self.artifact.session(**extents_of(call))
                    again = play(fresh, call, 1)
                    fresh.close()
                    self.that(said.texts == again.texts,
                              f"call {number} in a fresh context: {call}")
            except session.refusals as refused:
                self.that(no_choice(call, refused),
                          f"call {number}: {refused}\n  {call}")
        self.that(True, "many calls")
        session.close()


def no_choice(call, refused):
    """True if timestamps that must not come again and the options of a call
    may leave no token."""
    return call.options.timestamps and "a token to choose" in str(refused)


def compare(call, said, wanted):
    """Where the texts part from those wanted; None if they are equal."""
    for row, (ours, theirs) in enumerate(zip(said.texts, wanted)):
        if ours.ids != theirs.ids:
            step = next((i for i, (a, b) in enumerate(
                zip(ours.ids, theirs.ids)) if a != b),
                min(len(ours.ids), len(theirs.ids)))
            return (f"row {row} parts at step {step}: expected {theirs.ids}, "
                    f"got {ours.ids}")
        if ours.reason != theirs.reason:
            return (f"row {row} ends for reason {ours.reason}, expected "
                    f"{theirs.reason}")
        if has_score(call.options) and not np.isclose(
                ours.score, theirs.score, SCORE_ERROR, SCORE_ERROR):
            return f"row {row}: score {ours.score}, expected {theirs.score}"
    if len(said.texts) != len(wanted):
        return f"{len(said.texts)} texts, expected {len(wanted)}"
    return streamed(call, said)


def has_score(options):
    return options.searches() or options.output_scores


def streamed(call, said):
    """Greedy search and sampling tell each id once, in order."""
    told = np.concatenate(said.streamed, 1)
    if call.options.searches():
        return None if told.shape[1] == 0 else "beams told ids on the way"
    pad = call.options.pad_token_id
    longest = max(len(text.ids) for text in said.texts)
    for row, text in zip(told, said.texts):
        if row.tolist() != text.ids + [pad] * (longest - len(text.ids)):
            return f"advance told {row.tolist()}, the text is {text.ids}"
    return None
