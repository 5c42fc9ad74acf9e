# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures for changing factors, drift over an hour, factor 1, and changes of pitch alone."""

import numpy as np

from .attacks import Reference, attack_times, attacks, castanet, events, smoothed, top_of
from .score import RATE, Score
from .tones import tone, tones
from .trials import Figures, Stretcher

# ---- a factor that moves: 1.15 + 0.45·sin(2π·0.5 Hz·t)

MIDDLE, SWING, SWING_HZ = 1.15, 0.45, 0.5
STEP = RATE // 50  # input frames between two points of the time map


def swinging_map(frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a time map: frames of the input, 20 ms apart, and the corresponding frames of the
    output, which are the integral of the factor. The last point is the end."""
    inputs = np.append(np.arange(0, frames, STEP), frames).astype(float)
    t = inputs / RATE
    bend = SWING * (1 - np.cos(2 * np.pi * SWING_HZ * t)) / (2 * np.pi * SWING_HZ)
    return inputs, (MIDDLE * t + bend) * RATE


def pure_while_moving(output: np.ndarray, score: Score, given: np.ndarray) -> Figures:
    """`tone` for the chord; `length`: the frames in excess of the map's end."""
    _, outputs = swinging_map(len(given))
    return tone(output, given, score.chord, MIDDLE) | {"length": len(output) - int(round(outputs[-1]))}


def moved_attacks(output: np.ndarray, score: Score, frames: int) -> Figures:
    """`events` for the castanets, expected at the times that the map gives."""
    times = np.interp(attack_times(score) * RATE, *swinging_map(frames)) / RATE
    return events(output, times, "castanet", score)


def moving_figures(program_of, score: Score) -> dict[str, Figures]:
    """Measures chord and castanets. `program_of(inputs, outputs)` returns a program that follows
    that time map."""
    chord, castanets = tones(score, score.chord, seconds=8), attacks(score, "castanet")
    return {
        "chord": pure_while_moving(program_of(*swinging_map(len(chord)))(chord, MIDDLE), score, chord),
        "castanet": moved_attacks(program_of(*swinging_map(len(castanets)))(castanets, MIDDLE), score, len(castanets)),
    }


# ---- drift

GAP_S = 5


def drift_places(minutes: float) -> np.ndarray:
    """Returns the frames of the attacks: one every five seconds, with a random offset of up to a
    second."""
    starts = np.arange(2 * RATE, int(minutes * 60 * RATE) - 2 * RATE, GAP_S * RATE)
    return starts + np.random.default_rng(9).integers(0, RATE, len(starts))


def drift_signal(score: Score, minutes: float) -> np.ndarray:
    wave = np.zeros(int(minutes * 60 * RATE), np.float32)
    burst = castanet(score, 3)[0].astype(np.float32)
    for place in drift_places(minutes):
        wave[place : place + len(burst)] += burst
    return wave


def drift(output: np.ndarray, score: Score, minutes: float, factor: float) -> Figures:
    """Measures the offsets of attacks from their expected times, in ms. `ms_per_hour`: slope of the
    line fitted to them, per hour of output; `rms`: deviation from that line; `first`, `last`: means
    of the first and the last five; `worst`: largest deviation from `first`; `length`: the frames in
    excess of the expected length."""
    reference, reach = Reference.of(*castanet(score, 3)), RATE // 5
    places, offsets = drift_places(minutes), []
    for place in places:
        expected = int(round(place * factor))
        start = max(0, expected - reach)
        around = np.asarray(output[start : expected + reach], float)
        found = top_of(smoothed(around**2)) if len(around) else 0
        offsets.append((start + found - expected - reference.peak_at) / RATE * 1e3)
    hours = places * factor / RATE / 3600
    slope = np.polyfit(hours, offsets, 1)
    offsets = np.array(offsets)
    return {
        "ms_per_hour": float(slope[0]),
        "rms": float(np.std(offsets - np.polyval(slope, hours))),
        "first": float(offsets[:5].mean()),
        "last": float(offsets[-5:].mean()),
        "worst": float(np.abs(offsets - offsets[:5].mean()).max()),
        "length": int(len(output) - round(minutes * 60 * RATE * factor)),
    }


def drift_figures(stretch: Stretcher, score: Score, minutes: float, factor: float) -> Figures:
    return drift(stretch(drift_signal(score, minutes), factor), score, minutes, factor)


# ---- pitch


def transposed(output: np.ndarray, score: Score, name: str, semitones: float) -> Figures:
    """`tone` for a transposed chord of the score."""
    partials = tuple((hz * 2 ** (semitones / 12), amplitude) for hz, amplitude in getattr(score, name))
    return tone(output, tones(score, partials), partials, 1)


def transposing_figures(transpose: Stretcher, score: Score, semitones: float) -> dict[str, Figures]:
    """Measures `transpose(samples, semitones)` with chord, bass, and attacks, which must keep their
    times."""
    figures = {
        name: transposed(transpose(tones(score, getattr(score, name)), semitones), score, name, semitones)
        for name in ("chord", "bass")
    }
    output = transpose(attacks(score, "castanet"), semitones)
    figures["castanet"] = events(output, attack_times(score), "castanet", score)
    figures["castanet"]["length"] = len(output) - 8 * RATE
    return figures
