# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests timescale upstream of revbuf, the order in GStreamer Editing Services if revbuf is added to
# a clip first. The output must be the reverse of the scaled stream, frame by frame.

import json
from pathlib import Path

import numpy as np
import pytest
from support import mostly_long, run

PROGRAM = Path(__file__).parent / "flow_run.py"
RATE, SECONDS = 44100, 2
# Short blocks, so that a file of 5 s has many.
BLOCKS = "block-time=300000000 preroll-time=50000000"
REVERSE = f"revbuf name=revbuf direction=reverse {BLOCKS}"
ENCODERS = {"flac": ["flac"], "wav": ["pcm_s16le"], "ogg": ["libvorbis"], "mp3": ["libmp3lame"]}
SETTINGS = [
    "rate=1.25 keep-pitch=true window=low-latency",
    "rate=1.25 keep-pitch=true",
    "rate=1.2345 keep-pitch=true window=low-latency",
    "semitones=2",
    "rate=1.2345",
    "factor=1.7 interpolation=linear",
]
CASES = [("flac", settings) for settings in SETTINGS] + [(suffix, SETTINGS[0]) for suffix in ("wav", "ogg", "mp3")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Noise on the left and a tone on the right, in each file type."""
    folder = tmp_path_factory.mktemp("scaled")
    noise = f"anoisesrc=d={SECONDS}:c=pink:r={RATE}:seed=3:a=0.4"
    sound = ["-f", "lavfi", "-i", noise, "-f", "lavfi", "-i", f"sine=f=440:d={SECONDS}:r={RATE}"]
    for suffix, encoder in ENCODERS.items():
        run("ffmpeg", "-v", "error", *sound, "-filter_complex", "amerge=inputs=2", "-c:a", *encoder, folder / f"in.{suffix}")
    return {suffix: folder / f"in.{suffix}" for suffix in ENCODERS}


def played(path, filters):
    target = path.with_suffix(".f32")
    source = f"filesrc location={path} ! decodebin ! audioconvert"
    result = run("/usr/bin/python3", PROGRAM, f"{source} ! {filters}", target)
    return json.loads(result.stdout), np.fromfile(target, "<f4").reshape(-1, 2)


@pytest.mark.parametrize(("suffix", "settings"), mostly_long(CASES, CASES[0], CASES[-2]))
def test_the_reverse_of_a_scaled_stream_has_its_frames(files, suffix, settings):
    _, forward = played(files[suffix], f"timescale {settings}")
    report, backward = played(files[suffix], f"timescale {settings} ! {REVERSE}")
    assert np.array_equal(backward, forward[::-1])
    assert report["jumps"] == [] and report["warnings"] == []
    assert [times[2:] for times in report["segments"]] == [[1, -1]]


def test_blocks_that_never_fit_are_not_fetched(files):
    scale = "timescale rate=1.25 keep-pitch=true"
    _, forward = played(files["flac"], scale)
    report, backward = played(files["flac"], f"{scale} ! {REVERSE} mode=seek")
    assert report["blocks"] == 0
    assert np.array_equal(backward, forward[::-1])
    assert report["warnings"] == [
        "A timescale upstream outputs different frames after each seek, so the stream is collected "
        "to its end before it is played: put revbuf before timescale."
    ]


def test_a_loop_of_a_scaled_stream_is_refused(files):
    report, samples = played(files["flac"], "timescale factor=2 ! revbuf name=revbuf loop=repeat loop-stop=1000000000")
    assert len(samples) == 2 * SECONDS * RATE
    assert report["warnings"] == [
        "A timescale upstream outputs different frames after each seek, so the stream is not looped: "
        "put revbuf before timescale."
    ]


def test_blocks_are_fetched_through_a_timescale_that_changes_nothing(files):
    report, backward = played(files["flac"], f"timescale keep-pitch=true ! {REVERSE}")
    assert report["blocks"] > 1 and report["warnings"] == []
    assert np.array_equal(backward, played(files["flac"], "identity")[1][::-1])
