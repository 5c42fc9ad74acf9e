# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests time maps (--map): clicks must be output at the times that the map gives, with linear
# interpolation between its points.

import wave

import numpy as np
import pytest
from toolrun import samples, tool

RATE = 44100


def clicks(folder, times):
    sound = np.zeros(int((max(times) + 1) * RATE), dtype="<i2")
    sound[np.round(np.array(times) * RATE).astype(int)] = 20000
    with wave.open(str(folder / "clicks.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(sound.tobytes())


def heard(path, expected):
    """Returns the time of the loudest sample within 0.1 s of each expected time, in seconds."""
    sound = np.abs(samples(path)[:, 0])
    starts = [int((time - 0.1) * RATE) for time in expected]
    return np.array([start + np.argmax(sound[start : start + RATE // 5]) for start in starts]) / RATE


@pytest.mark.parametrize("options, most", [([], 0.001), (["--keep-pitch"], 0.003)], ids=["tape", "pitch kept"])
def test_clicks_between_the_points_lie_on_the_lines(tmp_path, options, most):
    """Rounding errors must not add up over many points."""
    beats = np.arange(1, 41) * 0.5
    moved = np.arange(1, 41) * 0.6 + 0.05 * np.sin(np.arange(1, 41))
    (tmp_path / "map.txt").write_text("# beats\n\n" + "".join(f"{a:.4f}, {b:.6f}\n" for a, b in zip(beats, moved)))
    times = beats - 0.25
    clicks(tmp_path, times)
    tool(tmp_path, "scale", "--map", "map.txt", *options, "clicks.wav", "-o", "new.wav")
    expected = np.interp(times, [0, *beats], [0, *moved])
    assert np.abs(heard(tmp_path / "new.wav", expected) - expected).max() < most
    # after the last point, the sound continues unchanged
    assert abs(len(samples(tmp_path / "new.wav")) / RATE - (moved[-1] + 0.75)) < most


def test_after_the_last_point_the_factor_holds(tmp_path):
    (tmp_path / "map.txt").write_text("0 0\n0:01 1.5\n")
    clicks(tmp_path, [1.5, 2])
    tool(tmp_path, "scale", "--map", "map.txt", "--factor", "2", "clicks.wav", "-o", "new.wav")
    assert np.abs(heard(tmp_path / "new.wav", [2.5, 3.5]) - [2.5, 3.5]).max() < 0.001


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("1 2 3", "map.txt, line 1: write a time of the input and one of the output, such as 12.5 13 or 0:12.5 0:13."),
        ("1 2\nx", "map.txt, line 2: write a time of the input and one of the output"),
        ("2 2\n1 3", "map.txt: In the input, point 2 of the time map is less than 20 ms after point 1"),
        ("1 2\n2 1", "map.txt: Between point 1 and point 2 of the time map, the factor would not be from 0.01 to 100"),
        ("# nothing", "map.txt: The time map has no points; add one."),
    ],
)
def test_a_wrong_map_is_reported(tmp_path, text, sentence):
    (tmp_path / "map.txt").write_text(text)
    clicks(tmp_path, [1])
    assert sentence in tool(tmp_path, "scale", "--map", "map.txt", "clicks.wav", status=64).stderr


@pytest.mark.parametrize("options", [["--region", "0-1"], ["--length", "3"], ["--map", "nowhere"]])
def test_options_that_contradict_a_map_are_refused(tmp_path, options):
    (tmp_path / "map.txt").write_text("1 2")
    clicks(tmp_path, [1])
    assert "map" in tool(tmp_path, "scale", "--map", "map.txt", *options, "clicks.wav", status=None).stderr
    assert not (tmp_path / "clicks-scaled.wav").exists()
