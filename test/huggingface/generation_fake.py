"""An artifact in Python with the reference's texts and the interface of
generation_artifact.py, into which faults can be put. The checks pass on it,
and each fault must be found by one of them.
"""
import dataclasses

import numpy as np
import torch

import generation_options
import generation_scores as scores_of
import generation_search as search
from generation_artifact import extents_of

# The faults, and the check that finds each.
FAULTS = {"penalty": "texts", "pads": "texts", "length": "texts",
          "eos": "texts", "merge": "texts", "stream": "texts",
          "logits": "logits", "batch": "bits", "beams": "bits",
          "threads": "bits",
          "cancel": "bits", "torn": "bits", "keep": "bits", "keep beams": "bits",
          "range": "ranges",
          "sampler": "sampled", "seed": "distributions",
          "warper": "distributions", "context": "many_calls"}


class FakeArtifact:
    def __init__(self, model, fault=None, threads=1):
        self.model, self.fault, self.threads = model, fault, threads

    known = {item.name for item in
             dataclasses.fields(generation_options.Options)}

    def session(self, rows=1, positions=None, prompts=0):
        return FakeSession(self, rows, positions or self.model.positions)

    def close(self):
        pass


class Refusal(Exception):
    pass


class Interrupted(Exception):
    pass


class FakeSession:
    refusals, cancelled = Refusal, Interrupted

    def __init__(self, artifact, rows, positions):
        self.artifact, self.fault = artifact, artifact.fault
        self.model, self.most = artifact.model, rows
        self.positions = positions
        self.calls = self.step = 0
        self.last, self.events = None, 3

    def start(self, call, keep=None, keep_encoder=False, **more):
        changes = {name: value.tolist() if np.ndim(value) else value
                   for name, value in more.items()
                   if hasattr(call.options, name)}
        call = call._replace(options=call.options.with_(**changes),
                             positions=self.positions)
        try:
            if self.fault != "range":
                generation_options.check(call.options, call.prompt(),
                                         call.positions, call.mode)
        except generation_options.Refused as refused:
            raise Refusal(str(refused)) from refused
        if extents_of(call)["rows"] > self.most:
            raise Refusal("rows: the context has fewer")
        if keep and self.call.options.searches() and \
                self.fault != "keep beams":
            raise Refusal("keep: the call before had beams")
        self.interrupt()
        self.calls += 1
        self.keep, self.step, self.torn = keep, 0, 0
        self.call = self.faulty(call)
        self.rows = extents_of(call)["rows"]
        self.texts = None
        return call.prompt()

    def faulty(self, call):
        o = call.options
        if self.fault == "penalty":
            o = o.with_(repetition_penalty=1.0)
        if self.fault == "length" and o.max_new_tokens > 1:
            o = o.with_(max_new_tokens=o.max_new_tokens - 1)
        if self.fault == "eos":
            o = o.with_(eos_token_id=o.eos_token_id[:1])
        if self.fault == "merge" and o.num_beams > 2:
            o = o.with_(num_beams=o.num_beams - 1, num_return_sequences=min(
                o.num_return_sequences, o.num_beams - 1))
        if self.fault == "warper":
            o = o.with_(typical_p=1.0)
        if self.fault == "sampler":
            o = o.with_(temperature=1.0)
        if self.fault == "seed":
            o = o.with_(seed=0)
        if self.fault == "context" and self.calls > 1:
            o = o.with_(repetition_penalty=2.5)  # of the call before
        ids = call.ids
        if self.fault == "pads":
            ids = [[0] * call.pads(i) + row[call.pads(i):]
                   for i, row in enumerate(ids)]
        return call._replace(options=o, ids=ids)

    def draw(self, scores, row, step):
        """A token by its probability, for the seed, the row and the step."""
        if self.call.options.do_sample and self.call.options.top_k != 1:
            random = np.random.default_rng(
                [self.call.options.seed, row, step])
            p = scores_of.softmax(scores)
            return int(random.choice(len(p), p=p))
        return int(np.argmax(scores))

    def drawn(self, acc, count, row, step):
        """Tokens without replacement, by Gumbel noise."""
        if not self.call.options.do_sample:
            return search.best_candidates(acc, count, row, step)
        random = np.random.default_rng([self.call.options.seed, row, step])
        noised = acc + random.gumbel(size=len(acc))
        return np.argsort(-noised, kind="stable")[:count]

    def finish(self):
        """Makes all texts; calls that `advance` cuts into steps only tell
        them later."""
        if self.texts is None:
            gap, scores_of.GAP = scores_of.GAP, 0.0
            try:
                if self.call.options.contrastive():
                    self.texts = search.texts(self.call, self.model)
                elif self.call.options.searches():
                    self.texts = search.BeamSearch(self.call, self.model,
                                                   self.drawn).texts()
                else:
                    self.texts = search.one_path(self.call, self.model,
                                                 self.draw)
            finally:
                scores_of.GAP = gap

    def advance(self, steps, allowed=None):
        self.finish()
        self.interrupt()
        longest = max(len(text.ids) for text in self.texts)
        before, self.step = self.step, min(self.step + steps, longest)
        self.torn = 0
        beams = self.call.options.searches()
        pad = self.call.options.pad_token_id
        made = np.full((len(self.texts), 0 if beams else self.step - before),
                       pad, np.int64)
        for row, text in zip(made, self.texts):
            part = text.ids[before:self.step]
            row[:0 if beams else len(part)] = [] if beams else part
        if self.fault == "stream" and before:
            made = made[:, ::-1]
        return made, self.step == longest

    def interrupt(self):
        """A run with an event is cancelled."""
        if self.last is not None:
            if self.fault == "cancel" and self.step:
                self.texts = [text._replace(ids=text.ids[::-1])
                              for text in self.texts]
            self.torn = int(self.fault == "torn")
            raise Interrupted

    def result(self):
        """The texts as far as they are; of a torn step, one has its id."""
        self.finish()
        return [text._replace(ids=text.ids[:self.step + (
            self.torn if row == 0 else 0)])
                for row, text in enumerate(self.texts)]

    def logits(self):
        """Each row alone, in float32; rows that have ended give zeros."""
        self.finish()
        made = np.zeros((self.rows, self.model.vocabulary), np.float32)
        times = self.call.options.num_return_sequences
        for r, text in enumerate(self.texts):
            batch = r // times
            row = self.call.key(batch, self.call.ids[batch] +
                                text.ids[:max(0, self.step - 1)])
            made[r] = self.model.last([row], torch.float32)[0]
        if self.fault == "logits":
            made[:, 3] *= np.float32(1.0001)
        if self.fault == "batch" and len(made) > 1:
            made = np.nextafter(made, np.float32(0))
        if self.fault == "beams" and self.call.options.num_beams > 4:
            made = np.nextafter(made, np.float32(0))
        if self.fault == "threads" and self.artifact.threads > 2:
            made = np.nextafter(made, np.float32(0))
        if self.fault == "keep" and self.keep:
            made = np.nextafter(made, np.float32(0))
        return made

    def cancel_at(self, event):
        self.last = event

    def close(self):
        pass
