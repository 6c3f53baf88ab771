"""Counts the calls whose texts were compared, by the family of the model, and
checks that each option of processors was set in calls of each strategy, rare
ones in calls of each family.
"""
import collections

import write_checkpoints
from generation_options import Options

PROCESSORS = (
    "repetition_penalty", "encoder_repetition_penalty", "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size", "bad_words_ids", "sequence_bias_ids",
    "suppress_tokens", "begin_suppress_tokens", "forced_bos_token_id",
    "renormalize_logits", "remove_invalid_values", "min_length",
    "min_new_tokens")
# Drawn only beside few others, or often drawn anew: some calls of each family
# have them.
RARE = ("exponential_decay_start", "forced_eos_token_id")
# Fewer calls may miss an option by chance.
ENOUGH = 36
PLAIN = Options()


def family_of(name):
    if name in write_checkpoints.T5:
        return "T5"
    return "Whisper" if name in write_checkpoints.WHISPER else "decoders"


class Counts:
    def __init__(self):
        self.texts = collections.Counter()
        self.calls = collections.defaultdict(collections.Counter)
        self.options = collections.defaultdict(collections.Counter)

    def add(self, family, strategy, call, texts):
        self.texts[family] += texts
        self.calls[family][strategy] += 1
        self.options[family, strategy].update(
            name for name in (*PROCESSORS, *RARE)
            if getattr(call.options, name) != getattr(PLAIN, name))

    def check(self, that):
        for (family, strategy), found in self.options.items():
            if strategy != "rules" and \
                    self.calls[family][strategy] >= ENOUGH:
                missing = [name for name in PROCESSORS if not found[name]]
                that(not missing, f"{family}, {strategy}: no call has "
                     f"{', '.join(missing)}")
        for family in self.calls:
            some = sum((found for (of, _), found in self.options.items()
                        if of == family), collections.Counter())
            missing = [name for name in RARE if not some[name]]
            that(not missing, f"{family}: no call has {', '.join(missing)}")

    def report(self):
        for family, calls in self.calls.items():
            parts = ", ".join(f"{strategy} {count}"
                              for strategy, count in calls.items())
            print(f"{family}: {sum(calls.values())} calls with "
                  f"{self.texts[family]} texts compared ({parts})")
