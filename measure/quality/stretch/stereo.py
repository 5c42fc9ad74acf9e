# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stereo: whether the differences of the channels in level, time and phase are preserved."""

import numpy as np
from scipy.signal import butter, sosfilt

from .audio import decibels, fade
from .score import RATE, Score
from .song import Band, play

DELAY = 12  # frames, 0.25 ms
BANDS_HZ = {"level": (230, 450), "delay": (800, 1400), "antiphase": (3600, 4900), "ambience": (8500, 11500)}
LEVEL_DB = 20 * np.log10(2)
SIZE = 4096


def stereo(score: Score, factor: float = 1, seconds: float = 6) -> np.ndarray:
    """Returns four sources in separate bands: a chord that is 6 dB louder on the left, noise around
    1 kHz that is 0.25 ms later on the right, tones around 4 kHz in antiphase, and noise that is
    independent in the two channels (ambience)."""
    frames = int(seconds * factor * RATE)
    t, random = np.arange(frames) / RATE, score.random(7)

    def chord(hertz, amplitude):
        return sum(np.cos(2 * np.pi * hz * t + random.uniform(0, 6)) for hz in hertz) * amplitude

    def band(low_hz, high_hz, stream):
        sections = butter(4, (low_hz, high_hz), "band", fs=RATE, output="sos")
        return sosfilt(sections, score.random(stream).standard_normal(frames))

    level = chord((261.6, 329.6, 415.3), 0.08) * (1 + 0.5 * np.sin(2 * np.pi * 1.1 * t))
    early = band(800, 1400, 71) * 0.35 * (1 + 0.5 * np.sin(2 * np.pi * 0.7 * t + 2))
    late = np.concatenate([np.zeros(DELAY), early[:-DELAY]])
    antiphase = chord((3730, 4150, 4790), 0.03)
    ambience = [band(8000, 12000, stream) * 0.12 for stream in (72, 73)]
    left = level + early + antiphase + ambience[0]
    right = 0.5 * level + late - antiphase + ambience[1]
    return fade(np.stack([left, right], 1) * 0.8)


def phase_error(left: np.ndarray, right: np.ndarray, expected: np.ndarray) -> float:
    """Returns the root mean square of arg(L·R̄) − expected in degrees, over segments and bins,
    weighted by |L·R|."""
    cross = left * np.conj(right)
    error = np.angle(cross * np.exp(-1j * expected))
    return float(np.degrees(np.sqrt(np.sum(np.abs(cross) * error**2) / np.sum(np.abs(cross)))))


def coherence(left: np.ndarray, right: np.ndarray) -> float:
    """Returns Σ|⟨L·R̄⟩| / Σ√(⟨|L|²⟩⟨|R|²⟩), with means over segments and sums over bins."""
    cross = np.sum(left * np.conj(right), 0)
    power = np.sum(np.abs(left) ** 2, 0) * np.sum(np.abs(right) ** 2, 0)
    return float(np.sum(np.abs(cross)) / np.sum(np.sqrt(power)))


def image(output: np.ndarray, factor: float) -> dict[str, float]:
    """Measures the output for `stereo`, without 0.5 s of the input at both ends. For each source,
    its `coherence`; the goal for ambience is the oracle's value. `level_error`: root mean square
    deviation of the level difference from 6.02 dB; `delay_deg`, `antiphase_deg`: `phase_error`."""
    edge = int(0.5 * RATE * factor)
    output = output[edge : len(output) - edge]
    starts = range(0, len(output) - SIZE, SIZE // 2)
    segments = np.stack([output[at : at + SIZE] for at in starts])
    spectra = np.fft.rfft(segments * np.hanning(SIZE)[:, None], axis=1)
    hz = np.arange(SIZE // 2 + 1) * RATE / SIZE
    inside = {name: (hz >= low) & (hz <= high) for name, (low, high) in BANDS_HZ.items()}
    sides = {name: (spectra[:, bins, 0], spectra[:, bins, 1]) for name, bins in inside.items()}
    figures = {f"{name}_coherence": coherence(*pair) for name, pair in sides.items()}
    left, right = (np.sum(np.abs(side) ** 2, 1) for side in sides["level"])
    figures["level_error"] = float(np.sqrt(np.mean((10 * np.log10(left / right) - LEVEL_DB) ** 2)))
    late = 2 * np.pi * hz[inside["delay"]] * DELAY / RATE
    figures["delay_deg"] = phase_error(*sides["delay"], late)
    figures["antiphase_deg"] = phase_error(*sides["antiphase"], np.full(inside["antiphase"].sum(), np.pi))
    return figures


def twins(score: Score, factor: float = 1) -> np.ndarray:
    """Returns a bar of the song with two equal channels."""
    wave = play(score, factor, Band(), bars=1).samples.mean(1)
    return np.stack([wave, wave], 1)


def sameness(output: np.ndarray) -> dict[str, float]:
    """`same`: power of left − right relative to the total power, in dB; −200 if the channels are
    equal."""
    return {"same": float(decibels(np.sum((output[:, 0] - output[:, 1]) ** 2) / np.sum(output**2)))}
