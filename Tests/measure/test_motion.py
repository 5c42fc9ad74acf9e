# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures for changing factors with known time maps, drifts, delays and
transpositions."""

import numpy as np
import pytest
from stretch import motion, programs
from stretch.attacks import attack_times, attacks, castanet
from stretch.audio import earlier
from stretch.score import RATE
from stretch.tones import tones


def test_the_map_is_the_integral_of_the_factor():
    inputs, outputs = motion.swinging_map(8 * RATE + 100)
    assert (inputs[0], outputs[0], inputs[-1]) == (0, 0, 8 * RATE + 100)
    t = np.linspace(0, 8, 800001)
    factor = 1.15 + 0.45 * np.sin(np.pi * t)
    assert np.interp(8 * RATE, inputs, outputs) == pytest.approx(np.trapz(factor, t) * RATE, abs=0.1)
    slopes = np.diff(outputs) / np.diff(inputs)
    assert 0.7 <= slopes.min() < 0.71 and 1.59 < slopes.max() <= 1.6


def test_attacks_where_the_map_says_and_4_ms_beside(score):
    frames = 8 * RATE
    _, outputs = motion.swinging_map(frames)
    wave = np.zeros(int(outputs[-1]) + RATE)
    for index, time in enumerate(attack_times(score)):
        at = int(round(np.interp(time * RATE, *motion.swinging_map(frames)))) + (192 if index % 2 else 0)
        burst, _ = castanet(score, index)
        wave[at : at + len(burst)] += burst
    assert motion.moved_attacks(wave, score, frames)["worst_ms"] == pytest.approx(4, abs=0.05)


@pytest.mark.parametrize("factor, ppm", [(1.0, 0), (1.0, 1.0), (25 / 24, -2.0)])
def test_a_drift_of_a_millionth_is_3_6_ms_an_hour(score, factor, ppm):
    minutes = 20
    wave = np.zeros(int((minutes * 60 + 1) * RATE * factor), np.float32)
    burst = castanet(score, 3)[0]
    for place in motion.drift_places(minutes):
        at = int(round(place * factor * (1 + ppm * 1e-6)))
        wave[at : at + len(burst)] += burst
    figures = motion.drift(wave, score, minutes, factor)
    assert figures["ms_per_hour"] == pytest.approx(3.6 * ppm, abs=0.03)
    assert figures["worst"] == pytest.approx(abs(ppm) * minutes * 0.06 * factor, abs=0.06)
    assert figures["length"] == pytest.approx(RATE * factor, abs=1)


def test_a_chord_at_its_new_pitch(score):
    ratio = 2 ** (3 / 12)
    partials = tuple((hz * ratio, amplitude) for hz, amplitude in score.chord)
    wave = tones(score, partials)
    assert motion.transposed(wave, score, "chord", 3)["sndr"] > 200
    assert motion.transposed(wave, score, "chord", 2.9)["sndr"] < 20


def test_a_program_gets_the_map_in_a_file(tmp_path):
    program = tmp_path / "lines.py"
    program.write_text("import shutil, sys\nprint(open(sys.argv[3]).read())\nsys.exit(3)\n")
    peer = programs.moving(
        "lines",
        lambda *words: ["/usr/bin/python3", str(program), *words[:3]],
        "",
        np.array([0.0, 10]),
        np.array([0.0, 15]),
    )
    with pytest.raises(RuntimeError, match="0 0\n10 15"):
        peer(np.zeros(10), 1.5)
