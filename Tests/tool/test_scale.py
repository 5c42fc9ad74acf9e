# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that every option that changes length or pitch reaches the element: the output is that of a
# pipeline with these properties, bit for bit.

import subprocess

import numpy as np
import pytest
from toolrun import ENVIRONMENT, ffmpeg, mostly_long, samples, tool


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Half a second of two rising tones, in 32-bit floating point."""
    path = tmp_path_factory.mktemp("sound") / "sound.wav"
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*(200+600*t)*t)|0.3*sin(2*PI*(300+90*t)*t):d=0.5:s=44100", "-c:a", "pcm_f32le", path)
    return path


# words of the command line → properties of timescale
SAME = {
    "--factor 0.7": "factor=0.7",
    "--factor 0.7 --interpolation linear": "factor=0.7 interpolation=linear",
    "--factor 0.7 --quality 9": "factor=0.7 quality=9",
    **dict.fromkeys(["--speed 1.25", "--speed 125%", "--speed 5/4", "--factor 80%", "--factor 4/5", "--bpm 96:120"], "factor=0.8"),
    "--tempo 1.25": "factor=0.8 keep-pitch=true",
    "--keep-pitch --factor 1.5": "factor=1.5 keep-pitch=true",
    "--semitones -12": "semitones=-12",
    "--semitones 7 --factor 0.8": "semitones=7 factor=0.8",
    "--pitch 7.5": "semitones=7.5",
    "--semitones 4 --formants keep": "semitones=4 formants=keep",
    "--formant-semitones -3": "formant-semitones=-3",
    "--semitones -5 --formants keep --formant-semitones 3": "semitones=-5 formants=keep formant-semitones=3",
}


# TimeOptionTests has the same notations.
NOTATIONS = ["--speed 125%", "--speed 5/4", "--factor 80%", "--factor 4/5", "--pitch 7.5"]


@pytest.mark.parametrize("words", mostly_long(SAME, *(words for words in SAME if words not in NOTATIONS)))
def test_every_option_is_that_of_the_element(tmp_path, sound, words):
    tool(tmp_path, "scale", *words.split(), "--no-guard", sound, "-o", "new.wav")
    pipeline = f"filesrc location={sound} ! wavparse ! timescale {SAME[words]} ! wavenc ! filesink location=plain.wav"
    subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], cwd=tmp_path, env=ENVIRONMENT, check=True)
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(tmp_path / "plain.wav"))


@pytest.mark.parametrize("words", mostly_long(["--speed 1.25", "--factor 0.8"], "--factor 0.8"))
def test_it_is_reversed_and_scaled_in_one_go(tmp_path, sound, words):
    tool(tmp_path, "reverse", *words.split(), sound, "-o", "new.wav")
    tool(tmp_path, "reverse", sound, "-o", "reversed.wav")
    tool(tmp_path, "scale", *words.split(), "reversed.wav", "-o", "two.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(tmp_path / "two.wav"))


@pytest.mark.parametrize("words", mostly_long(["scale", "scale --keep-pitch", "reverse"], "scale"))
@pytest.mark.parametrize("file, length, frames", [("s16.wav", "2.5", 110250), ("lame.mp3", "0:00.3", 13230)])
def test_the_length_is_met_to_the_frame(tmp_path, sounds, file, length, frames, words):
    tool(tmp_path, *words.split(), "--length", length, sounds[file], "-o", "new.flac")
    assert len(samples(tmp_path / "new.flac")) == frames
