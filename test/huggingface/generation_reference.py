"""The texts and the logits that PyTorch's models have for a call of text
generation: the models of reference.py joined with generation_search.py.
"""
import numpy as np
import torch

import generation_search
import reference


class Model:
    """Logits after rows of tokens, kept for later calls with the same rows."""

    def __init__(self, folder):
        self.checkpoint = reference.Checkpoint(folder)
        c = self.checkpoint
        self.vocabulary = c.get("vocab_size")
        self.positions = c.get("n_positions", c.get("max_position_embeddings"))
        self.known = {}

    def __call__(self, rows):
        """The logits after each row, in float64."""
        new = sorted({row for row in rows if row not in self.known}, key=len)
        # Rows are padded: rows of similar length go together.
        for first in range(0, len(new), 16):
            part = new[first:first + 16]
            self.known.update(zip(part, self.last(part, torch.float64)))
        return np.stack([self.known[row] for row in rows])

    def last(self, rows, dtype):
        """The logits after each row, computed in `dtype`."""
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, longest - len(row):] = row
            mask[i, longest - len(row):] = 1
        return reference.logits(self.checkpoint, ids, mask, dtype)[:, -1]

    def forget(self):
        """Frees the logits, which are many after some hundred calls."""
        self.known.clear()

    def texts(self, call):
        return generation_search.texts(call, self)


def rows_at(call, texts, step):
    """The tokens that rows of greedy search and sampling have before `step`,
    for the rows that have not ended. Pads are left out."""
    times = call.options.num_return_sequences
    found = {}
    for r, text in enumerate(texts):
        ended = len(text.ids) < step or \
            text.reason == generation_search.AN_EOS and len(text.ids) <= step
        if not ended:
            batch = r // times
            found[r] = tuple(call.ids[batch][call.pads(batch):] +
                             text.ids[:step])
    return found
