# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The player with a window, driven by the mouse on a display that nobody sees.

import json
from pathlib import Path

import numpy as np
import pytest
from support import ENVIRONMENT, MEDIA, ROOT, ffmpeg_samples, ffprobe, run, scaled_length

WINDOW = ROOT / "launch-examples/window/retrograde-window.py"
FILES = [MEDIA / name for name in ("sample.flac", "sample.mp3", "speech.wav", "surround.flac")]
DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24"]
RATE = 44100
# no desktop: nothing may ask for a bus, a graphics card or the user's settings
GTK = {"GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GTK_THEME": "Adwaita"}


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """The folder with what came of driving it: see drive_window.py."""
    folder = tmp_path_factory.mktemp("window")
    driver = Path(__file__).with_name("drive_window.py")
    run(*DISPLAY, "/usr/bin/python3", driver, *FILES, folder, env=ENVIRONMENT | GTK, timeout=240)
    return folder


@pytest.fixture(scope="module")
def seen(driven):
    return json.loads((driven / "seen.json").read_text())


@pytest.fixture(scope="module")
def forward():
    return ffmpeg_samples(FILES[0])


def test_the_list_has_every_file_and_its_duration(seen):
    assert {name for name, _ in seen["durations"]} == {file.name for file in FILES}
    for name, seconds in seen["durations"]:
        assert seconds == pytest.approx(ffprobe(MEDIA / name)["seconds"], abs=0.03)


def test_what_is_no_audio_gets_a_sentence_and_is_not_in_the_list(seen):
    assert seen["refusal"].startswith("text.wav: ")
    assert len(seen["refusal"]) > len("text.wav: ")
    assert "text.wav" not in {name for name, _ in seen["durations"]}


def test_the_waveform_is_that_of_the_file(seen, forward):
    peaks = np.array(seen["peaks"])
    parts = np.array_split(np.abs(forward).max(axis=1), len(peaks))
    expected = np.array([part.max() for part in parts])
    # an interval of `level` is a whole number of frames, so the columns are not exactly those
    assert np.corrcoef(peaks, expected)[0, 1] > 0.98
    assert peaks.max() == pytest.approx(expected.max(), abs=0.01)


def test_nothing_is_heard_outside_of_the_markers(seen):
    start, stop = seen["markers"]
    assert start - 0.001 <= min(seen["heard"]) <= max(seen["heard"]) <= stop + 0.001
    assert max(seen["heard"]) - min(seen["heard"]) > 0.5 * (stop - start)


def test_the_whole_file_is_exported_backwards(driven, forward):
    exported = ffmpeg_samples(driven / "whole.wav")
    assert np.array_equal(exported, forward[::-1])


def test_what_lies_between_the_markers_is_exported_to_the_frame(driven, seen, forward):
    start, stop = (round(seconds * RATE) for seconds in seen["markers"])
    exported = ffmpeg_samples(driven / "loop.wav")
    assert np.array_equal(exported, forward[start:stop][::-1])


def test_the_speed_changes_the_length_and_not_the_pitch(driven, seen):
    """The middle frequency of the sound, which halves with the speed where the pitch follows."""
    loop, slow = (ffmpeg_samples(driven / name).mean(axis=1) for name in ("loop.wav", "slow.wav"))
    assert len(slow) == scaled_length(len(loop), 1 / seen["speed"])
    assert 0.3 < seen["speed"] < 0.7
    assert centre(slow) / centre(loop) == pytest.approx(1, abs=0.1)


def centre(samples):
    power = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    return (power * frequencies).sum() / power.sum()


def test_a_wrong_option_and_a_missing_plugin_get_a_sentence(tmp_path):
    usage = run("/usr/bin/python3", WINDOW, "--dance", status=1).stderr
    assert usage.startswith("usage: retrograde-window.py")
    elsewhere = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(tmp_path), "GST_PLUGIN_SYSTEM_PATH_1_0": str(tmp_path)}
    elsewhere["GST_REGISTRY_1_0"] = str(tmp_path / "registry.bin")
    missing = run("/usr/bin/python3", WINDOW, env=elsewhere, status=1).stderr
    assert missing.strip().endswith("GStreamer does not find the plugin: is GST_PLUGIN_PATH_1_0 set?")


def test_it_is_no_more_than_400_lines():
    assert sum(len(file.read_text().splitlines()) for file in WINDOW.parent.glob("*.py")) <= 400
