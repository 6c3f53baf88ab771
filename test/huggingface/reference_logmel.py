"""The features of Whisper in float64: the logarithms of a sound's energy in mel
bands.

`log_mel` has the logarithms of a whole sound, `scaled` what the encoder reads.
"""
import numpy as np
import torch

RATE = 16000
WINDOW = 400
HOP = 160
FRAMES = 3000
SAMPLES = FRAMES * HOP
BINS = WINDOW // 2 + 1


def hertz(mel):
    return np.where(mel < 15, 200 / 3 * mel,
                    1000 * np.exp(np.log(6.4) / 27 * (mel - 15)))


def filters(mels):
    """Slaney's triangles [mels, BINS], each of the same area."""
    edges = hertz(np.linspace(0, 45.245640471924965, mels + 2))
    bins = np.linspace(0, RATE / 2, BINS)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    area = 2 / (edges[2:] - edges[:-2])
    return np.maximum(0, np.minimum(rising, falling)) * area[:, None]


def hann():
    """Periodic."""
    return np.hanning(WINDOW + 1)[:-1]


def padded(samples):
    """A sound of at most 30 s becomes 30 s long."""
    return np.pad(samples, (0, max(0, SAMPLES - len(samples))))


def log_mel(samples, mels):
    """[mels, samples / HOP] of a sound that has its final length."""
    x = np.pad(np.asarray(samples, np.float64), WINDOW // 2, mode="reflect")
    count = len(samples) // HOP
    result = np.empty((mels, count))
    bank, window = filters(mels), hann()
    for first in range(0, count, FRAMES):
        starts = np.arange(first, min(first + FRAMES, count)) * HOP
        frames = x[starts[:, None] + np.arange(WINDOW)] * window
        power = np.abs(np.fft.rfft(frames)) ** 2
        result[:, first:first + FRAMES] = bank @ power.T
    return np.log10(np.maximum(result, 1e-10))


def log_mel_of_torch(samples, mels):
    """The same by torch.stft in float32."""
    x = torch.from_numpy(np.asarray(samples, np.float32))
    window = torch.hann_window(WINDOW)
    power = torch.stft(x, WINDOW, HOP, window=window,
                       return_complex=True)[:, :-1].abs() ** 2
    bank = torch.from_numpy(filters(mels).astype(np.float32))
    return torch.clamp(bank @ power, min=1e-10).log10().numpy()


def scaled(logs, greatest):
    """`greatest` is the maximum of the whole sound's logarithms."""
    return (np.maximum(logs, greatest - 8) + 4) / 4


def windowed(logs, greatest):
    """What the encoder reads of up to 3000 frames: [mels, FRAMES]. Frames
    after the sound are 0, which is no silence."""
    return np.pad(scaled(logs, greatest),
                  ((0, 0), (0, FRAMES - logs.shape[1])))
