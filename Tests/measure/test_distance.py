# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures of log-mel distance and delay with sounds of known distance and delay."""

import numpy as np
import pytest
from stretch.audio import earlier
from stretch.distance import LONG, MIDDLE, SHORT, aligned, delay, distance, mel_bank, mel_power
from stretch.noise import noise
from stretch.score import RATE
from stretch.song import song
from stretch.voice import voice


@pytest.mark.parametrize("resolution", [LONG, MIDDLE, SHORT])
def test_a_gain_is_that_distance_in_every_band(score, resolution):
    # the tolerance is for the fades of the noise, in which soft segments count less
    wave = noise(score, seconds=2)
    assert distance(wave, wave, resolution) == 0
    assert distance(wave * 10 ** (-3 / 20), wave, resolution) == pytest.approx(3, abs=1e-3)


def test_sound_60_db_below_the_loudest_does_not_count(score):
    wave = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE)
    assert distance(wave + 0.03 * noise(score, seconds=1), wave, LONG) == pytest.approx(0, abs=0.02)
    assert distance(wave + noise(score, seconds=1), wave, LONG) > 5


def test_bands_of_a_bank_weigh_one_and_a_tone_is_in_its_band():
    bank = mel_bank(4096, 64)
    assert np.allclose(bank.sum(1), 1)
    t = np.arange(RATE) / RATE
    power = mel_power(np.sin(2 * np.pi * 1000 * t), LONG)[0][20]
    low, high = (2595 * np.log10(1 + hz / 700) for hz in (50, 16000))
    assert np.argmax(power) == pytest.approx((2595 * np.log10(1 + 1000 / 700) - low) / (high - low) * 65 - 1, abs=0.6)


@pytest.mark.parametrize("milliseconds", [-23, 0, 17, 41])
def test_a_delay_is_found_and_taken_off(score, milliseconds):
    wave = song(score)[: 3 * RATE]
    late = earlier(wave, -milliseconds * 48)
    assert delay(late, wave) == milliseconds * 48
    back, _ = aligned(late, wave)
    assert np.array_equal(back[3000:-3000], wave[3000:-3000])


def test_a_voice_is_not_taken_for_itself_a_period_later(score):
    """Segments of 30 ms are shifted at random by up to ±6 ms, so their delay is 0. The highest peak
    of the correlation is at 4 ms, one period late."""
    wave = voice(score, 1.5)
    aside = np.random.default_rng(3).integers(-6, 7, len(wave) // 1440) * 48
    places = np.arange(1440 * len(aside)) + np.repeat(aside, 1440)
    moved = wave[np.clip(places, 0, len(wave) - 1)]
    assert abs(delay(moved, wave, around_ms=12)) <= 2 * 48
    assert abs(delay(moved, wave)) > 3 * 48
