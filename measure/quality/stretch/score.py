# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The score of the test signals: partials, melodies, tempi, and the seeds of all random parts."""

from dataclasses import dataclass

import numpy as np

RATE = 48000  # Hz, of every signal

Partial = tuple[float, float]  # Hz, amplitude


def harmonics(fundamentals_hz, count: int) -> list[Partial]:
    """`count` harmonics of each fundamental; the k-th has the amplitude 0.9^k / k."""
    return [(hz * k, 0.9**k / k) for hz in fundamentals_hz for k in range(1, count + 1)]


@dataclass(frozen=True)
class Score:
    """Everything that determines a signal, except for the factor.

    Partials of `chord` and `dense` are at least 26 Hz apart, so that the measure for
    steady tones can separate them in 0.25 s.
    """

    seed: int = 0
    chord: tuple[Partial, ...] = (*harmonics((146.83, 184.4, 235.6), 4), (3517.3, 0.08), (7919.7, 0.04))
    dense: tuple[Partial, ...] = tuple(harmonics((146.83, 187.1, 236.3), 4))
    bass: tuple[Partial, ...] = tuple((41.2 * k, 1 / k) for k in range(1, 11))
    glide_hz: float = 220
    glide_cents: float = 1200  # change of pitch in five seconds
    vibrato_hz: float = 5.5
    beats_per_minute: float = 112
    roots: tuple[int, ...] = (45, 41, 48, 43)  # MIDI notes, one per bar
    scale: tuple[int, ...] = (0, 3, 7, 10, 12, 15, 14, 7)  # semitones above A4

    def random(self, stream: int) -> np.random.Generator:
        """Returns a random generator. Each part of the signals has its own stream."""
        return np.random.default_rng(self.seed + stream)


def tuning(random: np.random.Generator, low_hz: float, high_hz: float) -> list[Partial]:
    """Returns three random notes of four partials each. All partials are at least 26 Hz apart."""
    while True:
        partials = harmonics(np.sort(random.uniform(low_hz, high_hz, 3)), 4)
        if np.diff(sorted(hz for hz, _ in partials)).min() > 26:
            return partials


def held_out(seed: int) -> Score:
    """Returns another score: other tunings, glide, song, tempo and random seeds. The stretcher is
    not tuned with it, so it shows whether the stretcher is tuned to the usual score."""
    random = np.random.default_rng([seed, 0x5EED])
    whistles = [(random.uniform(3200, 4200), 0.08), (random.uniform(7000, 9000), 0.04)]
    lowest = random.uniform(36, 62)
    return Score(
        seed=1000 * seed,
        chord=(*tuning(random, 130, 300), *whistles),
        dense=tuple(tuning(random, 110, 240)),
        bass=tuple((lowest * k, 1 / k) for k in range(1, 11)),
        glide_hz=random.uniform(160, 330),
        glide_cents=random.choice([-900, -600, 700, 1000]),
        vibrato_hz=random.uniform(4.2, 6.8),
        beats_per_minute=random.uniform(84, 140),
        roots=tuple(int(note) for note in 45 + random.integers(-5, 6, 4)),
        scale=tuple(int(step) for step in random.permutation([0, 2, 4, 7, 9, 12, 14, 16])),
    )
