# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import subprocess

import numpy as np
import pytest
from support import SAMPLE, write_wav


@pytest.fixture(scope="session")
def tone(tmp_path_factory):
    """A WAV of a little more than 2 s, with 1000 Hz on the left and 1500 Hz on the right."""
    time = np.arange(88211)[:, np.newaxis] / 44100
    samples = 0.5 * np.sin(2 * np.pi * np.array([1000, 1500]) * time)
    return write_wav(tmp_path_factory.mktemp("tone") / "tone.wav", 44100, samples)


def make_video(path, *sound):
    picture = ["-f", "lavfi", "-i", "testsrc=duration=0.5:size=64x64:rate=10"]
    subprocess.run(["ffmpeg", "-v", "error", *picture, *sound, "-c:v", "mpeg4", path], check=True)
    return path


@pytest.fixture(scope="session")
def bad_inputs(tmp_path_factory):
    """For each fault by name: (the file, a word that the error message must contain)."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "empty.mp3").touch()
    (folder / "text.mp3").write_text("This is not audio.\n" * 100)
    half = folder / "half.mp3"
    half.write_bytes(SAMPLE.read_bytes()[: SAMPLE.stat().st_size // 2])
    return {
        "missing": (folder / "missing.mp3", "no such file"),
        "folder": (folder, "folder"),
        "empty": (folder / "empty.mp3", "empty"),
        "not audio": (folder / "text.mp3", "no audio"),
        "video only": (make_video(folder / "silent.mp4"), "no audio"),
        "truncated": (half, "cut off"),
    }
