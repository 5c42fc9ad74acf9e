# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures for tones with steady and gliding partials that have known distortions."""

import numpy as np
import pytest
from stretch.audio import earlier
from stretch.score import RATE, Score, held_out
from stretch.tones import glide, gliding, tone, tones


def with_noise(samples: np.ndarray, decibels: float) -> np.ndarray:
    """Adds white noise whose power is this many dB below that of the samples."""
    noise = np.random.default_rng(1).standard_normal(len(samples))
    return samples + noise * np.sqrt(np.mean(samples**2) / np.mean(noise**2)) * 10 ** (-decibels / 20)


@pytest.mark.parametrize("decibels", [10, 40])
@pytest.mark.parametrize("name", ["chord", "dense", "bass"])
def test_sndr_of_partials_is_that_of_the_noise(score, name, decibels):
    partials = getattr(score, name)
    given = tones(score, partials)
    figures = tone(with_noise(tones(score, partials, 1.5), decibels), given, partials, 1.5)
    assert figures["sndr"] == pytest.approx(decibels, abs=0.4)


def test_sndr_of_clean_partials_is_that_of_double_precision(score):
    given = tones(score, score.chord)
    assert tone(given, given, score.chord, 1)["sndr"] > 200


def test_flutter_of_partials(score):
    """A level that varies by ±2 dB like a sine has the standard deviation √2 dB."""
    given = tones(score, score.chord)
    t = np.arange(len(given)) / RATE
    swinging = given * 10 ** (2 * np.sin(2 * np.pi * 0.5 * t) / 20)
    assert tone(swinging, given, score.chord, 1)["am"] == pytest.approx(np.sqrt(2), rel=0.1)
    assert tone(given, given, score.chord, 1)["am"] < 0.001


def test_level_and_pitch_of_partials(score):
    """The detuning is small, because the phase must change by less than half a cycle in the 0.125 s
    from segment to segment."""
    given = tones(score, score.bass)
    detuned = tuple((hz * 2 ** (3 / 1200), amplitude) for hz, amplitude in score.bass)
    figures = tone(tones(score, detuned) / 2, given, score.bass, 1)
    assert figures["cents"] == pytest.approx(3, abs=0.02)
    assert tone(given / 2, given, score.bass, 1)["level"] == pytest.approx(-6.02, abs=0.01)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_held_out_partials_can_be_distinguished(seed):
    score = held_out(seed)
    for partials in (score.chord, score.dense, score.bass):
        assert np.diff(sorted(hz for hz, _ in partials)).min() > 26
        given = tones(score, partials)
        assert tone(given, given, partials, 1)["sndr"] > 150
    assert score.chord != Score().chord


def test_sndr_of_a_glide_is_that_of_the_noise(score):
    figures = gliding(with_noise(glide(score, 0.5), 30), score, 0.5)
    assert figures["sndr"] == pytest.approx(30, abs=0.4)
    assert figures["late_ms"] == 0


def test_a_late_glide_out_of_tune(score):
    steady = Score(glide_cents=0)
    wave = glide(Score(glide_cents=0, glide_hz=score.glide_hz * 2 ** (8 / 1200)), 0.5)
    figures = gliding(earlier(wave, -RATE // 100), steady, 0.5)
    assert figures["cents"] == pytest.approx(8, abs=0.3)
    assert figures["late_ms"] == 10
