"""The texts and the logits that PyTorch's models have for a call of text
generation: the models of reference.py, reference_t5.py and reference_whisper.py
joined with generation_search.py.
"""
import numpy as np
import torch

import generation_cases
import generation_search
import reference
import reference_t5
import reference_whisper
from generation_inputs import EncoderIds, Sound
from generation_timestamps import special_tokens


# The library's own, and random ones.
ORDERS = (None, 1, 2, 3)


def left_padded(rows):
    """Rows of ids and their mask, with pads on the left."""
    longest = max(map(len, rows))
    ids = np.zeros((len(rows), longest), np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, longest - len(row):] = row
        mask[i, longest - len(row):] = 1
    return ids, mask


class Model:
    """Logits after rows of tokens, kept for later calls with the same rows.
    A row is what `Call.key` gives."""

    rules = False  # of timestamps
    languages = ()

    def __init__(self, folder):
        self.checkpoint = reference.Checkpoint(folder)
        c = self.checkpoint
        self.vocabulary = c.get("vocab_size")
        self.positions = self.positions_of(c)
        self.known = {}

    def positions_of(self, c):
        return c.get("n_positions", c.get("max_position_embeddings"))

    def room(self):
        """Extents of contexts, beside their rows."""
        return {}

    def draw(self, random, mode):
        return generation_cases.Draw(random, self, mode)

    def __call__(self, rows):
        """The logits after each row, in float64."""
        new = sorted({row for row in rows if row not in self.known},
                     key=self.place)
        # Rows are padded: rows of similar length go together.
        for first in range(0, len(new), 16):
            part = new[first:first + 16]
            self.known.update(zip(part, self.last(part, torch.float64)))
        return np.stack([self.known[row] for row in rows])

    def place(self, row):
        return len(row)

    def last(self, rows, dtype):
        """The logits after each row, computed in `dtype`."""
        ids, mask = left_padded(rows)
        return reference.logits(self.checkpoint, ids, mask, dtype)[:, -1]

    def single(self, rows):
        """Yields the logits after each row in float32, with sums in several
        orders."""
        for order in ORDERS:
            self.checkpoint.order = order
            yield self.last(rows, torch.float32)
        self.checkpoint.order = None

    def hidden(self, rows):
        """What the head reads at each token of rows of one length, in float64.
        """
        ids = np.array(rows)
        return reference.hidden(self.checkpoint, ids, np.ones_like(ids),
                                torch.float64)

    def forget(self):
        """Frees the logits, which are many after some hundred calls."""
        self.known.clear()

    def texts(self, call):
        return generation_search.texts(call, self)


class EncodedModel(Model):
    """Rows are pairs of an encoder's input and the decoder's tokens. The
    encoder's results are kept."""

    def __init__(self, folder):
        super().__init__(folder)
        self.encoded, self.first = {}, {}
        self.start = self.checkpoint.get("decoder_start_token_id")

    def place(self, row):
        """Rows of one encoder input go together."""
        source, tokens = row
        return self.first.setdefault(source, len(self.first)), len(tokens)

    def last(self, rows, dtype):
        sources = {}
        for i, (source, _) in enumerate(rows):
            sources.setdefault(source, []).append(i)
        made = [None] * len(rows)
        for source, places in sources.items():
            logits = self.decoded(source, [rows[i][1] for i in places], dtype)
            for i, row in zip(places, logits[:, -1]):
                made[i] = row
        return np.stack(made)

    def forget_all(self):
        """Frees what is known of encoder inputs too."""
        self.forget()
        self.encoded.clear()
        self.first.clear()

    def memory(self, source, dtype):
        key = source, dtype, self.checkpoint.order
        if key not in self.encoded:
            with torch.no_grad():
                self.encoded[key] = self.encode(source, dtype)
        return self.encoded[key]

    def hidden(self, rows):
        """Here the rows also have one encoder input."""
        source = rows[0][0]
        ids = torch.tensor([tokens for _, tokens in rows])
        with torch.no_grad():
            return self.module.hidden_of_decoder(
                self.checkpoint, self.memory(source, torch.float64), ids,
                torch.ones_like(ids), torch.float64).numpy()

    def decoded(self, source, rows, dtype):
        """Logits [rows, seq, vocabulary] of rows of one encoder input."""
        ids, mask = map(torch.from_numpy, left_padded(rows))
        with torch.no_grad():
            return self.module.decode(self.checkpoint,
                                      self.memory(source, dtype), ids, mask,
                                      dtype).numpy()


class T5Model(EncodedModel):
    module = reference_t5

    def positions_of(self, c):
        # T5 has no greatest length. All rows of the table of position biases
        # are used at 128 positions.
        return 140

    def room(self):
        return {"positions": self.positions,
                "encoder_positions": generation_cases.LONGEST_SOURCE}

    def draw(self, random, mode):
        return generation_cases.T5Draw(random, self, mode)

    def encode(self, source, dtype):
        ids = torch.tensor([source.ids])
        return reference_t5.encode(self.checkpoint, ids, torch.ones_like(ids),
                                   dtype)


class WhisperModel(EncodedModel):
    module = reference_whisper

    def __init__(self, folder):
        super().__init__(folder)
        self.special = special_tokens(folder)
        self.rules = self.special.no_timestamps is not None
        self.languages = self.special.languages
        self.mels = self.checkpoint.get("num_mel_bins")
        self.sounds = []

    def positions_of(self, c):
        return min(c.get("max_target_positions"), 100)

    def room(self):
        return {"positions": self.positions}

    def draw(self, random, mode):
        return generation_cases.WhisperDraw(random, self, mode)

    def encode(self, source, dtype):
        kind = np.float64 if dtype == torch.float64 else np.float32
        features = torch.from_numpy(source.windowed(kind))[None]
        return reference_whisper.encode(self.checkpoint, features, dtype)


def model_of(folder):
    kind = reference.Checkpoint(folder).get("model_type")
    return {"t5": T5Model, "mt5": T5Model, "whisper": WhisperModel}.get(
        kind, Model)(folder)


def rows_at(call, texts, step):
    """The keys of the rows of greedy search and sampling before `step`, for
    the rows that have not ended."""
    times = call.options.num_return_sequences
    found = {}
    for r, text in enumerate(texts):
        ended = len(text.ids) < step or \
            text.reason == generation_search.AN_EOS and len(text.ids) <= step
        if not ended:
            found[r] = call.key(r // times,
                                call.ids[r // times] + text.ids[:step])
    return found
