# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calculates the loudness of sounds at 48 kHz with the formulas of ITU-R BS.1770-4."""

import numpy as np
from scipy.signal import lfilter

RATE = 48000
SHELF = ([1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585])
HIGH_PASS = ([1, -2, 1], [1, -1.99004745483398, 0.99007225036621])
BLOCK, STEP = int(0.4 * RATE), int(0.1 * RATE)


def loudness(samples):
    """Returns the loudness in LUFS. `samples` is an array of frames × channels. It must not have
    surround channels, because their weights are different."""
    weighted = lfilter(*HIGH_PASS, lfilter(*SHELF, samples, axis=0), axis=0)
    starts = range(0, len(weighted) - BLOCK + 1, STEP)
    power = np.array([np.square(weighted[start : start + BLOCK]).mean(0).sum() for start in starts])
    for gate in (lambda _: 10 ** (-69.309 / 10), lambda loud: 0.1 * loud.mean()):
        power = power[power > gate(power)]
    return -0.691 + 10 * np.log10(power.mean())
