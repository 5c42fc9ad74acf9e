# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Files in which GStreamer seeks to a wrong place, but which it decodes from the start without a fault:
# all their frames are reversed.

import subprocess

import numpy as np
import pytest
from flacfile import flac
from support import SOUNDS, gst_launch, mostly_long, run

RATE = 44100


def sound(n_frames, channels):
    """Noise with a slow swell, so that no place is like another."""
    numbers = np.random.default_rng(7)
    swell = 8000 * (1 + np.sin(np.arange(n_frames) / 9000))
    return (numbers.uniform(-1, 1, (n_frames, channels)) * swell[:, None]).astype("<i2")


def variable_flac(path):
    """A FLAC file with blocks of 256 to 4,608 frames."""
    frames = sound(12 * RATE, 2)
    cuts = np.cumsum(np.random.default_rng(3).integers(256, 4608, 600))
    parts = [(part, RATE) for part in np.split(frames, cuts[cuts < len(frames)])]
    path.write_bytes(flac(parts, len(frames)))


def au_with_24_bits(path, channels):
    frames = sound(3 * RATE, channels).tobytes()
    words = ["-f", "s16le", "-ar", str(RATE), "-ac", str(channels), "-i", "-", "-c:a", "pcm_s24be", path]
    subprocess.run(["ffmpeg", "-v", "error", *words], input=frames, check=True)


FILES = {
    "variable.flac": variable_flac,
    "mono.au": lambda path: au_with_24_bits(path, 1),
    "stereo.au": lambda path: au_with_24_bits(path, 2),
}


def decoded(path, channels):
    words = ["ffmpeg", "-v", "error", "-i", path, "-f", "s32le", "-"]
    return np.frombuffer(subprocess.run(words, check=True, capture_output=True).stdout, "<i4").reshape(-1, channels)


@pytest.mark.parametrize("mode", ["auto", "seek"])
@pytest.mark.parametrize("name", FILES)
def test_no_frame_is_lost(tmp_path, name, mode):
    path = tmp_path / name
    FILES[name](path)
    gst_launch(
        f"filesrc location={path} ! decodebin ! audioconvert ! audio/x-raw,format=S32LE,layout=interleaved "
        f"! revbuf direction=reverse mode={mode} ! filesink location=new.raw",
        cwd=tmp_path,
    )
    channels = 1 if name == "mono.au" else 2
    new = np.fromfile(tmp_path / "new.raw", "<i4").reshape(-1, channels)
    expected = decoded(path, channels)[::-1]
    assert len(new) == len(expected)
    assert np.array_equal(new, expected)


# aiffparse may push before decodebin has exposed its pad, and decodebin drops its error, also without revbuf
RELIABLE = [path for path in SOUNDS if path.suffix != ".aiff"]


@pytest.mark.parametrize("path", mostly_long(RELIABLE, *(path for path in RELIABLE if path.suffix in (".m4a", ".mp3"))), ids=lambda path: path.name)
def test_right_seeks_are_believed(path):
    """For example in an M4A, whose decoder outputs its priming with the time of the next frame."""
    said = run("gst-launch-1.0", *f"filesrc location={path} ! decodebin ! audioconvert ! revbuf direction=reverse ! fakesink".split())
    assert "the stream is collected" not in said.stdout + said.stderr
