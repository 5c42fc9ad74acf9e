# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The distance of two sounds: the mean difference of their log-mel spectrograms. Also finds
delays."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.signal import find_peaks

from .audio import decibels, earlier, fit, mono
from .score import RATE


@dataclass(frozen=True)
class Resolution:
    window_s: float
    bands: int
    hop_s: float


LONG = Resolution(0.0853, 64, 0.020)  # for pitch and timbre
MIDDLE = Resolution(0.020, 40, 0.005)  # for voices
SHORT = Resolution(0.008, 20, 0.002)  # for attacks and glottal pulses
COARSE = Resolution(0.020, 40, 0.010)  # for choosing one of several delays
CHANGES = Resolution(0.012, 20, 0.001)  # for finding delays


@cache
def mel_bank(size: int, bands: int, low_hz: float = 50, high_hz: float = 16000) -> np.ndarray:
    """Returns triangular filters on the mel scale 2595·lg(1 + f/700) (O'Shaughnessy 1987), as bands
    × bins, each with the sum 1. Bands narrower than a bin are omitted."""
    edges = np.linspace(*(2595 * np.log10(1 + hz / 700) for hz in (low_hz, high_hz)), bands + 2)
    low, middle, high = (700 * (10 ** (edges[i : i + bands] / 2595) - 1) for i in range(3))
    hz = np.arange(size // 2 + 1) * RATE / size
    rising = (hz[None] - low[:, None]) / (middle - low)[:, None]
    falling = (high[:, None] - hz[None]) / (high - middle)[:, None]
    bank = np.maximum(0, np.minimum(rising, falling))
    bank = bank[bank.sum(1) > 0.5]
    return bank / bank.sum(1, keepdims=True)


def mel_power(samples: np.ndarray, resolution: Resolution) -> np.ndarray:
    """Returns powers, as channels × segments × bands. The first segment is centred on the first
    frame."""
    size, hop = int(resolution.window_s * RATE), int(resolution.hop_s * RATE)
    window = np.hanning(size + 2)[1:-1]
    padded_size = 1 << int(np.ceil(np.log2(size)))
    bank = mel_bank(padded_size, resolution.bands).T
    channels = []
    for channel in samples.reshape(len(samples), -1).T:
        segments = np.lib.stride_tricks.sliding_window_view(np.pad(channel, size // 2), size)[::hop]
        spectra = (np.fft.rfft(segments[at : at + 512] * window, padded_size) for at in range(0, len(segments), 512))
        channels.append(np.concatenate([np.abs(spectrum) ** 2 for spectrum in spectra]) / np.sum(window**2) @ bank)
    return np.stack(channels)


def distance(output: np.ndarray, ideal: np.ndarray, resolution: Resolution) -> float:
    """Returns the mean of |10 lg (P_output / P_ideal)| over segments and bands, in dB.

    Powers more than 60 dB below the ideal's loudest band are raised to that level. Segments in
    which both sounds are more than 50 dB below the ideal's loudest segment do not count."""
    powers = [mel_power(samples, resolution) for samples in (output, ideal)]
    count = min(power.shape[1] for power in powers)
    got, wanted = (power[:, :count] for power in powers)
    least = wanted.max() * 1e-6
    difference = np.abs(decibels(np.maximum(got, least)) - decibels(np.maximum(wanted, least)))
    loudness = wanted.sum(2)
    gate = loudness.max() * 1e-5
    return float(difference[(loudness > gate) | (got.sum(2) > gate)].mean())


def changes(samples: np.ndarray) -> np.ndarray:
    """Returns the change of level from one millisecond to the next, in dB, in 20 bands."""
    power = mel_power(mono(samples), CHANGES)[0]
    return np.diff(decibels(np.maximum(power, power.max() * 1e-5)), axis=0)


def delay(output: np.ndarray, ideal: np.ndarray, most_s: float = 0.06, around_ms: int = 0) -> int:
    """Returns the constant delay of `output` in frames, in steps of 1 ms.

    Tries the five highest peaks of the cross-correlation of `changes`, because in music the highest
    peak may be off by a beat. The peak with the smallest `distance` is used. In a voice, all five
    may be off by a period, so finally all delays within `around_ms` of that peak are tried."""
    got, wanted = changes(output), changes(ideal)
    size = 1 << (2 * max(len(got), len(wanted))).bit_length()
    product = np.fft.rfft(got, size, axis=0) * np.conj(np.fft.rfft(wanted, size, axis=0))
    most = int(most_s * 1000)
    correlation = np.fft.irfft(product, axis=0).sum(1)[np.arange(-most, most + 1)]
    peaks, _ = find_peaks(np.concatenate([[-np.inf], correlation, [-np.inf]]))
    best = (peaks - 1)[np.argsort(-correlation[peaks - 1])][:5]
    got, wanted = mono(output), mono(ideal)

    def distance_at(frames: int) -> float:
        return distance(fit(earlier(got, frames), len(wanted)), wanted, COARSE)

    nearest = min(((int(lag) - most) * RATE // 1000 for lag in best), key=distance_at)
    around = range(-around_ms, around_ms + 1)
    return min((nearest + milliseconds * RATE // 1000 for milliseconds in around), key=distance_at)


def aligned(output: np.ndarray, ideal: np.ndarray, around_ms: int = 0) -> tuple[np.ndarray, int]:
    """Returns `output` without its delay and with the length of `ideal`, and the delay in
    frames."""
    frames = delay(output, ideal, around_ms=around_ms)
    return fit(earlier(output, frames), len(ideal)), frames
