# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that synthetic voices at another pitch keep their formants and level, and the measure of
the distance from them."""

import numpy as np
import pytest
from formants import distance_db, table
from scipy.signal import resample_poly
from stretch import peers, speakers
from stretch.score import RATE
from stretch.voice import places, sentence, speak


def vowel(score) -> slice:
    """Returns the middle half of the longest vowel, in frames."""
    placed = [(start, end) for sound, start, end in places(sentence(score), 1) if sound.kind == "vowel"]
    start, end = max(placed, key=lambda place: place[1] - place[0])
    return slice((3 * start + end) // 4, (start + 3 * end) // 4)


def period(samples: np.ndarray) -> int:
    """Returns the period of a voice between 60 and 250 Hz, in frames."""
    spectrum = np.abs(np.fft.rfft(samples, 2 * len(samples))) ** 2
    correlation = np.fft.irfft(spectrum)
    lags = np.arange(RATE // 250, RATE // 60)
    return int(lags[correlation[lags].argmax()])


def test_a_voice_is_higher_by_the_semitones(score):
    plain, moved = (speak(score, 1, semitones).samples[vowel(score)] for semitones in (0, 4))
    assert period(plain) / period(moved) == pytest.approx(2 ** (4 / 12), rel=0.02)


def test_a_moved_voice_is_as_loud_and_as_long(score):
    plain, moved = (speak(score, 1, semitones).samples for semitones in (0, -7))
    assert len(plain) == len(moved)
    assert np.mean(moved**2) == pytest.approx(np.mean(plain**2), rel=0.02)


def test_moved_formants_are_farther_away(score):
    """A faster tape moves the formants together with the pitch, so it must be far from the ideal:
    the same voice, speaking at the higher pitch."""
    ideal = speak(score, 1, 12).samples
    tape = resample_poly(speak(score, 2).samples, 1, 2)
    assert distance_db(ideal, ideal) == 0
    assert distance_db(tape, ideal) > 3


def test_the_table_has_a_row_for_each_voice_and_pitch():
    text = table({"voice": {"+4": {"a": 1.234, "b": 2.0}, "-4": {"a": 3.0, "b": 4.5}}})
    assert "| voice | +4 | 1.23 | 2.00 |" in text and "| voice | -4 | 3.00 | 4.50 |" in text


@pytest.mark.skipif(not peers.installed("program:flite"), reason="flite is not installed")
def test_diphones_keep_their_duration():
    low, high = (len(speakers.diphones(semitones)) / RATE for semitones in (-4, 4))
    assert low == pytest.approx(high, rel=0.01)
