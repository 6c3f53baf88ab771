"""The scores of the next token: processors and warpers in the order of
Transformers' PyTorch code, for one row at a time.

A removed score is -inf. Scores are float32, as in Transformers; sums over the
vocabulary are made in float64.
"""
from typing import NamedTuple

import numpy as np

GAP = 1e-4
GONE = np.float32(-np.inf)
LARGEST = np.finfo(np.float32).max


class Near(Exception):
    """Two scores are too near, or a row has no token that can be chosen."""


def apart(better, worse):
    """Raises Near if the order of the two is not certain."""
    # Scores of -1e9, also divided by a length, absorb what is added to them.
    if better == worse and better < -1e5:
        return
    if better - worse < GAP * max(1.0, abs(better)):
        raise Near


class Row(NamedTuple):
    """The ids of a row, with its pads, and facts about its call."""
    ids: list
    prompt: int  # how many ids the prompt has
    limit: int   # at so many ids the row ends
    source: list = None      # the ids that an encoder reads
    special: object = None   # Whisper's tokens

    def source_ids(self):
        """What `encoder_` processors look at."""
        return list(self.ids[:self.prompt] if self.source is None
                    else self.source)


def log_softmax(scores):
    wide = np.asarray(scores, np.float64)
    shifted = wide - wide.max()
    return (shifted - np.log(np.exp(shifted).sum())).astype(np.float32)


def softmax(scores):
    """Probabilities in float64."""
    wide = np.asarray(scores, np.float64)
    powers = np.exp(wide - wide.max())
    return powers / powers.sum()


def penalized(scores, ids, penalty):
    ids = sorted(set(ids))
    old = scores[ids]
    penalty = np.float32(penalty)
    scores[ids] = np.where(old > 0, old / penalty, old * penalty)
    return scores


def sequence_bias(options, row, scores, mode):
    total = np.zeros_like(scores)
    for entry, bias in zip(options.sequence_bias_ids, options.sequence_bias):
        if continues(entry, row.ids):
            total[entry[-1]] += np.float32(bias)
    return scores + total


def continues(entry, ids):
    """True if the last id of `entry` would complete it after `ids`."""
    if len(entry) == 1:
        return True
    return len(ids) >= len(entry) and ids[-len(entry) + 1:] == entry[:-1]


def encoder_repetition(options, row, scores, mode):
    return penalized(scores, row.source_ids(),
                     1 / options.encoder_repetition_penalty)


def repetition(options, row, scores, mode):
    return penalized(scores, row.ids, options.repetition_penalty)


def ban_ngrams(scores, size, among, ids):
    """Removes the tokens that would repeat `size` ids of `among`."""
    if size == 0 or len(ids) + 1 < size:
        return scores
    last = ids[len(ids) - size + 1:]
    for start in range(len(among) - size + 1):
        if among[start:start + size - 1] == last:
            scores[among[start + size - 1]] = GONE
    return scores


def no_repeat_ngram(options, row, scores, mode):
    return ban_ngrams(scores, options.no_repeat_ngram_size, row.ids, row.ids)


def encoder_no_repeat_ngram(options, row, scores, mode):
    return ban_ngrams(scores, options.encoder_no_repeat_ngram_size,
                      row.source_ids(), row.ids)


def bad_words(options, row, scores, mode):
    for entry in options.bad_words_ids:
        ends = len(entry) == 1 and entry[0] in options.eos_token_id
        if not (ends and mode == "hf-pt") and continues(entry, row.ids):
            scores[entry[-1]] = GONE
    return scores


def least_length(options, row, scores, mode):
    made = len(row.ids) - row.prompt
    if len(row.ids) < options.min_length or made < options.min_new_tokens:
        scores[options.eos_token_id] = GONE
    return scores


def forced(scores, tokens):
    scores[:] = GONE
    scores[tokens] = 0
    return scores


def forced_bos(options, row, scores, mode):
    if options.forced_bos_token_id >= 0 and len(row.ids) == 1:
        return forced(scores, [options.forced_bos_token_id])
    return scores


def forced_eos(options, row, scores, mode):
    if options.forced_eos_token_id and len(row.ids) == row.limit - 1:
        return forced(scores, options.forced_eos_token_id)
    return scores


def remove_invalid(options, row, scores, mode):
    if not options.remove_invalid_values:
        return scores
    return np.nan_to_num(scores, nan=0, posinf=LARGEST, neginf=-LARGEST)


def exponential_decay(options, row, scores, mode):
    start = options.exponential_decay_start
    over = len(row.ids) - row.prompt - start
    if start >= 0 and over > 0:
        eos = options.eos_token_id
        growth = options.exponential_decay_factor ** over - 1
        scores[eos] += np.abs(scores[eos]) * np.float32(growth)
    return scores


def suppress(options, row, scores, mode):
    scores[options.suppress_tokens] = GONE
    return scores


def begin_suppress(options, row, scores, mode):
    after_bos = row.prompt == 1 and options.forced_bos_token_id >= 0
    if len(row.ids) == row.prompt + after_bos:
        scores[options.begin_suppress_tokens] = GONE
    return scores


BEFORE_ALLOWED = (sequence_bias, encoder_repetition, repetition,
                  no_repeat_ngram, encoder_no_repeat_ngram, bad_words,
                  least_length)
AFTER_ALLOWED = (forced_bos, forced_eos, remove_invalid, exponential_decay)
AFTER_DECAY = (suppress, begin_suppress)


def temperature(options, scores, least):
    return scores / np.float32(options.temperature)


def top_k(options, scores, least):
    if options.top_k == 0:
        return scores
    kept = min(max(options.top_k, least), len(scores))
    return np.where(scores < np.sort(scores)[-kept], GONE, scores)


def descending(scores):
    return np.argsort(-scores, kind="stable")


def removed(scores, tokens):
    scores = scores.copy()
    scores[tokens] = GONE
    return scores


def top_p(options, scores, least):
    """Keeps a token while the sum of the better ones is below top_p."""
    if options.top_p >= 1:
        return scores
    order = descending(scores)
    better = np.cumsum(softmax(scores)[order]) - softmax(scores)[order]
    kept = max(least, int((better < options.top_p).sum()))
    return removed(scores, order[kept:])


def below(scores, threshold, least):
    """Removes probabilities below `threshold`, but none of the `least` best."""
    low = softmax(scores) < threshold
    low[descending(scores)[:least]] = False
    return removed(scores, low)


def min_p(options, scores, least):
    return below(scores, options.min_p * softmax(scores).max(), least)


def surprise(scores):
    """The negated log-probabilities, and their mean, the entropy."""
    p = softmax(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.log(p)
        entropy = -np.nansum(p * n)
    return -n, entropy


def typical_p(options, scores, least):
    if options.typical_p >= 1:
        return scores
    surprises, entropy = surprise(scores)
    distance = np.abs(surprises - entropy)
    order = np.argsort(distance, kind="stable")
    sums = np.cumsum(softmax(scores)[order])
    last = min(int((sums < options.typical_p).sum()), len(scores) - 1)
    far = distance > distance[order[last]]
    far[order[:least]] = False
    return removed(scores, far)


def epsilon_cutoff(options, scores, least):
    return below(scores, options.epsilon_cutoff, least)


def eta_cutoff(options, scores, least):
    if options.eta_cutoff == 0:
        return scores
    _, entropy = surprise(scores)
    epsilon = options.eta_cutoff
    return below(scores, min(epsilon, np.sqrt(epsilon) * np.exp(-entropy)),
                 least)


WARPERS = (temperature, top_k, top_p, min_p, typical_p, epsilon_cutoff,
           eta_cutoff)


def kept_at_least(options):
    """How many tokens no warper removes."""
    if options.num_beams == 1:
        return 1
    return max(1, len(options.eos_token_id)) + 1


def processed(options, row, scores, mode, allowed=None):
    """The scores that choose the next token. `scores` are logits, or their
    log_softmax under beam search; `allowed` is a mask of the vocabulary."""
    scores = np.array(scores, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for step in BEFORE_ALLOWED:
            scores = step(options, row, scores, mode)
        if allowed is not None:
            scores = np.where(allowed, scores, GONE)
        for step in AFTER_ALLOWED:
            scores = step(options, row, scores, mode)
        for step in row.special.processors() if row.special else AFTER_DECAY:
            scores = step(options, row, scores, mode)
        if options.do_sample:
            for warp in WARPERS:
                scores = warp(options, scores, kept_at_least(options))
        if options.renormalize_logits:
            scores = log_softmax(scores)
    return scores
