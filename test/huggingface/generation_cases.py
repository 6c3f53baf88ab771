"""Draws calls of text generation: prompts, pads, options and ends, the same
ones for a seed.

`exact` draws calls whose text is certain, with the text that PyTorch's model
has; a call in which two scores are too near each other is drawn anew.
"""
import numpy as np

import reference_logmel as logmel
from generation_inputs import EncoderIds, Sound
from generation_options import NEVER, Options, length_limit
from generation_search import AN_EOS, Call, Near

MOST_PADS = 7
LONGEST_SOURCE = 140  # tokens: beyond the last border of position biases
# Tokens of a prompt or source that have most ids: n-grams of size one that must
# not come again would leave no token.
LONG = 30


class Draw:
    """Draws parts of a call for a model."""

    def __init__(self, random, model, mode):
        self.random, self.mode, self.model = random, mode, model
        self.vocabulary, self.positions = model.vocabulary, model.positions

    def walks(self):
        """The prompts' width and the number of steps of calls whose logits
        are compared."""
        return (13, 8), (1, 4), (self.positions - 3, 3)

    def source(self):
        """What an encoder reads, for models that have one."""

    def given(self, ids, lengths, options, sources=None):
        """A call with these prompts, and with all else that it needs; it is
        drawn if there are no `sources`."""
        return Call(ids, lengths, options, self.mode, self.positions)

    def chance(self, probability):
        return self.random.random() < probability

    def one(self, *choices):
        return choices[self.random.integers(len(choices))]

    def number(self, low, high):
        """A number rounded to float32, which the artifact takes."""
        return float(np.float32(self.random.uniform(low, high)))

    def ids(self, least, most):
        count = self.random.integers(least, most + 1)
        return self.random.integers(0, self.vocabulary, count).tolist()

    def prompts(self, batch, longest):
        """Rows of ids with 0 to 7 pads; some rows repeat themselves, so that
        n-grams occur again."""
        width = int(self.random.integers(1, longest + 1))
        rows, lengths = [], []
        pad = int(self.random.integers(self.vocabulary))
        for _ in range(batch):
            pads = int(self.random.integers(0, min(MOST_PADS, width - 1) + 1))
            tokens = self.ids(width - pads, width - pads)
            if self.chance(0.4) and len(tokens) > 6:
                part = tokens[:3]
                tokens = (part * len(tokens))[:len(tokens)]
            rows.append([pad] * pads + tokens)
            lengths.append(width - pads)
        return rows, lengths, pad

    def words(self, ids):
        """Entries of one to four ids, some of which continue the prompts."""
        made = []
        for _ in range(self.random.integers(1, 5)):
            entry = self.ids(1, 4)
            row = self.one(*ids)
            if self.chance(0.5) and len(row) >= len(entry):
                entry = row[len(row) - len(entry) + 1:] + entry[:1]
            made.append([int(token) for token in entry])
        return made

    def processors(self, o, ids):
        """Sets some options of processors, each by chance."""
        def sometimes():
            return self.chance(0.22)
        if sometimes():
            o.repetition_penalty = self.number(0.6, 2)
        if sometimes():
            o.encoder_repetition_penalty = self.number(0.6, 1.8)
        least = 1 if len(ids[0]) < LONG else 2
        if sometimes():
            o.no_repeat_ngram_size = int(self.random.integers(least, 5))
        if sometimes():
            o.encoder_no_repeat_ngram_size = int(
                self.random.integers(least, 5))
        if sometimes():
            o.bad_words_ids = self.words(ids)
        if sometimes():
            o.sequence_bias_ids = self.words(ids)
            o.sequence_bias = [self.number(-4, 4) for _ in o.sequence_bias_ids]
        if sometimes():
            o.suppress_tokens = self.ids(1, 6)
        if sometimes():
            o.begin_suppress_tokens = self.ids(1, 20)
        if sometimes():
            o.forced_bos_token_id = int(self.random.integers(self.vocabulary))
        if sometimes():
            o.renormalize_logits = True
        if sometimes():
            o.remove_invalid_values = True

    def ends(self, o, prompt, most_new):
        """Sets the options of the length."""
        room = min(most_new, self.positions - prompt)
        new = int(self.random.integers(1, room + 1))
        if self.chance(0.12):
            new = room
        kind = self.random.integers(8)
        if kind < 4:
            o.max_new_tokens = new
        elif kind < 7 or prompt >= 20 and self.mode == "hf-tf":
            o.max_length = prompt + new
        elif kind == 7 and self.mode == "hf-pt":
            o.max_new_tokens, o.max_length = new, prompt + new + 3
        if self.chance(0.2):
            o.forced_eos_token_id = sorted(set(self.ids(1, 2)))
        made = length_limit(o, prompt, self.positions, self.mode) - prompt
        if self.chance(0.2):
            o.min_length = prompt + int(self.random.integers(0, made + 1))
        if self.chance(0.2):
            o.min_new_tokens = int(self.random.integers(0, made + 1))
        if self.chance(0.3) and not removes_before_decay(o):
            o.exponential_decay_start = int(self.random.integers(0, made + 1))
            o.exponential_decay_factor = self.number(1, 1.5)

    def beams(self, o):
        o.num_beams = int(self.random.integers(2, 5))
        o.num_return_sequences = int(self.random.integers(1, o.num_beams + 1))
        o.early_stopping = self.one(0, 1, NEVER)
        o.length_penalty = self.one(1.0, 1.0, 0.0, 2.0, 0.5, -0.5,
                                    self.number(-1, 3))

    def warpers(self, o):
        """Sets options that sampling has; some leave all tokens."""
        o.do_sample = True
        if self.chance(0.6):
            o.temperature = self.number(0.3, 2.5)
        o.top_k = self.one(50, 0, 1, 3, 10, self.vocabulary + 5)
        if self.chance(0.4):
            o.top_p = self.number(0.2, 0.98)
        if self.chance(0.3):
            o.min_p = self.number(0.01, 0.4)
        if self.chance(0.3):
            o.typical_p = self.number(0.2, 0.95)
        if self.chance(0.3):
            o.epsilon_cutoff = self.number(0.001, 0.05)
        if self.chance(0.3):
            o.eta_cutoff = self.number(0.001, 0.2)

    def call(self, strategy, most_batch=4, longest=24, most_new=24):
        """A call without ids that end a text."""
        batch = int(self.random.integers(1, most_batch + 1))
        longest = min(longest, self.positions - 1)
        ids, lengths, pad = self.prompts(batch, longest)
        o = Options(pad_token_id=pad, seed=int(self.random.integers(1 << 40)))
        self.processors(o, ids)
        self.ends(o, len(ids[0]), most_new)
        forced = {o.forced_bos_token_id, *o.forced_eos_token_id}
        o.suppress_tokens = [t for t in o.suppress_tokens if t not in forced]
        o.begin_suppress_tokens = [t for t in o.begin_suppress_tokens
                                   if t not in forced]
        if strategy in ("beams", "beam sampling"):
            self.beams(o)
        if strategy in ("sampling", "beam sampling"):
            self.warpers(o)
        if strategy == "one token":
            o.do_sample, o.top_k = True, 1
        if strategy == "contrastive":
            o.penalty_alpha = self.number(0.05, 0.95)
            o.top_k = int(self.random.integers(2, 7))
            o.num_beams = self.one(1, 1, 3)
        o.output_scores = self.chance(0.3)
        return self.given(ids, lengths, o)

    def masks(self, call):
        """Masks of allowed tokens for some steps of a call."""
        beams = call.options.num_beams if call.options.searches() else 1
        rows = len(call.ids) * beams
        made = []
        for _ in range(call.limit() - call.prompt()):
            mask = self.random.random((rows, self.vocabulary)) < 0.4
            mask[:, self.random.integers(0, self.vocabulary, 8)] = True
            made.append(mask if self.chance(0.7) else None)
        return call._replace(allowed=tuple(made))

    def with_eos(self, call, texts):
        """The call with ids that end a text, taken from its text without
        them or at random."""
        tokens = sorted({token for text in texts for token in text.ids})
        eos = set(self.ids(0, 2))
        for _ in range(self.random.integers(1, 3)):
            eos.add(int(self.one(*tokens)))
        o = call.options.with_(eos_token_id=sorted(eos))
        if call.mode == "hf-tf":
            # PyTorch's form only says that a word of one eos is dropped.
            o.bad_words_ids = [entry for entry in o.bad_words_ids
                               if len(entry) > 1 or entry[0] not in eos]
        elif o.bad_words_ids and self.chance(0.3):
            o.bad_words_ids = o.bad_words_ids + [[o.eos_token_id[0]]]
        return call._replace(options=o)


class EncodedDraw(Draw):
    """Draws for models with an encoder."""

    def walks(self):
        return *super().walks(), (1, self.positions - 2)

    def given(self, ids, lengths, options, sources=None):
        call = super().given(ids, lengths, options)
        return call._replace(
            encoder=tuple(sources or [self.source() for _ in ids]))

    def call(self, strategy, most_batch=4, longest=8, most_new=20):
        return super().call(strategy, most_batch, longest, most_new)


class T5Draw(EncodedDraw):
    def prompts(self, batch, longest):
        """Most calls begin with the start token alone."""
        if self.chance(0.3):
            return super().prompts(batch, longest)
        return [[self.model.start]] * batch, [1] * batch, 0

    def given(self, ids, lengths, options, sources=None):
        call = super().given(ids, lengths, options, sources)
        longest = max(len(source.ids) for source in call.encoder)
        if longest >= LONG and options.encoder_no_repeat_ngram_size == 1:
            options = options.with_(encoder_no_repeat_ngram_size=2)
        return call._replace(options=options)

    def source(self):
        """Some are long, some repeat themselves."""
        length = int(self.random.integers(1, LONGEST_SOURCE + 1)
                     if self.chance(0.1) else self.random.integers(1, 30))
        ids = self.ids(length, length)
        if self.chance(0.3):
            part = ids[:4]
            ids = (part * length)[:length]
        return EncoderIds(tuple(ids))


class WhisperDraw(EncodedDraw):
    def prompts(self, batch, longest):
        """The first tokens, after earlier text for some rows. The other rows
        have pads there."""
        special = self.model.special
        first = [special.start]
        if special.languages and self.chance(0.8):
            first.append(int(self.one(*special.languages.values())))
            first.append(int(self.one(*special.tasks.values())))
        if not self.timed and special.no_timestamps:
            first.append(special.no_timestamps)
        earlier = []
        for _ in range(batch):
            count = self.random.integers(0, 6) if self.chance(0.5) else 0
            tokens = self.random.integers(0, special.end, count).tolist()
            earlier.append([special.previous] * bool(tokens) + tokens)
        width = max(map(len, earlier)) if self.chance(0.5) else 0
        earlier = [row[len(row) - min(len(row), width):] for row in earlier]
        pad = special.end
        rows = [[pad] * (width - len(row)) + row + first for row in earlier]
        return rows, [len(row) + len(first) for row in earlier], pad

    def call(self, strategy, **limits):
        special = self.model.special
        self.timed = bool(special.no_timestamps) and self.chance(0.5)
        call = super().call(strategy, **limits)
        o = call.options
        o.timestamps = self.timed
        o.max_initial_timestamp_index = int(self.one(-1, 0, 1, 50, 1499))
        if self.chance(0.5):
            o.suppress_tokens = list(special.suppressed)
            o.begin_suppress_tokens = list(special.begin_suppressed)
        if self.timed:
            # Biases and processors of all kinds leave no timestamp at times.
            o.eos_token_id = [special.end]
            self.biases_of_marks(o)
        return call

    def biases_of_marks(self, o):
        """Makes some timestamps and some text tokens likely, so that rules
        decide."""
        first = self.model.special.first_timestamp()
        for _ in range(self.random.integers(0, 4)):
            near = self.one(0, 1, 2, 5, 40, 700, self.vocabulary - first - 1)
            token = first + int(near) if self.chance(0.6) else \
                self.one(first - 1, int(self.random.integers(0, first)))
            o.sequence_bias_ids = o.sequence_bias_ids + [[int(token)]]
            o.sequence_bias = o.sequence_bias + [self.number(3, 12)]

    def with_eos(self, call, texts):
        if call.options.timestamps:
            return call
        return super().with_eos(call, texts)

    def given(self, *parts):
        return super().given(*parts)._replace(special=self.model.special)

    def source(self):
        return self.one(*self.sounds())

    def sounds(self):
        """A few windows for all cases of a model: encoding takes long."""
        if not self.model.sounds:
            random = np.random.default_rng(31)
            for frames in (3000, 2999, 1500, 137, 1):
                logs = made_logs(random, self.model.mels, frames)
                self.model.sounds.append(
                    Sound(logs, logs.max() + random.choice([0.0, 1.5])))
        return self.model.sounds


def made_logs(random, mels, frames):
    """Features of tones and noise that come and go."""
    time = np.arange(frames * logmel.HOP) / logmel.RATE
    sound = 0.01 * random.standard_normal(len(time))
    for _ in range(4):
        hertz, rate, phase = random.uniform((60, 0.1, 0), (6000, 3, 6))
        sound += np.sin(6.28 * hertz * time) * (
            np.sin(6.28 * rate * time + phase) > 0.3)
    sound = np.pad(sound, (0, max(0, logmel.WINDOW - len(sound))))
    return logmel.log_mel(sound, mels)[:, :frames]


def removes_before_decay(o):
    """True if an eos may be removed when the exponential decay comes, which
    makes NaN of it."""
    return bool(o.min_new_tokens or o.min_length or o.no_repeat_ngram_size or
                o.encoder_no_repeat_ngram_size or o.bad_words_ids or
                o.forced_eos_token_id or o.forced_bos_token_id >= 0)


def exact(model, random, mode, strategy, **limits):
    """A call with its certain texts, and how many were drawn."""
    draw = model.draw(random, mode)
    for attempt in range(1, 1000):
        call = draw.call(strategy, **limits)
        if draw.chance(0.15):
            call = draw.masks(call)
        try:
            texts = model.texts(call)
            if draw.chance(0.7):
                call = draw.with_eos(call, texts)
                texts = model.texts(call)
            if strategy == "beams" and len(call.options.eos_token_id) == 0:
                assert all(text.reason != AN_EOS for text in texts)
        except Near:
            continue
        return call, texts, attempt
    raise AssertionError("no call has a certain text")
