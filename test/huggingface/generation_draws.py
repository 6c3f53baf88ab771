"""Compares what a sampler draws with the reference's probabilities, by
chi-square tests with fixed seeds: one draw for each warper, pairs of steps,
of rows and of seeds, and beam sampling of two tokens.
"""
import collections
import itertools

import numpy as np
import torch

import generation_scores as scores_of
import generation_search as search
from generation_artifact import extents_of, play
from generation_options import Options
from generation_search import Near

# A right sampler fails a test once in a million; with fixed seeds the result
# of a sampler is always the same.
LEAST_P = 1e-6

# The bias is so great that the scores of these tokens are equal: 16, when the
# others are almost 0.
EQUAL = {"sequence_bias_ids": [[i] for i in range(3, 63, 2)],
         "sequence_bias": [2.0 ** 60] * 30, "temperature": 2.0 ** 56}

WARPERS = {
    "no warper": {},
    "temperature": {"temperature": 1.75},
    "top_k": {"top_k": 7},
    "top_p": {"top_p": 0.75},
    "min_p": {"min_p": 0.125},
    "typical_p": {"typical_p": 0.5},
    "epsilon_cutoff": {"epsilon_cutoff": 0.02},
    "eta_cutoff": {"eta_cutoff": 0.1},
    "top_k of equal scores": {**EQUAL, "top_k": 5},
    "top_p of equal scores": {**EQUAL, "top_p": 0.48},
    "typical_p of equal scores": {**EQUAL, "typical_p": 0.5},
    "top_k and top_p of equal scores": {**EQUAL, "top_k": 64, "top_p": 0.48},
    "all": {"temperature": 1.5, "top_k": 30, "top_p": 0.95, "min_p": 0.01,
            "typical_p": 0.9, "epsilon_cutoff": 0.003, "eta_cutoff": 0.003,
            "renormalize_logits": True, "repetition_penalty": 1.25},
}


def p_value(counts, expected):
    """The probability that chance alone differs as much. Outcomes with fewer
    than five expected are taken together; one that cannot happen gives 0."""
    counts, expected = np.asarray(counts), np.asarray(expected, np.float64)
    if counts[expected == 0].any():
        return 0.0
    rare = expected < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    observed, wanted = observed[wanted > 0], wanted[wanted > 0]
    if len(wanted) < 2:
        return 1.0
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    return float(torch.special.gammaincc(
        torch.tensor((len(wanted) - 1) / 2, dtype=torch.float64),
        torch.tensor(statistic / 2, dtype=torch.float64)))


def probabilities(model, call, tokens=()):
    """The probabilities of the next token of the first row after `tokens`."""
    ids = call.ids[0] + list(tokens)
    scores = scores_of.processed(call.options, call.row(0, ids),
                                 model([call.key(0, ids)])[0], call.mode)
    return scores_of.softmax(scores)


def certain_support(model, call):
    """Raises Near if the removed tokens depend on rounding."""
    kept = probabilities(model, call) > 0
    for changed in near_options(call):
        if (kept != (probabilities(model, changed) > 0)).any():
            raise Near


def near_options(call):
    """The call with thresholds of warpers that are a little different."""
    for factor in (1 - 1e-4, 1 + 1e-4):
        changes = {name: getattr(call.options, name) * factor for name in
                   ("min_p", "epsilon_cutoff", "eta_cutoff")}
        for name in ("top_p", "typical_p"):
            if getattr(call.options, name) < 1:
                changes[name] = getattr(call.options, name) * factor
        yield call._replace(options=call.options.with_(**changes))


class Sampler:
    """Draws from one artifact: rows of one prompt in one context."""

    def __init__(self, model, session, mode, rows, prompt):
        self.model, self.session, self.mode = model, session, mode
        self.rows, self.prompt = rows, prompt
        self.draw = model.draw(np.random.default_rng(2), mode)
        self.source = self.draw.source()

    def call(self, new, beams=1, **more):
        o = Options(do_sample=True, max_new_tokens=new, num_beams=beams,
                    **{"top_k": 0, **more})
        ids = [self.prompt]
        if beams == 1:
            o.num_return_sequences = self.rows
        else:
            o.num_return_sequences = beams
            ids *= self.rows // beams
        return self.draw.given(ids, [len(self.prompt)] * len(ids), o,
                               [self.source] * len(ids))

    def texts(self, call, draws):
        """At least `draws` texts of one prompt, a list for each seed."""
        made, found, seed = [], 0, 1
        while found < draws:
            options = call.options.with_(seed=seed)
            texts = play(self.session, call._replace(options=options),
                         call.options.max_new_tokens).texts
            made.append(texts)
            found += extents_of(call)["rows"] // call.options.num_beams
            seed += 1
        return made

    def warper(self, changes, draws):
        """The p-value of one token's distribution."""
        call = self.call(1, **changes)
        certain_support(self.model, call)
        wanted = probabilities(self.model, call)
        drawn = [text.ids[0] for texts in self.texts(call, draws)
                 for text in texts]
        return p_value(np.bincount(drawn, minlength=len(wanted)),
                       wanted * len(drawn))

    def pairs(self, draws):
        """The p-values of two tokens: of steps, of rows, of seeds."""
        call = self.call(2, top_k=4)
        certain_support(self.model, call)
        first = probabilities(self.model, call)
        later = {t: probabilities(self.model, call, [t])
                 for t in np.flatnonzero(first)}
        steps = {(a, b): first[a] * later[a][b]
                 for a in later for b in np.flatnonzero(later[a])}
        alone = {(a, b): first[a] * first[b] for a in later for b in later}
        seeds = self.texts(call, draws)
        tokens = np.array([[text.ids for text in texts] for texts in seeds])
        yield "steps", pair_value(tokens.reshape(-1, 2), steps)
        rows = tokens[:, :, 0]
        even = rows.shape[1] // 2 * 2
        yield "rows", pair_value(rows[:, :even].reshape(-1, 2), alone)
        even = rows.shape[0] // 2 * 2
        yield "seeds", pair_value(
            rows[:even].T.reshape(-1, 2), alone)

    def beams(self, draws):
        """The p-value of the texts of beam sampling with two beams."""
        call = self.call(2, beams=2, top_k=6, temperature=2.0)
        certain_support(self.model, call)
        wanted = beam_outcomes(self.model, call)
        drawn = collections.Counter()
        for texts in self.texts(call, draws):
            for first in range(0, len(texts), 2):
                drawn[frozenset(tuple(text.ids)
                                for text in texts[first:first + 2])] += 1
        total = sum(drawn.values())
        outcomes = sorted(set(wanted) | set(drawn), key=sorted)
        return p_value([drawn[o] for o in outcomes],
                       [wanted.get(o, 0) * total for o in outcomes])


def pair_value(pairs, wanted):
    drawn = collections.Counter(map(tuple, pairs.tolist()))
    outcomes = sorted(set(wanted) | set(drawn))
    return p_value([drawn[o] for o in outcomes],
                   [wanted.get(o, 0) * len(pairs) for o in outcomes])


def orders(weights, count):
    """The ordered draws of `count` without replacement, and the probability
    of each."""
    for order in itertools.permutations(range(len(weights)), count):
        left, probability = 1.0, 1.0
        for index in order:
            probability *= weights[index] / left
            left -= weights[index]
        yield order, probability


def beam_outcomes(model, call):
    """The probability of each set of two texts of two tokens, without eos:
    every way in which candidates are drawn at the first and at the second
    step."""
    first = probabilities(model, call)
    tokens = np.flatnonzero(first)
    log = np.log(first[tokens])
    survivors = collections.Counter()
    for order, p in orders(first[tokens], 4):
        best = sorted(order, key=lambda i: -log[i])[:2]
        survivors[tuple(sorted(best))] += p
    outcomes = collections.Counter()
    for pair, p in survivors.items():
        texts, weights = [], []
        for i in pair:
            later = beam_scores(model, call, [int(tokens[i])])
            for token in np.flatnonzero(np.isfinite(later)):
                texts.append((int(tokens[i]), int(token)))
                weights.append(beam_scores(model, call, [])[tokens[i]] +
                               later[token])
        for kept, q in last_step(np.array(weights), call.mode):
            outcomes[frozenset(texts[i] for i in kept)] += p * q
    return outcomes


def last_step(scores, mode):
    """The two candidates that become texts at the length's end: in PyTorch
    the first two drawn, in TensorFlow the best two of the four drawn."""
    weights = scores_of.softmax(scores)
    if mode == "hf-pt":
        yield from orders(weights, 2)
        return
    for order, q in orders(weights, 4):
        yield sorted(order, key=lambda i: -scores[i])[:2], q


def beam_scores(model, call, tokens):
    """The scores of beam search after `tokens`: of log-probabilities."""
    ids = call.ids[0] + tokens
    return scores_of.processed(
        call.options, call.row(0, ids),
        scores_of.log_softmax(model([call.key(0, ids)])[0]), call.mode)


class Paths:
    """Tests sampled texts of any options: where each token lies in the
    distribution that its row had. The places are uniform."""

    def __init__(self):
        self.places, self.strange = [], []
        self.random = np.random.default_rng(3)

    def add(self, model, call, texts):
        times = call.options.num_return_sequences
        for r, text in enumerate(texts):
            for step, token in enumerate(text.ids):
                ids = call.ids[r // times] + text.ids[:step]
                row = call.row(r // times, ids)
                logits = model([call.key(r // times, ids)])[0]
                try:
                    possible = self.place(call, row, logits,
                                          call.mask(step, r), token)
                except Near:
                    continue  # a rule of timestamps is not certain
                if not possible:
                    self.strange.append((call.options, r, step, token))

    def place(self, call, row, logits, mask, token):
        """False if the token cannot be drawn, also if all numbers are a little
        different. Certain tokens say nothing about a distribution."""
        def p_of(options):
            return scores_of.softmax(scores_of.processed(
                options, row, logits, call.mode, mask))
        p = p_of(call.options)
        if p[token] == 0:
            return any(p_of(near.options)[token] > 0
                       for near in near_options(call))
        if p[token] < 1:
            self.places.append(p[:token].sum() +
                               self.random.random() * p[token])
        return True

    def p_value(self, bins=20):
        counts, _ = np.histogram(self.places, bins, (0, 1))
        return p_value(counts, np.full(bins, len(self.places) / bins))
