"""What an encoder reads for one row of a call."""
from typing import NamedTuple

import numpy as np

import reference_logmel as logmel

PAD = 1 << 20  # in no vocabulary: pads are not read


class EncoderIds(NamedTuple):
    ids: tuple

    @staticmethod
    def arrays(rows):
        """The inputs of `start` and of `logits`."""
        longest = max(len(row.ids) for row in rows)
        ids = np.full((len(rows), longest), PAD, np.int64)
        for i, row in enumerate(rows):
            ids[i, :len(row.ids)] = row.ids
        return {"encoder_ids": ids,
                "encoder_lengths": np.array([len(row.ids) for row in rows])}

    @staticmethod
    def unreadable(rows):
        longest = max(len(row.ids) for row in rows)
        return {"encoder_ids": np.full((len(rows), longest), PAD, np.int64)}


class Sound:
    """A window of up to 3000 frames: logarithms of the energy in mel bands.
    `greatest` is that of the sound which the window is part of."""

    ids = ()  # processors of the source have nothing to read

    def __init__(self, logs, greatest):
        self.logs, self.greatest = logs.astype(np.float32), np.float32(greatest)

    def windowed(self, dtype):
        return logmel.windowed(self.logs.astype(dtype), dtype(self.greatest))

    @staticmethod
    def arrays(rows):
        frames = [row.logs.shape[1] for row in rows]
        features = np.full((len(rows), len(rows[0].logs), max(frames)), np.nan,
                           np.float32)
        for i, row in enumerate(rows):
            features[i, :, :frames[i]] = row.logs
        return {"features": features, "frames": np.array(frames),
                "greatest": np.array([row.greatest for row in rows])}

    @staticmethod
    def unreadable(rows):
        return {"features": np.full_like(Sound.arrays(rows)["features"],
                                         np.nan)}
