# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import re

import numpy as np
import pytest
import wavfile
from support import EXAMPLES, MEDIA, SAMPLE, decode, mostly_long, run, scaled_length, script


def demo(folder, path):
    """Runs the demo. Returns its output, and the names of the files that it reports."""
    result = script(folder, "demo.sh", path)
    return result.stdout, re.findall(r"^wrote (.*)$", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", mostly_long(["sample.mp3", "surround.ogg", "surround.flac", "sample.opus", "sample.m4a", "speech.wav"], "sample.mp3"))
def test_the_demo_accepts_every_type(tmp_path, name):
    printed, files = demo(tmp_path, MEDIA / name)
    forward = decode(MEDIA / name)
    assert f"all {len(forward.frames)} frames are the same, bit for bit" in printed
    stem = name.split(".")[0]
    ends = ["-FORWARD.wav", "-REVERSED.wav", "-REVERSED-REVERSED.wav", "-slower.wav", "-slower-as-on-a-tape.wav", ".png"]
    assert files == [str(tmp_path / "demo" / (stem + end)) for end in ends]
    frames = {end: wavfile.read(file).frames for end, file in zip(ends[:5], files)}
    assert np.array_equal(frames["-REVERSED.wav"], forward.frames[::-1])
    assert len(frames["-slower.wav"]) == len(frames["-slower-as-on-a-tape.wav"]) == scaled_length(len(forward.frames), "1.5")
    assert printed.splitlines()[-1].startswith("Listen to ") and f"{stem}-slower.wav" in printed.splitlines()[-1]


@pytest.mark.long
def test_its_picture_is_not_blank(tmp_path):
    from matplotlib import image

    picture = image.imread(demo(tmp_path, SAMPLE)[1][-1])
    height, width, _ = picture.shape
    assert (width, height) == (1200, 750)
    for panel in np.array_split(picture[:, :, :3], 3):
        assert len(np.unique(panel.reshape(-1, 3), axis=0)) > 50
        assert 0.05 < (panel.min(axis=2) < 0.7).mean() < 0.9


@pytest.mark.long
def test_the_picture_has_one_scale_of_time(tmp_path):
    """The scaled sound is 1.5 times as long as the original, so the original's waveform must end at
    two thirds of the width."""
    from matplotlib import image

    picture = image.imread(demo(tmp_path, SAMPLE)[1][-1])[:, :, :3]
    coloured = np.ptp(picture, axis=2) > 0.2
    ends = [np.flatnonzero(panel.any(axis=0)).max() for panel in np.array_split(coloured, 3)]
    start = np.flatnonzero(coloured.any(axis=0)).min()
    assert (ends[0] - start) / (ends[2] - start) == pytest.approx(2 / 3, abs=0.02)
    assert ends[0] == pytest.approx(ends[1], abs=25)  # the original fades out


@pytest.mark.long
def test_drawing_needs_a_title_for_every_file(tmp_path):
    result = run(EXAMPLES / "draw-waveforms.py", tmp_path / "x.png", "a title", status=2)
    assert "usage" in result.stderr
