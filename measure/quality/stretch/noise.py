# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""White noise: its modulation, periodicity, level and colour after stretching."""

import numpy as np

from .audio import fade
from .score import RATE, Score

SEGMENT = int(0.4 * RATE)


def noise(score: Score, factor: float = 1, seconds: float = 8) -> np.ndarray:
    """Returns noise. The ideal output is different noise, not the same noise made longer, so it has
    a different seed."""
    random = score.random(4 if factor == 1 else 44)
    return fade(random.standard_normal(int(seconds * factor * RATE)) * 0.1)


def ideal(score: Score, factor: float) -> dict[str, float]:
    """Returns the mean figures of eight ideal outputs, because a single one varies: `mod` by 0.3 to
    0.9 dB."""
    given = noise(score)
    streams = [Score(seed=score.seed + 100 * index) for index in range(8)]
    figures = [noisiness(noise(stream, factor), given) for stream in streams]
    return {name: float(np.mean([one[name] for one in figures])) for name in figures[0]}


def echo(segment: np.ndarray) -> float:
    """Returns the maximum of the normalised autocorrelation at lags of 4 to 120 ms."""
    lags = np.arange(int(0.004 * RATE), int(0.12 * RATE))
    power = np.abs(np.fft.rfft(segment, 2 * len(segment))) ** 2
    energy = np.concatenate([[0], np.cumsum(segment**2)])
    norm = np.sqrt(energy[len(segment) - lags] * (energy[-1] - energy[lags]))
    return float(np.max(np.abs(np.fft.irfft(power)[lags]) / norm))


def third_octaves(samples: np.ndarray) -> np.ndarray:
    """Returns the levels of the 22 third-octave bands from 125 Hz to 16 kHz, in dB."""
    blocks = samples[: len(samples) // 4096 * 4096].reshape(-1, 4096)
    power = np.mean(np.abs(np.fft.rfft(blocks * np.hanning(4096), axis=1)) ** 2, axis=0)
    hz = np.arange(2049) * RATE / 4096
    middles = 125 * 2 ** (np.arange(22) / 3)
    bands = [power[(hz >= middle / 2 ** (1 / 6)) & (hz < middle * 2 ** (1 / 6))] for middle in middles]
    return np.array([10 * np.log10(band.mean()) for band in bands])


def modulation(envelope: np.ndarray) -> float:
    """Returns the strongest line between 8 and 200 Hz in the spectrum of an envelope (sampled at 1
    kHz), relative to the median, in dB."""
    size = 2048
    starts = range(0, len(envelope) - size, size // 2) if len(envelope) > 2 * size else [0]
    blocks = [envelope[at : at + size] for at in starts]
    power = np.mean([np.abs(np.fft.rfft(block * np.hanning(len(block)), size)) ** 2 for block in blocks], axis=0)
    hz = np.arange(size // 2 + 1) * 1000 / size
    inside = power[(hz > 8) & (hz < 200)]
    return float(10 * np.log10(inside.max() / np.median(inside)))


def noisiness(output: np.ndarray, given: np.ndarray) -> dict[str, float]:
    """Measures stretched noise. The goal of each figure is the oracle's value, not 0.

    `mod`: `modulation` of the power over 1 ms, in dB; `envelope`: standard deviation of that power
    relative to its mean. `echo`: mean of `echo` over segments of 0.4 s. `level`: relative to the
    input, in dB. `colour`: standard deviation, over third octaves, of the difference from the input
    in dB."""
    output = output[SEGMENT : len(output) - SEGMENT]
    segments = [output[at : at + SEGMENT] for at in range(0, len(output) - SEGMENT, SEGMENT // 2)]
    level = 10 * np.log10(np.mean(output**2) / np.mean(given[RATE // 2 : -RATE // 2] ** 2))
    power = (output**2)[: len(output) // 48 * 48].reshape(-1, 48).mean(1)
    envelope = power / power.mean() - 1
    return {
        "mod": modulation(envelope),
        "envelope": float(envelope.std()),
        "echo": float(np.mean([echo(segment) for segment in segments])),
        "level": float(level),
        "colour": float(np.std(third_octaves(output) - third_octaves(given))),
    }
