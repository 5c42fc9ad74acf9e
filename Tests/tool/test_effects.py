# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests effects (`--effect`, `--effect-before`, `--tail`) with an echo, whose output is known sample
# by sample. The played samples must equal the written samples.

import numpy as np
import pytest
from toolrun import MEDIA, ffmpeg, samples, tool

SHORT = MEDIA / "short.wav"
ECHO = "audioecho delay=250000000 intensity=0.5"
DELAY = 11025
# One step of 16-bit samples.
STEP = 1 / 32768


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """A song that is so quiet that an echo does not exceed full scale."""
    ffmpeg("-i", SHORT, "-af", "volume=0.25", folder := tmp_path_factory.mktemp("quiet") / "quiet.wav")
    return folder


def echoed(sound):
    """Returns the sound plus its echo: at half the level, DELAY frames later. The result is longer
    by DELAY frames."""
    whole = np.concatenate([sound, np.zeros((DELAY, sound.shape[1]))])
    whole[DELAY:] += 0.5 * sound
    return whole


EXPECTED = {"--effect": lambda sound: echoed(sound[::-1]), "--effect-before": lambda sound: echoed(sound)[::-1]}


@pytest.mark.parametrize("option", EXPECTED)
def test_an_echo_follows_the_reversed_sound_or_swells_before_it(tmp_path, quiet, option):
    tool(tmp_path, "reverse", quiet, option, ECHO, "--tail", "0.25", "-o", "echo.wav")
    assert np.abs(samples(tmp_path / "echo.wav") - EXPECTED[option](samples(quiet))).max() <= STEP


def test_played_sound_is_the_written_sound(tmp_path, quiet):
    options = ["--tempo", "1.25", "--effect", ECHO, "--effect", "equalizer-3bands band0=3", "--tail", "0.25"]
    tool(tmp_path, "scale", quiet, *options, "-o", "written.wav", "--bits", "32")
    tool(tmp_path, "play", quiet, *options, "--sink", "audioconvert ! audio/x-raw,format=S32LE ! wavenc ! filesink location=played.wav")
    assert np.array_equal(samples(tmp_path / "written.wav"), samples(tmp_path / "played.wav"))
