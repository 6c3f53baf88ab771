"""Greedy search, sampling, beam search and beam sampling as Transformers has
them, in PyTorch's and in TensorFlow's form.

A search asks `score(rows)` for the logits after each row of tokens, pads left
out and with the encoder's input if there is one (`Call.key`). It raises `Near` where two scores that decide are closer than rounding
separates, so that a comparison of texts has one right answer.
"""
from typing import NamedTuple

import numpy as np

import generation_contrastive
import generation_options
import generation_scores as scores_of
from generation_scores import Near, apart

DEAD = np.float32(-1e9)
NOT_FINISHED, AN_EOS, THE_LENGTH = 0, 1, 2


class Call(NamedTuple):
    """The arguments of a call. A row of `ids` has pads on the left."""

    ids: list
    lengths: list
    options: generation_options.Options
    mode: str = "hf-pt"
    positions: int = 1 << 30
    allowed: tuple = ()  # for each step: None, or a mask for each row
    # What the encoder reads: for each row of `ids` an EncoderIds or a Sound.
    encoder: tuple = ()
    special: object = None  # the SpecialTokens of Whisper

    def __str__(self):
        """Without the masks, which are long."""
        sources = ", ".join(str(source)[:400] for source in self.encoder)
        return (f"{self.ids} of lengths {self.lengths}, {self.mode}, "
                f"{len(self.allowed)} masks, {sources}, {self.options}")

    def prompt(self):
        return len(self.ids[0])

    def limit(self):
        return generation_options.length_limit(
            self.options, self.prompt(), self.positions, self.mode)

    def pads(self, row):
        return self.prompt() - self.lengths[row]

    def key(self, row, ids):
        """What the logits after `ids`, which has pads, depend on."""
        tokens = tuple(ids[self.pads(row):])
        return (self.encoder[row], tokens) if self.encoder else tokens

    def inputs(self):
        """The inputs of the encoder, for all rows."""
        return self.encoder[0].arrays(self.encoder) if self.encoder else {}

    def row(self, row, ids):
        """What the scores after `ids` depend on beside the logits."""
        source = self.encoder[row].ids if self.encoder else None
        return scores_of.Row(ids, self.prompt(), self.limit(), source,
                             self.special)

    def mask(self, step, row):
        if step >= len(self.allowed) or self.allowed[step] is None:
            return None
        return self.allowed[step][row]


class Text(NamedTuple):
    """A row that comes back: its ids without the prompt and the padding."""
    ids: list
    score: float
    reason: int


def choosable(scores):
    if np.isnan(scores).any() or not np.isfinite(scores.max()):
        raise Near


def certain(scores, row, step):
    """The token of greedy search."""
    choosable(scores)
    order = np.argsort(-scores, kind="stable")
    if len(order) > 1:
        apart(scores[order[0]], scores[order[1]])
    return int(order[0])


def one_path(call, score, choose=certain):
    """Greedy search, or sampling if `choose(scores, row, step)` draws. A row
    of a batch is repeated for each of its returned sequences."""
    o = call.options
    times = o.num_return_sequences
    rows = [list(ids) for ids in call.ids for _ in range(times)]
    prompt, limit = call.prompt(), call.limit()
    ended = [False] * len(rows)
    total = [0.0] * len(rows)
    while len(rows[0]) < limit and not all(ended):
        step = len(rows[0]) - prompt
        open_rows = [r for r in range(len(rows)) if not ended[r]]
        logits = score([call.key(r // times, rows[r]) for r in open_rows])
        chosen = [o.pad_token_id] * len(rows)
        for r, raw in zip(open_rows, logits):
            row, mask = call.row(r // times, rows[r]), call.mask(step, r)
            scores = scores_of.processed(o, row, raw, call.mode, mask)
            if choose is certain and o.do_sample:
                # A warper that leaves one token hides that two are near. All
                # best ones are left, and any may be drawn.
                before = scores_of.processed(o.with_(do_sample=False), row,
                                             raw, call.mode, mask)
                certain(before, r, step)
                if np.count_nonzero(before == before.max()) > 1:
                    raise Near
            chosen[r] = choose(scores, r, step)
            total[r] += float(scores_of.log_softmax(scores)[chosen[r]])
            ended[r] = chosen[r] in o.eos_token_id
        for row, token in zip(rows, chosen):
            row.append(token)
    return [cut(row[prompt:], o, score_of) for row, score_of in
            zip(rows, total)]


def cut(ids, options, score):
    """The text up to its first eos."""
    for i, token in enumerate(ids):
        if token in options.eos_token_id:
            return Text(ids[:i + 1], score, AN_EOS)
    return Text(ids, score, THE_LENGTH)


class Beams:
    """The beams of one row of the batch. Finished slots begin open, with the
    score -1e9 and no text."""

    def __init__(self, ids, beams):
        self.running = [(DEAD if i else np.float32(0), list(ids))
                        for i in range(beams)]
        self.finished = [(DEAD, None)] * beams
        self.flag = True       # PyTorch: improvement is still possible
        self.improves = True
        self.all_hit = False

    def full(self):
        return all(ids is not None for _, ids in self.finished)


def best(scores, count):
    """The indices of the `count` greatest, the lower index first of equal
    ones. The last one in and the first one out must be apart."""
    order = np.argsort(-scores, kind="stable")
    if count < len(order):
        apart(scores[order[count - 1]], scores[order[count]])
    return order[:count]


def best_candidates(acc, count, row, step):
    """The choice of beam search: the best, in order."""
    return best(acc, count)


def normalized(scores, length, power):
    """Scores by length. An overflow is -inf, which ranks with what is dead."""
    with np.errstate(over="ignore"):
        result = scores / length ** power
    overflows = np.isinf(result) & np.isfinite(scores)
    if scores_of.GAP and overflows.any():
        raise Near
    return result


class BeamSearch:
    """Beam search; beam sampling if `choose(acc, count, row, step)` draws."""

    def __init__(self, call, score, choose=best_candidates):
        self.call, self.score, self.choose = call, score, choose
        self.o, self.torch = call.options, call.mode == "hf-pt"
        self.n = self.o.num_beams
        self.prompt, self.limit = call.prompt(), call.limit()
        self.power = np.float32(self.o.length_penalty)
        self.rows = [Beams(ids, self.n) for ids in call.ids]
        self.length = self.prompt

    def texts(self):
        while self.goes_on():
            for index, row in enumerate(self.rows):
                self.step(index, row)
            self.length += 1
            for row in self.rows:
                self.judge(row)
        made = []
        for row in self.rows:
            made += self.returned(row)
        return made

    def goes_on(self):
        if self.length >= self.limit:
            return False
        if self.length == self.prompt:
            return True
        if self.o.early_stopping == 1 and all(r.full() for r in self.rows):
            return False
        if self.torch and all(r.all_hit for r in self.rows):
            return False
        return any(r.flag if self.torch else r.improves for r in self.rows)

    def candidates(self, index, row):
        """The accumulated scores [beams, vocabulary], flat."""
        step = self.length - self.prompt
        logits = self.score([self.call.key(index, ids)
                             for _, ids in row.running])
        acc = []
        for i, ((score, ids), raw) in enumerate(zip(row.running, logits)):
            scores = scores_of.processed(
                self.o, self.call.row(index, ids),
                scores_of.log_softmax(raw), self.call.mode,
                self.call.mask(step, index * self.n + i))
            choosable(scores)
            with np.errstate(over="ignore"):
                acc.append(scores + score)
        acc = np.concatenate(acc)
        choosable(acc)
        # They rank with sequences that do not exist.
        if scores_of.GAP and acc.max() < DEAD / 2:
            raise Near
        return acc

    def step(self, index, row):
        acc = self.candidates(index, row)
        vocabulary = len(acc) // self.n
        many = max(2, 1 + len(self.o.eos_token_id)) if self.torch else 2
        drawn = self.choose(acc, min(many * self.n, len(acc)), index,
                            self.length - self.prompt)
        tokens = drawn % vocabulary
        texts = [row.running[b][1] + [int(t)]
                 for b, t in zip(drawn // vocabulary, tokens)]
        scores = acc[drawn]
        at_end = self.torch and self.length + 1 == self.limit
        hit = np.array([at_end or t in self.o.eos_token_id for t in tokens])
        self.finish(row, scores, texts, hit)
        row.all_hit = bool(hit.all())
        running = np.where(hit, scores + DEAD, scores)
        # Hits leave no trace: at the end of a row nothing runs on.
        chosen = np.argsort(-running, kind="stable")[:self.n] if hit.all() \
            else best(running, self.n)
        row.running = [(running[i], texts[i]) for i in chosen]

    def finish(self, row, scores, texts, hit):
        """Merges the hits among the first `n` with those finished before."""
        competes = hit & (np.arange(len(hit)) < self.n)
        if self.choose is best_candidates:
            self.ranks_apart(scores, hit)
        length = np.float32(self.length + 1 - self.prompt)
        scores = normalized(scores, length, self.power)
        if self.o.early_stopping == 1 and row.full() or \
                self.torch and not row.flag:
            competes[:] = False
        held = row.finished + [
            (score if c else DEAD, text if c else None)
            for score, text, c in zip(scores, texts, competes)]
        kept = best(np.array([score for score, _ in held], np.float32), self.n)
        row.finished = [held[i] for i in kept]

    def ranks_apart(self, scores, hit):
        """Rank decides which hits compete: those at its border are apart."""
        if len(scores) > self.n and (hit[self.n - 1] or hit[self.n]):
            apart(scores[self.n - 1], scores[self.n])

    def judge(self, row):
        """Computes if a running beam could still be better than the worst
        finished one."""
        never = self.o.early_stopping == generation_options.NEVER
        length = self.limit if never and self.power > 0 else self.length
        hope = normalized(row.running[0][0], np.float32(length - self.prompt),
                          self.power)
        worst = min(score for score, _ in row.finished) if row.full() else DEAD
        if worst > DEAD and hope > DEAD / 2:
            apart(max(hope, worst), min(hope, worst))
        row.improves = bool(hope > worst)
        row.flag = row.flag and row.improves

    def returned(self, row):
        """The first `num_return_sequences` texts of a row, best first."""
        texts = row.finished
        if not self.torch and all(ids is None for _, ids in texts):
            length = np.float32(self.length - self.prompt) ** self.power
            texts = [(score / length, ids) for score, ids in row.running]
        texts = texts[:self.o.num_return_sequences + 1]
        for (better, _), (worse, ids) in zip(texts, texts[1:]):
            if ids is not None:
                apart(better, worse)
        return [self.text(score, ids) for score, ids in
                texts[:self.o.num_return_sequences]]

    def text(self, score, ids):
        if ids is None:
            return Text([], float(score), NOT_FINISHED)
        return cut(ids[self.prompt:], self.o, float(score))


def texts(call, score):
    """The texts of a call without draws, in the order in which they come
    back. Contrastive search asks `score.hidden` for hidden values too."""
    if call.options.contrastive():
        return [cut(ids, call.options, total) for ids, total in
                generation_contrastive.paths(call, score)]
    if call.options.num_beams > 1:
        return BeamSearch(call, score).texts()
    return one_path(call, score)
