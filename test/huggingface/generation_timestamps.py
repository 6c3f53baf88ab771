"""The scores of Whisper's tokens: suppressed ones and the rules of timestamps,
in the order of Transformers' PyTorch code.

`RULES` are the branches of the timestamp rules. `deciding` tells which of them
decide a row's best token, so that cases can be drawn for each.
"""
import json
import os
from typing import NamedTuple

import numpy as np

from generation_scores import GONE, apart, log_softmax


class SpecialTokens(NamedTuple):
    """The ids that generation_config.json or config.json gives."""
    end: int
    start: int
    no_timestamps: int
    languages: dict
    tasks: dict
    previous: int         # begins a prompt
    multilingual: bool
    forced: list          # pairs of a position and a token or None
    suppressed: list
    begin_suppressed: list
    max_initial: int = None
    without: object = None  # a rule of timestamps that is left out

    def first_timestamp(self):
        return self.no_timestamps + 1

    def no_speech(self):
        return self.no_timestamps - 1

    def processors(self):
        """These stand in the place of the two that other models have."""
        return suppress, rules


def special_tokens(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    path = os.path.join(folder, "generation_config.json")
    given = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            given = json.load(f)

    def get(name, default=None):
        value = given.get(name, config.get(name))
        return default if value is None else value
    forced = given.get("forced_decoder_ids")
    if forced is None:
        forced = config.get("forced_decoder_ids") or []
    suppressed = get("suppress_tokens", [])
    previous = get("prev_sot_token_id")
    if previous is None and len(suppressed) > 1:
        previous = suppressed[-2]
    return SpecialTokens(
        get("eos_token_id"), get("decoder_start_token_id"),
        get("no_timestamps_token_id"), get("lang_to_id", {}),
        get("task_to_id", {}), previous, get("is_multilingual", True), forced,
        suppressed, get("begin_suppress_tokens", []),
        get("max_initial_timestamp_index"))


class At:
    """What the rules see of a row."""

    def __init__(self, options, row):
        self.special = row.special
        self.first = row.special.first_timestamp()
        self.made = row.ids[row.prompt:]
        self.marks = [t for t in self.made if t >= self.first]
        self.last = bool(self.made) and self.made[-1] >= self.first
        # One timestamp alone counts as the second of a pair.
        self.pair = self.last and (len(self.made) < 2 or
                                   self.made[-2] >= self.first)
        self.max_initial = options.max_initial_timestamp_index


def without_mark(at, scores):
    scores[at.special.no_timestamps] = GONE
    return scores


def after_pair(at, scores):
    if at.pair:
        scores[at.first:] = GONE
    return scores


def after_single(at, scores):
    if at.last and not at.pair:
        scores[:at.special.end] = GONE
    return scores


def in_order(at, scores):
    if at.marks:
        scores[at.first:at.marks[-1]] = GONE
    return scores


def not_again(at, scores):
    if at.marks and not (at.last and not at.pair):
        scores[at.marks[-1]] = GONE
    return scores


def first_is_mark(at, scores):
    if not at.made:
        scores[:at.first] = GONE
    return scores


def first_is_early(at, scores):
    if not at.made and at.max_initial >= 0:
        scores[at.first + at.max_initial + 1:] = GONE
    return scores


def sum_of_marks(at, scores):
    """Timestamps, if they are likelier together than the best text token."""
    logs = log_softmax(scores).astype(np.float64)
    with np.errstate(divide="ignore"):
        marks = np.log(np.exp(logs[at.first:]).sum())
    text = logs[:at.first].max()
    if np.isfinite(marks) and np.isfinite(text):
        apart(max(marks, text), min(marks, text))
    if marks > text:
        scores[:at.first] = GONE
    return scores


RULES = (without_mark, after_pair, after_single, in_order, not_again,
         first_is_mark, first_is_early, sum_of_marks)


def timestamps(options, row, scores, without=None):
    if not options.timestamps:
        return scores
    at = At(options, row)
    scores = scores.copy()
    for rule in RULES:
        if rule is not without:
            scores = rule(at, scores)
    return scores


def suppress(options, row, scores, mode):
    """`begin_suppress_tokens` at the first new token, always."""
    if len(row.ids) == row.prompt:
        scores[options.begin_suppress_tokens] = GONE
    scores[options.suppress_tokens] = GONE
    return scores


def rules(options, row, scores, mode):
    return timestamps(options, row, scores, row.special.without)


def deciding(options, row, scores):
    """The rules without which another token would be the best one of these
    scores."""
    best = int(np.argmax(timestamps(options, row, scores)))
    return [rule for rule in RULES if int(np.argmax(
        timestamps(options, row, scores, rule))) != best]
