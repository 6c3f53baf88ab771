"""What a rule of Whisper decides: suppressed tokens, and each branch of the rules
of timestamps. In greedy search it decides a token if another one would be the
best without it; in beam search a text if the search without it finds another.

Cases are drawn until each rule has decided `wanted` tokens or texts that are
compared, so that none can be wrong unseen.
"""
import collections

import generation_scores as scores_of
import generation_timestamps as timestamps
from generation_cases import exact
from generation_search import Near

RULES = {rule.__name__: rule for rule in timestamps.RULES}
# Beams whose scores are all the least number have no certain text.
NAMES = {"greedy": ("begin_suppress", "suppress", *RULES, "sum_of_least"),
         "beams": ("begin_suppress", "suppress", *RULES)}
SUPPRESSED = {"begin_suppress": "begin_suppress_tokens",
              "suppress": "suppress_tokens"}


class Decided:
    """How many tokens of the texts of one call each rule decides."""

    def __init__(self, model, call, texts):
        self.model, self.call = model, call
        self.count = collections.Counter()
        for r, text in enumerate(texts):
            for step, token in enumerate(text.ids):
                self.token(r, text.ids[:step], token)

    def scores(self, r, ids, **changes):
        """The scores before the rules of timestamps."""
        call = self.call
        o = call.options.with_(timestamps=False, renormalize_logits=False,
                               **changes)
        ids = call.ids[r] + ids
        return scores_of.processed(o, call.row(r, ids),
                                   self.model([call.key(r, ids)])[0],
                                   call.mode, call.mask(
                                       len(ids) - call.prompt(), r))

    def token(self, r, ids, token):
        o, row = self.call.options, self.call.row(r, self.call.ids[r] + ids)
        scores = self.scores(r, ids)
        try:
            for name, option in SUPPRESSED.items():
                freer = timestamps.timestamps(
                    o, row, self.scores(r, ids, **{option: []}))
                self.count[name] += int(freer.argmax()) != token
            rules = [rule.__name__
                     for rule in timestamps.deciding(o, row, scores)]
        except Near:
            return  # only without a rule
        self.count.update(rules)
        if scores.max() == -scores_of.LARGEST:
            self.count["sum_of_least"] += "sum_of_marks" in rules


def decided_tokens(model, call, texts):
    return Decided(model, call, texts).count


def without(call, name):
    """The call without a rule."""
    if name in SUPPRESSED:
        return call._replace(
            options=call.options.with_(**{SUPPRESSED[name]: []}))
    return call._replace(special=call.special._replace(without=RULES[name]))


def decided_texts(model, call, texts):
    """How many texts of a beam search each rule decides."""
    count = collections.Counter()
    for name in NAMES["beams"]:
        if name in RULES and not call.options.timestamps:
            continue
        try:
            others = model.texts(without(call, name))
        except Near:
            continue  # only without the rule
        count[name] = sum(text.ids != other.ids
                          for text, other in zip(texts, others))
    return count


def first_suppressed(model, call, texts):
    """The call with another first token."""
    o = call.options
    return call._replace(options=o.with_(
        begin_suppress_tokens=o.begin_suppress_tokens + texts[0].ids[:1]))


def forced_then_suppressed(model, call, texts):
    """The call with a last token that is forced, and then suppressed: all
    scores that are left are the least number, and sums decide."""
    o = call.options
    token = [t for t in o.suppress_tokens if t < model.special.end][:1]
    return call._replace(options=o.with_(
        forced_eos_token_id=token, remove_invalid_values=bool(token),
        exponential_decay_start=-1))


def drawn(model, random, strategy):
    """A call and its certain texts, some of a made call."""
    call, texts, _ = exact(model, random, "hf-pt", strategy, most_batch=2)
    forced = forced_then_suppressed if strategy == "greedy" else None
    make = (first_suppressed, forced, *[None] * 6)[random.integers(8)]
    if make:
        call = make(model, call, texts)
        try:
            texts = model.texts(call)
        except Near:
            return drawn(model, random, strategy)
    return call, texts


def cases(model, random, strategy, wanted):
    """Yields calls, their texts, and how many tokens or texts each rule
    decides. A call comes only if a rule decides something in it that has not
    decided enough."""
    decided = decided_tokens if strategy == "greedy" else decided_texts
    seen = collections.Counter()
    for _ in range(1000):
        lacking = [name for name in NAMES[strategy] if seen[name] < wanted]
        if not lacking:
            return
        call, texts = drawn(model, random, strategy)
        found = decided(model, call, texts)
        if any(found[name] for name in lacking):
            seen.update(found)
            yield call, texts, found
    raise AssertionError(f"rules that decide nothing: {lacking}")
