# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the segments and buffers that follow an accurate seek, as gst-validate does. The segments
# that answer a seek have its sequence number.

import json
import subprocess
from pathlib import Path

import pytest
from support import ENVIRONMENT

pytestmark = pytest.mark.long

CLIENT = Path(__file__).parent / "seek_answers.py"
SECONDS = 4
# (start, stop) in ns: at boundaries of frames, within frames, and very close to boundaries.
RANGES = [(0, 3_000_000_000), (1_234_567_891, 2_345_678_912), (1_000_000_001, 2_999_999_999)]
FILES = {
    "pcm.wav": ("pcm_s16le", 44100),
    "music.flac": ("flac", 44100),
    "film.m4a": ("aac", 48000),
    "music.m4a": ("aac", 44100),
}
# The encoder's padding, 1024 frames, must not be played. At 44.1 kHz, qtdemux rounds the start of
# the segment down to a nanosecond, so the last frame of the padding is in the segment. The decoder
# outputs that frame with the time of the next frame.
FRAMES_WITHOUT_A_TIME = {"music.m4a": 1}
FILTERS = ["revbuf", "revbuf ! timescale", "revbuf ! timescale keep-pitch=true"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    for name, (codec, rate) in FILES.items():
        sound = ["-f", "lavfi", "-i", f"sine=frequency=300:sample_rate={rate}:duration={SECONDS}"]
        subprocess.run(["ffmpeg", "-v", "error", *sound, "-c:a", codec, folder / name], check=True)
    return folder


def answers(path, audio_filter, rates):
    seeks = [f"{rate}:{start}:{stop}" for rate in rates for start, stop in RANGES]
    run = subprocess.run(
        ["/usr/bin/python3", CLIENT, path, audio_filter, *seeks],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def stream_time(segment, ns):
    if segment["applied_rate"] > 0:
        return segment["time"] + (ns - segment["start"]) * segment["applied_rate"]
    return segment["time"] + (segment["stop"] - ns) * -segment["applied_rate"]


def check_first_segment(answer, late_ns):
    """Asserts that the first segment covers the requested range. Its end may be up to `late_ns`
    late."""
    first = answer["segments"][0]
    assert first["mine"]
    assert first["rate"] * first["applied_rate"] == answer["rate"]
    assert first["time"] == answer["start"]
    end = max(stream_time(first, first["start"]), stream_time(first, first["stop"]))
    # the tolerance covers that the segment's duration, divided by the rate, is rounded
    assert -abs(answer["rate"]) <= end - answer["stop"] <= late_ns + abs(answer["rate"])


def check_buffers(answer, frame_ns, late_ns):
    """Asserts that the buffers lie in their segments, are contiguous and cover the requested
    range."""
    due = None
    for index, pts, duration in answer["buffers"]:
        segment = answer["segments"][index]
        assert segment["start"] <= pts
        # the stop may lie within a frame of the input, which is longer or shorter after timescale
        assert pts + duration <= segment["stop"] + frame_ns * max(1, 1 / abs(answer["rate"])) + late_ns + 1
        assert due is None or abs(pts - due) <= late_ns / 2 + 1
        due = pts + duration
    last = answer["segments"][answer["buffers"][-1][0]]
    begin = stream_time(answer["segments"][answer["buffers"][0][0]], answer["buffers"][0][1])
    asked = (answer["stop"], answer["start"]) if answer["rate"] < 0 else (answer["start"], answer["stop"])
    frame = frame_ns * max(1, abs(last["applied_rate"])) + late_ns
    assert abs(begin - asked[0]) <= frame
    assert abs(stream_time(last, due) - asked[1]) <= 2 * frame


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("audio_filter", FILTERS)
def test_the_first_segment_after_a_seek_says_what_was_asked_for(files, name, audio_filter):
    rates = [-1] if audio_filter == "revbuf" else [-1, -2, -0.5]
    frame_ns = 1e9 / FILES[name][1]
    # a frame at either end of the requested range, and rounding
    late_ns = 2.1 * FRAMES_WITHOUT_A_TIME.get(name, 0) * frame_ns
    for answer in answers(files / name, audio_filter, rates):
        check_first_segment(answer, late_ns)
        check_buffers(answer, frame_ns, late_ns)
        # all segments up to the end must answer the same seek
        assert all(segment["mine"] for segment in answer["segments"])
        assert answer["eos"] is True
