# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures for attacks with attacks that are shifted, smeared, omitted and doubled by
known amounts."""

import numpy as np
import pytest
from stretch.attacks import attack_times, attacks, bursts, end_levels, ends, ends_signal, events
from stretch.audio import earlier
from stretch.score import RATE

FACTOR = 1.5


def placed(score, kind, offsets=0.0, gains=1.0) -> np.ndarray:
    """Returns the sound of the score's attacks, stretched by FACTOR. Each attack is shifted by its
    offset in frames, and has its gain."""
    times = attack_times(score) * FACTOR
    wave = np.zeros(int(8 * FACTOR * RATE))
    for time, (burst, middle), offset, gain in zip(
        times, bursts(score, kind, len(times)), np.broadcast_to(offsets, len(times)), np.broadcast_to(gains, len(times))
    ):
        at = int(round(time * RATE)) + int(offset) - middle
        wave[at : at + len(burst)] += gain * burst
    return wave


def measured(score, kind, wave):
    return events(wave, attack_times(score) * FACTOR, kind, score)


@pytest.mark.parametrize("kind", ["click", "castanet"])
def test_attacks_of_the_score_are_in_place(score, kind):
    figures = measured(score, kind, attacks(score, kind, FACTOR))
    assert (figures["late_ms"], figures["dup"], figures["miss"], figures["pre"]) == (0, 0, 0, -200)
    assert figures["jitter_ms"] < 0.001 and figures["peak"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("kind", ["click", "castanet"])
def test_jitter_is_the_deviation_of_the_offsets(score, kind):
    count = len(attack_times(score))
    offsets = np.random.default_rng(2).integers(-150, 151, count)
    figures = measured(score, kind, placed(score, kind, offsets + 240))
    about = offsets - np.median(offsets)
    assert figures["jitter_ms"] == pytest.approx(np.sqrt(np.mean(about**2)) / 48, rel=0.01)
    assert figures["late_ms"] == pytest.approx(5 + np.median(offsets) / 48, abs=0.03)
    assert figures["worst_ms"] == pytest.approx(np.abs(about).max() / 48, rel=0.02)


def test_pre_echo_is_the_share_of_energy_before(score):
    """Each attack has a copy at −20 dB, 10 ms earlier. The copy has 1/101 of the energy of the
    attack and the copy together."""
    wave = placed(score, "castanet") + 0.1 * placed(score, "castanet", -480)
    figures = measured(score, "castanet", wave)
    assert figures["pre"] == pytest.approx(-10 * np.log10(101), abs=0.4)


def test_sound_after_a_pulse_is_spread(score):
    wave = placed(score, "click") + 0.1 * placed(score, "click", 720)
    figures = measured(score, "click", wave)
    assert figures["post"] == pytest.approx(-10 * np.log10(101), abs=0.1)
    assert figures["dup"] == 0


def test_lost_doubled_and_lower_attacks_are_counted(score):
    count = len(attack_times(score))
    gains = np.where(np.arange(count) % 4 == 1, 0, 0.8)
    figures = measured(score, "click", placed(score, "click", 0, gains))
    assert figures["miss"] == np.count_nonzero(gains == 0) / count
    assert figures["peak"] == pytest.approx(20 * np.log10(0.8), abs=0.01)
    twice = placed(score, "click") + 0.9 * placed(score, "click", 480, gains > 0)
    assert measured(score, "click", twice)["dup"] == np.count_nonzero(gains) / count


@pytest.mark.parametrize("factor", [0.75, 2])
def test_first_and_last_attack(score, factor):
    wave = ends_signal(score, factor)
    assert ends(wave, factor)["length"] == 0
    assert ends(wave, factor)["first"] == pytest.approx(0, abs=0.2)
    wave[: RATE // 10] = earlier(wave[: RATE // 10], -96) / 2
    figures = ends(np.append(wave, np.zeros(7)), factor)
    assert figures["first"] == pytest.approx(-6.02, abs=0.2)
    assert figures["first_ms"] == pytest.approx(2, abs=0.05)
    assert figures["length"] == 7


def test_levels_at_the_end_are_those_of_the_last_milliseconds(score):
    ideal = 0.1 * score.random(9).standard_normal(RATE)
    output = ideal.copy()
    output[-480:] /= 2
    figures = end_levels(np.append(0, output), ideal)
    assert figures["length"] == 1
    assert figures["last10"] == pytest.approx(-6.02, abs=0.01)
    halves = np.mean(output[-960:] ** 2) / np.mean(ideal[-960:] ** 2)
    assert figures["last20"] == pytest.approx(10 * np.log10(halves), abs=0.01)
    assert figures["last40"] == pytest.approx(10 * np.log10((3 + 1 / 4) / 4), abs=0.2)
