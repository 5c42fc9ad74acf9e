# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Applause: several people clapping, each with their own sound and pace."""

import numpy as np
from scipy.signal import butter, lfilter

from .audio import fade
from .score import RATE, Score

HANDS = 14


def clap(random: np.random.Generator) -> np.ndarray:
    """A clap: noise around the pitch of the hands that decays within some milliseconds."""
    t = np.arange(int(0.05 * RATE)) / RATE
    low = random.uniform(500, 1100)
    noise = lfilter(*butter(2, [low, 3.2 * low], "band", fs=RATE), random.standard_normal(len(t)))
    wave = noise * np.minimum(t / 0.0004, 1) * np.exp(-t / random.uniform(0.003, 0.007))
    return wave / np.max(np.abs(wave))


def applause(score: Score, factor: float = 1, seconds: float = 3) -> np.ndarray:
    """Applause in which each clap keeps its sound, and its time is multiplied by the factor."""
    wave = np.zeros(int(round(seconds * factor * RATE)) + RATE)
    for hand in range(HANDS):
        random = score.random(2000 + hand)
        pace, near = random.uniform(0.19, 0.32), random.uniform(0.15, 1)
        time = random.uniform(0, pace)
        while time < seconds - 0.05:
            burst = near * random.uniform(0.6, 1) * clap(random)
            at = int(round(time * factor * RATE))
            wave[at : at + len(burst)] += burst
            time += pace * random.uniform(0.88, 1.12)
    return fade(0.2 * wave[: int(round(seconds * factor * RATE))], 5)
