"""Sound in WAV files, read piece by piece."""
import os
import wave

import numpy as np

from ._errors import FileError, InputError

RATE = 16000
# Writers of streams do not know the length, and leave one near this or above.
_STREAM_BYTES = 0x7fffff00


class WavFile:
    """The samples of a WAV file of 16-bit numbers at 16 kHz, as the mean of its
    channels."""

    def __init__(self, path):
        self._path = os.fspath(path)
        try:
            self._source = open(self._path, "rb")
        except OSError as error:
            raise FileError(f"{self._path}: {error.strerror}") from None
        try:
            self._file = wave.open(self._source)
        except (wave.Error, EOFError, RuntimeError) as error:
            self._source.close()
            raise InputError(f"{self._path}: expected a WAV file of 16-bit "
                             f"numbers, got another or a damaged one: "
                             f"{error or 'it is too short'}") from None
        try:
            self._check()
        except InputError:
            self.close()
            raise

    def _check(self):
        file = self._file
        if file.getframerate() != RATE or file.getsampwidth() != 2:
            raise InputError(
                f"{self._path}: expected a WAV file of 16 bits at {RATE} Hz, "
                f"got {8 * file.getsampwidth()} bits at {file.getframerate()} "
                "Hz; give the samples as an array")
        announced = file.getnframes() * file.getnchannels() * 2
        there = os.fstat(self._source.fileno()).st_size
        if there < announced < _STREAM_BYTES:
            raise InputError(f"{self._path}: the sound is damaged: its header "
                             f"announces {announced} bytes of samples, the "
                             f"file has {there}")

    def __call__(self, at, count):
        file, channels = self._file, self._file.getnchannels()
        frames = file.getnframes()
        file.setpos(min(at, frames))
        data = file.readframes(min(count, frames - file.tell()))
        whole = len(data) // (2 * channels)
        wide = np.frombuffer(data, "<i2", whole * channels).reshape(-1, channels)
        return (wide.mean(axis=1) / 32768).astype(np.float32)

    def close(self):
        self._file.close()
        self._source.close()
