# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures for noise with noise that is modulated, repeated and coloured by known
amounts."""

import numpy as np
import pytest
from stretch.noise import ideal, noise, noisiness
from stretch.score import RATE


def test_a_copy_20_ms_later_is_half_the_correlation(score):
    given = noise(score)
    output = given.copy()
    output[960:] += given[:-960]
    figures = noisiness(output, given)
    assert figures["echo"] == pytest.approx(0.5, abs=0.02)
    assert figures["level"] == pytest.approx(3.01, abs=0.1)
    assert noisiness(noise(score, 1.5), given)["echo"] < 0.04


def test_colour_is_the_deviation_over_third_octaves(score):
    """Halves the amplitude in the upper 9 of the 22 bands, and in the upper half of the next lower
    band."""
    given = noise(score)
    spectrum = np.fft.rfft(given)
    hz = np.fft.rfftfreq(len(given), 1 / RATE)
    spectrum[hz > 2000 * 2 ** (1 / 6)] /= 2
    figures = noisiness(np.fft.irfft(spectrum), given)
    share = 9 / 22
    assert figures["colour"] == pytest.approx(6.02 * np.sqrt(share * (1 - share)), rel=0.05)


@pytest.mark.parametrize("depth", [0.2, 0.5])
def test_modulation_stands_out_of_the_noise_as_theory_has_it(score, depth):
    """The noise is multiplied by g = 1 + m·cos. Then the spectral line of its power, relative to
    the mean power, has the amplitude 2m / (1 + m²/2), and the power over 1 ms (48 frames) has the
    variance 2/48 · E(g⁴) / E(g²)²."""
    given = noise(score)
    swing = 1 + depth * np.cos(2 * np.pi * 20 * np.arange(len(given)) / RATE)
    line = 2 * depth / (1 + depth**2 / 2)
    variance = 2 / 48 * np.mean(swing**4) / np.mean(swing**2) ** 2
    window = np.hanning(2048)
    expected = 10 * np.log10((line / 2 * window.sum()) ** 2 / (variance * np.sum(window**2)))
    figures = noisiness(given * swing, given)
    assert figures["mod"] == pytest.approx(expected, abs=1.5)
    assert noisiness(given, given)["mod"] < 7


def test_the_ideal_is_noise_without_modulation_at_the_same_level(score):
    figures = ideal(score, 1.5)
    assert figures["mod"] < 5
    assert figures["level"] == pytest.approx(0, abs=0.05)
    assert figures["envelope"] == pytest.approx(np.sqrt(2 / 48), rel=0.02)
