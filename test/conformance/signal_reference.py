"""Windows, Fourier transforms and mel filters as the ONNX operators define them."""
import numpy as np

# Coefficients of a constant, of one turn and of two turns of a cosine.
WINDOWS = {"blackman": (0.42, -0.5, 0.08),
           "hann": (0.5, -0.5, 0.0),
           "hamming": (25 / 46, -21 / 46, 0.0)}


def window(kind, size, symmetric):
    a, b, c = WINDOWS[kind]
    turn = 2 * np.pi * np.arange(size) / (size - symmetric)
    return (a + b * np.cos(turn) + c * np.cos(2 * turn)).astype(np.float32)


def stft(signal, window, step):
    """The transform of a real signal [1, samples, 1]; frames have the window's
    length."""
    length = len(window)
    frames = [signal[0, at:at + length, 0] * window
              for at in range(0, signal.shape[1] - length + 1, step)]
    turned = np.fft.rfft(frames)
    return np.stack([turned.real, turned.imag], -1)[None].astype(np.float32)


def mel_weights(bands, length, rate, low, high):
    """Triangular filters over the bins of a transform of `length` samples."""
    def mel(hertz):
        return 2595 * np.log10(1 + hertz / 700)
    edges = np.arange(bands + 2) * ((mel(high) - mel(low)) / (bands + 2)) \
        + mel(low)
    hertz = 700 * (10 ** (edges / 2595) - 1)
    bins = ((length + 1) * hertz // rate).astype(int)
    out = np.zeros((length // 2 + 1, bands), np.float32)
    for band in range(bands):
        left, middle, right = bins[band:band + 3]
        if middle == left:
            out[middle, band] = 1
        for i in range(left, middle + 1):
            if middle != left:
                out[i, band] = (i - left) / (middle - left)
        for i in range(middle, right):
            if right != middle:
                out[i, band] = (right - i) / (right - middle)
    return out
