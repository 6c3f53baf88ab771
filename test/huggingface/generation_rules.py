"""Whisper's timestamp rules: greedy texts in which each rule decides a token.

Cases are drawn until each rule has decided `wanted` tokens of texts that are
compared, so that none can be wrong unseen.
"""
import collections

import generation_scores as scores_of
import generation_timestamps as timestamps
from generation_cases import exact


def decided(model, call, texts):
    """How many tokens of the texts each rule decides."""
    found = collections.Counter()
    o = call.options.with_(timestamps=False, renormalize_logits=False)
    for r, text in enumerate(texts):
        for step in range(len(text.ids)):
            ids = call.ids[r] + text.ids[:step]
            row = call.row(r, ids)
            scores = scores_of.processed(o, row, model([call.key(r, ids)])[0],
                                         call.mode, call.mask(step, r))
            try:
                rules = timestamps.deciding(call.options, row, scores)
            except scores_of.Near:
                continue  # only without a rule
            found.update(rule.__name__ for rule in rules)
    return found


def cases(model, random, wanted):
    """Yields calls and their texts. A call comes only if a rule decides one of
    its tokens that has not decided enough of them."""
    seen = collections.Counter()
    for _ in range(1000):
        lacking = [rule.__name__ for rule in timestamps.RULES
                   if seen[rule.__name__] < wanted]
        if not lacking:
            return
        call, texts, _ = exact(model, random, "hf-pt", "greedy", most_batch=2)
        if not call.options.timestamps:
            continue
        found = decided(model, call, texts)
        if any(found[name] for name in lacking):
            seen.update(found)
            yield call, texts
    raise AssertionError(f"rules that decide nothing: {lacking}")
