# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the MIDI files of instruments and textures, and the positions of their onsets."""

import numpy as np
import pytest
from stretch import instruments
from stretch.score import RATE


@pytest.mark.parametrize("number, octets", [(0, "00"), (127, "7f"), (128, "8100"), (0x0FFFFF, "bfff7f")])
def test_numbers_are_written_as_in_the_standard(number, octets):
    """Examples from the Standard MIDI Files specification."""
    assert instruments.variable(number).hex() == octets


def test_a_score_is_a_file_of_one_track():
    file = instruments.midi_file([(0.5, 0.25, 60, 100)], 40, 0, 2)
    assert file[:14] == bytes.fromhex("4d546864 00000006 0000 0001 1388")
    track = file[22:]
    assert int.from_bytes(file[18:22], "big") == len(track)
    # delta times in ticks of 0.1 ms: 10,000 before the note, 5,000 until its end
    assert track[7:].hex(" ") == "00 c0 28 ce 10 90 3c 64 a7 08 80 3c 00 00 ff 2f 00"


def test_strokes_lie_where_the_score_has_them():
    slow = instruments.bars(1.5)
    for second in instruments.bar_strokes(1.5):
        start = round(second * RATE)
        rise = np.abs(np.diff(slow[start - 40 : start + 40].sum(1), 2))
        assert rise[40:].max() > 10 * rise[:36].max()


def test_lateness_is_measured_stroke_by_stroke():
    strokes = np.array([0.2, 0.4, 0.6])
    ideal, late = np.zeros((RATE, 2)), np.zeros((RATE, 2))
    burst = np.random.default_rng(7).normal(0, 0.3, 96)
    for second, ms in zip(strokes, (1, 1, 3)):
        instruments.put(ideal, second, burst)
        instruments.put(late, second + ms / 1000, burst)
    assert np.allclose(instruments.lateness_ms(late, ideal, strokes), [0, 0, 2])
