# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import subprocess

import numpy as np
from toolrun import ENVIRONMENT, ffmpeg, samples, tool


def test_a_loud_mp3_is_decoded_by_mpg123_which_repeats_itself(tmp_path):
    """By default, decodebin prefers avdec_mp3, whose output for loud sound differs at each decode
    because of dither."""
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=r=44100:d=40:a=1:seed=1", "-ac", "2", "-c:a", "libmp3lame", "-b:a", "192k", tmp_path / "loud.mp3")
    command = "filesrc location=loud.mp3 ! mpegaudioparse ! mpg123audiodec ! audio/x-raw,format=S16LE ! wavenc ! filesink location=forward.wav"
    subprocess.run(["gst-launch-1.0", "-q", *command.split()], check=True, cwd=tmp_path, env=ENVIRONMENT, timeout=60)
    tool(tmp_path, "reverse", "loud.mp3", "-o", "reversed.wav", "--verify")
    assert np.array_equal(samples(tmp_path / "reversed.wav"), samples(tmp_path / "forward.wav")[::-1])
