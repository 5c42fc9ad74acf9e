# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the levels after onsets with sounds whose levels are known."""

import numpy as np
import pytest
from stretch import levels
from stretch.score import RATE


@pytest.mark.parametrize("factor", [0.5, 1, 2])
def test_a_hole_after_each_onset_is_measured_where_it_is(score, factor):
    """Given tones at their new times, which are 12 dB softer from 20 to 40 ms after their onsets."""
    given = levels.tones([440], score)
    output = np.zeros(int(len(given.samples) * factor))
    for onset in given.frames:
        place = int(onset * factor)
        output[place : place + RATE // 8] = given.samples[onset : onset + RATE // 8]
        output[place + RATE // 50 : place + RATE // 25] *= 10 ** (-12 / 20)
    steps = levels.after_onsets(output, given, factor)
    assert steps == pytest.approx([0, 0, -12, -12, 0, 0, 0, 0], abs=0.15)


def test_a_decay_is_compared_with_the_place_on_the_map():
    """Given a decay of 100 dB per second, when it's twice as long, it falls half as fast."""
    time = np.arange(int(levels.PIECE_S * RATE)) / RATE
    given = levels.joined([np.sin(2 * np.pi * 1000 * time) * 10 ** (-5 * time)] * 3)
    output = np.zeros(2 * len(given.samples))
    for onset in given.frames:
        output[2 * onset : 2 * onset + len(time)] = np.sin(2 * np.pi * 1000 * time) * 10 ** (-2.5 * time)
    assert levels.after_onsets(output, given, 2) == pytest.approx([0] * levels.STEPS, abs=0.3)
