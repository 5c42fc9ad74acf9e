# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steady and gliding tones: the partials of the output, and everything else in it."""

import numpy as np
from scipy.fft import fft, ifft, next_fast_len

from .audio import decibels, earlier, fade, fit
from .score import RATE, Partial, Score

SEGMENT = RATE // 4  # in frames; separates partials that are 26 Hz apart
GLIDE_PARTIALS = 12


# ---- steady partials


def tones(score: Score, partials: tuple[Partial, ...], factor: float = 1, seconds: float = 5) -> np.ndarray:
    """Returns a chord of sines with random phases and a peak of 0.4."""
    t = np.arange(int(seconds * factor * RATE)) / RATE
    random = score.random(1)
    wave = sum(a * np.cos(2 * np.pi * hz * t + random.uniform(0, 2 * np.pi)) for hz, a in partials)
    return fade(wave * 0.4 / np.max(np.abs(wave)))


class PartialFit:
    """Weighted least-squares fit of sines with known frequencies to segments of 0.25 s.

    Each partial is A(t)·cos(2πft) + B(t)·sin(2πft), where A and B are linear within a segment,
    under a Hann window. So neither the phase of a partial nor a slow change of its level counts as
    distortion, but flutter does. """

    def __init__(self, partials: tuple[Partial, ...]):
        t = (np.arange(SEGMENT) - SEGMENT / 2) / RATE
        self.window = np.hanning(SEGMENT)
        columns = [
            wave(2 * np.pi * hz * t) * line for hz, _ in partials for line in (1, t * 4) for wave in (np.cos, np.sin)
        ]
        self.basis = np.stack(columns, axis=1) * self.window[:, None]
        self.inverse = np.linalg.pinv(self.basis)

    def run(self, samples: np.ndarray, skip_s: float):
        """Fits all segments, without `skip_s` seconds at both ends. Returns the amplitudes and the
        phases at the middle of each segment (segments × partials), and the powers of the fit and of
        the residue."""
        skip = int(skip_s * RATE)
        weights, fitted, rest = [], 0.0, 0.0
        for at in range(skip, len(samples) - skip - SEGMENT, SEGMENT // 2):
            segment = samples[at : at + SEGMENT] * self.window
            weight = self.inverse @ segment
            model = self.basis @ weight
            fitted += np.sum(model**2)
            rest += np.sum((segment - model) ** 2)
            weights.append(weight.reshape(-1, 4)[:, :2])
        cosine, sine = np.moveaxis(np.array(weights), -1, 0)
        return np.hypot(cosine, sine), np.arctan2(-sine, cosine), fitted, rest


def tone(output: np.ndarray, given: np.ndarray, partials: tuple[Partial, ...], factor: float) -> dict[str, float]:
    """Measures stretched partials. `sndr`: power of the fitted partials relative to everything
    else, in dB. `am`: standard deviation of the level over time in dB, as the root mean square over
    partials. `level`: mean change of the level, in dB. `cents`: mean deviation of the pitch, from
    the median phase advance between segments."""
    fit_of = PartialFit(partials)
    amplitude, phase, fitted, rest = fit_of.run(output, min(0.5, 0.2 * factor + 0.15))
    given_amplitude = fit_of.run(given, 0.3)[0]
    hz = np.array([partial[0] for partial in partials])
    step_s = SEGMENT // 2 / RATE
    advance = np.diff(phase, axis=0) - 2 * np.pi * hz * step_s
    advance = (advance + np.pi) % (2 * np.pi) - np.pi
    levels = 20 * np.log10(amplitude + 1e-9)
    change = 10 * np.log10((amplitude**2).mean(0)) - 20 * np.log10(given_amplitude.mean(0))
    return {
        "sndr": float(decibels(fitted / rest)),
        "am": float(np.sqrt(np.mean(levels.std(0) ** 2))),
        "level": float(np.mean(change)),
        "cents": float(1200 / np.log(2) * np.mean(np.median(advance, 0) / (2 * np.pi * step_s) / hz)),
    }


# ---- a glide


def glide_hz(score: Score, factor: float, seconds: float = 5) -> np.ndarray:
    """Returns the fundamental of each frame in Hz: a slow glide and a vibrato of ±50 cents, both
    `factor` times as slow as in the input."""
    t = np.arange(int(round(seconds * RATE * factor))) / RATE / factor
    cents = score.glide_cents * t / 5 + 50 * np.sin(2 * np.pi * score.vibrato_hz * t)
    return score.glide_hz * 2 ** (cents / 1200)


def glide(score: Score, factor: float = 1) -> np.ndarray:
    """Returns a glide with twelve harmonics; the k-th has the amplitude 1/k."""
    phase = 2 * np.pi * np.cumsum(glide_hz(score, factor)) / RATE
    wave = sum(np.cos(k * phase + k * k) / k for k in range(1, GLIDE_PARTIALS + 1))
    return fade(wave * 0.15)


class Glide:
    """Heterodyne filters at multiples of a known fundamental. Harmonic k of the signal y is h ∗
    (y·e^{−ikφ}), where φ is the phase of the fundamental and h a Hann window of 60 ms, which passes
    11 Hz on either side."""

    def __init__(self, score: Score, factor: float):
        self.hz = glide_hz(score, factor)
        phase = 2 * np.pi * np.cumsum(self.hz) / RATE
        self.carriers = {k: np.exp(-1j * k * phase) for k in range(1, GLIDE_PARTIALS + 1)}
        window = np.hanning((int(0.06 * RATE) | 1) + 2)[1:-1]
        self.middle = len(window) // 2
        self.size = next_fast_len(len(self.hz) + len(window))
        self.filter = fft(window / window.sum(), self.size)
        edge = int(0.35 * factor * RATE)
        self.inside = slice(edge, len(self.hz) - edge)

    def harmonic(self, samples: np.ndarray, k: int) -> np.ndarray:
        filtered = ifft(fft(samples * self.carriers[k], self.size) * self.filter)
        return filtered[self.middle : self.middle + len(samples)]

    def cents(self, samples: np.ndarray, harmonics=(1, 2, 3)) -> float:
        """Returns the root mean square deviation of the harmonics' frequencies, over 5 ms, in
        cents."""
        step = RATE // 200
        errors = []
        for k in harmonics:
            wave = self.harmonic(samples, k)[self.inside]
            hz = np.angle(wave[step:] * np.conj(wave[:-step])) / (2 * np.pi * step / RATE)
            errors.append(1200 / np.log(2) * hz / (k * self.hz[self.inside][:-step]))
        return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))

    def rest(self, samples: np.ndarray) -> np.ndarray:
        """Returns the residue after subtracting all harmonics."""
        waves = (self.harmonic(samples, k) * np.conj(carrier) for k, carrier in self.carriers.items())
        return samples - sum(2 * np.real(wave) for wave in waves)


def gliding(output: np.ndarray, score: Score, factor: float) -> dict[str, float]:
    """Measures a stretched glide. `late_ms`: the constant delay, up to ±60 ms, that minimizes the
    deviation of the pitch; it is searched in steps of 5 ms with the fundamental, then in steps of
    1 ms. `cents`: that deviation. `sndr`: power of the output relative to the residue, in dB."""
    expected = Glide(score, factor)
    output = fit(output, len(expected.hz))
    delay = min(range(-2880, 2881, 240), key=lambda frames: expected.cents(earlier(output, frames), [1]))
    near = range(delay - 192, delay + 193, 48)
    cents, delay = min((expected.cents(earlier(output, frames)), frames) for frames in near)
    output = earlier(output, delay)
    power = [np.sum(wave[expected.inside] ** 2) for wave in (output, expected.rest(output))]
    return {"sndr": float(decibels(power[0] / power[1])), "cents": cents, "late_ms": delay / RATE * 1e3}
