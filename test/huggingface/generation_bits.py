"""Equal bits: a row has the same logits and the same text alone, in a batch,
beside rows of its own prompt, beside rows that have ended, with any number of
beams and threads, in one advance or one for each token, after cancelled runs, and
with or without `keep` and `keep_encoder`.
"""
from typing import NamedTuple

import numpy as np

from generation_artifact import Said, extents_of, play
from generation_options import Options

NEW = 12
KINDS = {"greedy": {}, "beams": {"num_beams": 3, "num_return_sequences": 3},
         "7 beams": {"num_beams": 7, "num_return_sequences": 7},
         "contrastive": {"top_k": 4, "penalty_alpha": 0.6}}
STRATEGIES = ("greedy", "beams", "contrastive")


class Interrupted(NamedTuple):
    """A call whose runs were tried with a cancellation."""
    ended: int   # cancelled runs
    events: int  # the most of a run
    texts: list  # after each cancelled advance
    said: Said


class Bits:
    """Checks one artifact; `opened(threads)` opens it."""

    def __init__(self, model, opened, mode, random):
        self.model, self.opened, self.mode = model, opened, mode
        self.random = random
        self.one = opened(1)

    def play(self, artifact, call, **more):
        session = artifact.session(**extents_of(call))
        said = play(session, call, **more)
        session.close()
        return said

    def batch(self, **options):
        """Eight rows; some end early by an eos of their text."""
        draw = self.model.draw(self.random, self.mode)
        width = 14
        lengths = [width - pads for pads in range(8)]
        ids = [[5] * (width - n) + draw.ids(n, n) for n in lengths]
        o = Options(max_new_tokens=NEW, pad_token_id=5, output_scores=True,
                    **options)
        beams = o.num_return_sequences
        call = draw.given(ids, lengths, o)
        ahead = self.play(self.one, call).texts
        o.eos_token_id = sorted({ahead[0].ids[1], ahead[3 * beams].ids[5]})
        return call

    def alone(self, call, row):
        """One row, the even ones without their pads."""
        pads = call.pads(row) if row % 2 == 0 else 0
        return call._replace(ids=[call.ids[row][pads:]],
                             lengths=[call.lengths[row]],
                             encoder=call.encoder[row:row + 1])

    def rows(self):
        """Yields a name and if it holds."""
        yield from self.rows_alone()
        # Each row of contrastive search is several of the model.
        call = self.batch(**KINDS["contrastive"])
        said = self.play(self.one, call)
        for row in range(8):
            single = self.play(self.one, self.alone(call, row))
            yield f"contrastive row {row} alone", \
                single.texts[0] == said.texts[row]

    def rows_alone(self):
        call = self.batch()
        said = self.play(self.one, call, with_logits=True)
        yield "some rows end early", \
            len({len(text.ids) for text in said.texts}) > 1
        for row in range(8):
            single = self.play(self.one, self.alone(call, row),
                               with_logits=True)
            yield f"row {row} alone", same_row(single, 0, said, row)

    def shared(self):
        """Rows of one prompt, which share its encoder's results: each has the
        logits of its text alone."""
        draw = self.model.draw(self.random, self.mode)
        for count in (2, 5, 8):
            o = Options(max_new_tokens=NEW, do_sample=True, top_k=0,
                        num_return_sequences=count, seed=count)
            call = draw.given([draw.ids(6, 6) for _ in range(2)], [6, 6], o)
            said = self.play(self.one, call, with_logits=True)
            for row in (0, count - 1, count):
                single = self.play(
                    self.one, self.forced(call, said.texts[row].ids,
                                          row // count), with_logits=True)
                yield f"row {row} of {count} of a prompt alone", \
                    same_row(single, 0, said, row)

    def forced(self, call, ids, item):
        """A call that makes `ids` after the prompt of `item`."""
        masks = np.eye(self.model.vocabulary, dtype=bool)[ids]
        return call._replace(
            ids=[call.ids[item]], lengths=[call.lengths[item]],
            encoder=call.encoder[item:item + 1], allowed=tuple(masks[:, None]),
            options=call.options.with_(do_sample=False, num_beams=1,
                                       num_return_sequences=1))

    def beams(self):
        """The prompts of a batch have the beams that each has alone, and the
        path to the best text has its bits without the other beams."""
        for beams in (2, 4, 7):
            call = self.batch(num_beams=beams, num_return_sequences=beams)
            if self.mode == "hf-tf":
                # A prompt goes on there as long as its neighbours do.
                call = call._replace(
                    options=call.options.with_(eos_token_id=[]))
            said = self.play(self.one, call, with_logits=True)
            for row in (0, 3, 7):
                own = slice(row * beams, (row + 1) * beams)
                single = self.play(self.one, self.alone(call, row),
                                   with_logits=True)
                yield f"{beams} beams of prompt {row} alone", \
                    single.texts == said.texts[own] and all(
                        a.tobytes() == b[own].tobytes()
                        for a, b in zip(single.logits, said.logits))
                best = single.texts[0].ids
                path = self.play(self.one, self.forced(call, best, row),
                                 with_logits=True)
                yield f"the best of {beams} beams of prompt {row}", all(
                    any(path.logits[step][0].tobytes() == beam.tobytes()
                        for beam in single.logits[step])
                    for step in range(len(best)))

    def threads(self):
        for kind in KINDS:
            call = self.batch(**KINDS[kind])
            is_greedy = kind == "greedy"
            said = self.play(self.one, call, with_logits=is_greedy)
            for threads in (2, 5):
                artifact = self.opened(threads)
                again = self.play(artifact, call, with_logits=is_greedy)
                artifact.close()
                yield f"{threads} threads, {kind}", \
                    again.texts == said.texts and (not is_greedy or all(
                        same_row(again, row, said, row) for row in range(8)))

    def steps(self):
        """One advance, or several."""
        for kind in STRATEGIES:
            call = self.batch(**KINDS[kind])
            said = self.play(self.one, call)
            for steps in (3, NEW, NEW + 40):
                again = self.play(self.one, call, steps=steps)
                parts = difference(again, said)
                yield (f"{steps} steps in an advance, {kind}: {parts}",
                       parts is None)

    def cancelled(self, calls):
        """Cancels each run of a call once, before or after its kernel of one
        number, and goes on: up to `calls` numbers for each strategy, in
        disorder. The number 0 is before the run. After a cancellation `result`
        tells the texts of whole steps."""
        for kind in STRATEGIES:
            call = self.batch(**KINDS[kind])
            said = self.play(self.one, call, steps=4)
            whole = self.after_steps(call)
            events, ended = self.interrupted(call, None).events, 0
            for event in self.random.permutation(events + 1)[:calls]:
                made = self.interrupted(call, int(event))
                ended += made.ended
                parts = difference(made.said, said)
                if parts:
                    yield f"cancelled at event {event} {parts}\n  {call}", False
                if any(texts not in whole for texts in made.texts):
                    yield (f"cancelled at event {event}: the result is not "
                           f"that of whole steps\n  {call}"), False
            yield f"{ended} cancelled runs of {kind}", ended > 0

    def after_steps(self, call):
        """The texts after each number of steps."""
        session = self.one.session(**extents_of(call))
        session.start(call)
        texts, finished = [session.result()], False
        while not finished:
            _, finished = session.advance(1)
            texts.append(session.result())
        session.close()
        return texts

    def interrupted(self, call, event):
        """Tries each run of a call with a cancellation at `event` first."""
        session = self.one.session(**extents_of(call))
        ended, events, texts = 0, 0, []

        def advance(count, mask):
            try:
                return session.advance(count, mask)
            except session.cancelled:
                session.cancel_at(None)
                texts.append(session.result())
                raise

        def go_on(run):
            nonlocal ended, events
            session.cancel_at(event)
            try:
                return run()
            except session.cancelled:
                ended += 1
            finally:
                events = max(events, session.events)
                session.cancel_at(None)
            return run()
        go_on(lambda: session.start(call))
        again = play(session, call, steps=4,
                     advance=lambda _, count, mask: go_on(
                         lambda: advance(count, mask)))
        session.close()
        return Interrupted(ended, events, texts, again)

    def keep(self):
        """A second call that goes on after the first one's text."""
        yield from self.keep_beams()
        yield from self.keep_rows("greedy")
        yield from self.keep_rows("contrastive")

    def keep_rows(self, kind):
        is_greedy = kind == "greedy"
        call = self.batch(**KINDS[kind])
        call = call._replace(options=call.options.with_(eos_token_id=[]))
        session = self.one.session(**extents_of(call))
        said = play(session, call)
        draw = self.model.draw(self.random, self.mode)
        longer = [ids + text.ids + draw.ids(4, 4)
                  for ids, text in zip(call.ids, said.texts)]
        after = call._replace(ids=longer, lengths=[
            length + NEW + 4 for length in call.lengths])
        fresh = self.play(self.one, after, with_logits=is_greedy)
        held = call.prompt() + NEW
        for keep in (held - 1, call.prompt(), call.prompt() - 3, 0):
            kept = play(session, after, keep=keep, with_logits=is_greedy)
            yield f"{kind}, keep {keep} of {len(longer[0])}", \
                kept.texts == fresh.texts and (not is_greedy or all(
                    same_row(kept, row, fresh, row) for row in range(8)))
            play(session, call)
        session.close()

    def keep_encoder(self):
        """The encoder's results of a call serve calls with other options."""
        call = self.batch()
        if not call.encoder:
            return
        session = self.one.session(3 * extents_of(call)["rows"])
        play(session, call)
        for beams in (3, 1):
            other = call._replace(options=call.options.with_(
                num_beams=beams, num_return_sequences=beams))
            parts = difference(play(session, other, keep_encoder=True),
                               self.play(self.one, other))
            yield f"keep_encoder, {beams} beams: {parts}", parts is None
        yield from self.keep_late_encoder(session, call)
        session.close()

    def keep_late_encoder(self, session, call):
        """A cancelled `start` leaves the results of all rows or none."""
        said = self.play(self.one, call)
        session.cancel_at(None)
        session.start(call)
        for event in self.random.permutation(session.events + 1)[:12]:
            session.cancel_at(int(event))
            try:
                session.start(call)
            except session.cancelled:
                pass
            session.cancel_at(None)
            try:
                again = play(session, call, keep_encoder=True)
                yield "keep_encoder after a late start", \
                    difference(again, said) is None
            except session.refusals as refused:
                yield f"keep_encoder after a late start: {refused}", \
                    "keep_encoder" in str(refused)

    def keep_beams(self):
        """The rows of a call with beams hold no text that goes on: `keep` is
        refused, and the context serves other calls."""
        call = self.batch(**KINDS["beams"])
        session = self.one.session(**extents_of(call))
        said = play(session, call)
        try:
            session.start(call, keep=call.prompt())
            yield "keep after beams is accepted", False
        except session.refusals as refused:
            yield f"keep after beams: {refused}", "keep" in str(refused)
        yield "a call after the refused one", \
            play(session, call, keep=0).texts == said.texts
        session.close()


def difference(ours, wanted):
    """A text or told ids that are not those wanted; None if all are equal."""
    for row, (a, b) in enumerate(zip(ours.texts, wanted.texts)):
        if a != b:
            return f"row {row} has the text {a}, expected {b}"
    told = np.concatenate(ours.streamed, 1)
    expected = np.concatenate(wanted.streamed, 1)
    if not np.array_equal(told, expected):
        return f"advance told\n{told}\nexpected\n{expected}"
    return None


def same_row(a, i, b, j):
    """True if row `i` of one call has the text of row `j` of another, and the
    logits in the steps that it makes."""
    ids = a.texts[i].ids
    return (ids, a.texts[i].reason) == (b.texts[j].ids, b.texts[j].reason) \
        and all(a.logits[step][i].tobytes() == b.logits[step][j].tobytes()
                for step in range(len(ids)))
