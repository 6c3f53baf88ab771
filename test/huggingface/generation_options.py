"""The options of one call of text generation: their defaults, their ranges and
the number of ids that they allow.

The defaults are those of a checkpoint without generation_config.json.
`arguments` has the options in the form in which an artifact's `start` takes
them.
"""
import dataclasses
from dataclasses import dataclass, field

import numpy as np

MODES = ("hf-pt", "hf-tf")
NEVER = 2  # early_stopping: 0 false, 1 true, 2 "never"


class Refused(Exception):
    """An option out of its range; `option` is its name."""

    def __init__(self, option, reason):
        super().__init__(f"{option}: {reason}")
        self.option = option


@dataclass
class Options:
    max_new_tokens: int = -1
    max_length: int = -1
    min_length: int = 0
    min_new_tokens: int = 0
    num_beams: int = 1
    num_return_sequences: int = 1
    top_k: int = 50
    no_repeat_ngram_size: int = 0
    encoder_no_repeat_ngram_size: int = 0
    early_stopping: int = 0
    forced_bos_token_id: int = -1
    exponential_decay_start: int = -1
    pad_token_id: int = 0
    seed: int = 0
    do_sample: bool = False
    renormalize_logits: bool = False
    output_scores: bool = False
    remove_invalid_values: bool = False
    temperature: float = 1.0
    top_p: float = 1.0
    min_p: float = 0.0
    typical_p: float = 1.0
    epsilon_cutoff: float = 0.0
    eta_cutoff: float = 0.0
    repetition_penalty: float = 1.0
    encoder_repetition_penalty: float = 1.0
    length_penalty: float = 1.0
    exponential_decay_factor: float = 1.0
    penalty_alpha: float = 0.0
    # Whisper's
    timestamps: bool = False
    max_initial_timestamp_index: int = -1
    eos_token_id: list = field(default_factory=list)
    suppress_tokens: list = field(default_factory=list)
    begin_suppress_tokens: list = field(default_factory=list)
    forced_eos_token_id: list = field(default_factory=list)
    # Entries are lists of ids; a bias has a number beside its ids.
    bad_words_ids: list = field(default_factory=list)
    sequence_bias_ids: list = field(default_factory=list)
    sequence_bias: list = field(default_factory=list)

    def __str__(self):
        """Only what is not the default."""
        plain = Options()
        return ", ".join(f"{item.name} {getattr(self, item.name)}"
                         for item in dataclasses.fields(Options)
                         if getattr(self, item.name) !=
                         getattr(plain, item.name))

    def contrastive(self):
        """True for contrastive search, for which beams do not count."""
        return not self.do_sample and self.top_k > 1 and self.penalty_alpha > 0

    def searches(self):
        return self.num_beams > 1 and not self.contrastive()

    def rows(self):
        """Rows of the model for each prompt."""
        if self.contrastive():
            return self.top_k
        return max(self.num_beams, self.num_return_sequences)

    def with_(self, **changes):
        return dataclasses.replace(self, **changes)


INTERVALS = {
    # name: least, most, whether the least and the most are allowed
    "num_beams": (1, 64, True, True),
    "num_return_sequences": (1, np.inf, True, True),
    "top_k": (0, np.inf, True, True),
    "no_repeat_ngram_size": (0, np.inf, True, True),
    "encoder_no_repeat_ngram_size": (0, np.inf, True, True),
    "early_stopping": (0, NEVER, True, True),
    "temperature": (0, np.inf, False, False),
    "top_p": (0, 1, True, True),
    "min_p": (0, 1, True, True),
    "typical_p": (0, 1, False, True),
    "penalty_alpha": (0, 1, True, True),
    "repetition_penalty": (0, np.inf, False, False),
    "encoder_repetition_penalty": (0, np.inf, False, False),
}


def from_config(config):
    """The options that generation_config.json sets."""
    o = Options()
    known = {item.name for item in dataclasses.fields(Options)}
    for name, value in config.items():
        if name == "exponential_decay_length_penalty":
            o.exponential_decay_start, o.exponential_decay_factor = value
        elif name == "sequence_bias":
            o.sequence_bias_ids = [ids for ids, _ in value]
            o.sequence_bias = [bias for _, bias in value]
        elif name == "early_stopping":
            o.early_stopping = NEVER if value == "never" else int(value)
        elif name in known:
            is_list = isinstance(getattr(o, name), list)
            setattr(o, name, [value] if is_list and isinstance(value, int)
                    else value)
    if "pad_token_id" not in config and o.eos_token_id:
        o.pad_token_id = o.eos_token_id[0]
    return o


def check(options, prompt, positions, mode):
    """Raises Refused if an option is out of its range."""
    for name, (low, high, with_low, with_high) in INTERVALS.items():
        value = getattr(options, name)
        inside = (value > low or with_low and value == low) and \
            (value < high or with_high and value == high)
        if not inside:
            raise Refused(name, f"{value} is out of range")
    if mode == "hf-tf" and options.max_new_tokens >= 0 and \
            options.max_length >= 0:
        raise Refused("max_length", "given beside max_new_tokens")
    if options.min_length > length_limit(options, prompt, positions, mode):
        raise Refused("min_length", "greater than max_length")
    beams, returned = options.num_beams, options.num_return_sequences
    if options.searches() and returned > beams or \
            not options.searches() and returned > 1 and not options.do_sample:
        raise Refused("num_return_sequences", "more than are found")


def length_limit(options, prompt, positions, mode):
    """The number of ids, with the prompt's, at which a row ends. `prompt` is
    the number of the prompt's ids with its pads."""
    if options.max_new_tokens >= 0:
        return prompt + options.max_new_tokens
    if options.max_length >= 0:
        return options.max_length
    return 20 if mode == "hf-tf" else min(prompt + 20, positions)


def words(entries):
    """Lists of ids as a matrix, with -1 before shorter ones."""
    longest = max((len(entry) for entry in entries), default=1)
    made = np.full((len(entries), longest), -1, np.int64)
    for row, entry in zip(made, entries):
        row[longest - len(entry):] = entry
    return made


# Options for which checkpoints have defaults of their own.
NAMED = ("eos_token_id", "pad_token_id", "suppress_tokens",
         "begin_suppress_tokens", "timestamps", "max_initial_timestamp_index")


def arguments(options, known, every=False):
    """The options that differ from their defaults, or all, as arrays. `known`
    has the names of those that the artifact has."""
    plain, made = Options(), {}
    for item in dataclasses.fields(Options):
        value = getattr(options, item.name)
        if value == getattr(plain, item.name) and (
                not every and item.name not in NAMED or
                item.name not in known):
            continue
        if item.name in ("bad_words_ids", "sequence_bias_ids"):
            made[item.name] = words(value)
        else:
            kind = {int: np.int64, bool: np.bool_, float: np.float32}.get(
                item.type, np.float32 if item.name == "sequence_bias" else
                np.int64)
            made[item.name] = np.array(value, kind)
    return made
