# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A segment that carries the number of a seek answers it: the checks that gst-validate makes of
# accurate seeks, and of the times after it.

import json
import subprocess
from pathlib import Path

import pytest
from support import ENVIRONMENT

CLIENT = Path(__file__).parent / "seek_answers.py"
SECONDS = 4
RATE = 44100
FRAME_NS = 1e9 / RATE
# on the boundaries of frames, inside of frames, and just beside boundaries
RANGES = [(0, 3_000_000_000), (1_234_567_891, 2_345_678_912), (1_000_000_001, 2_999_999_999)]
CODECS = {"wav": "pcm_s16le", "flac": "flac", "m4a": "aac"}
FILTERS = ["revbuf", "revbuf ! timescale", "revbuf ! timescale keep-pitch=true"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    for suffix, codec in CODECS.items():
        sound = ["-f", "lavfi", "-i", f"sine=frequency=300:sample_rate={RATE}:duration={SECONDS}"]
        subprocess.run(["ffmpeg", "-v", "error", *sound, "-c:a", codec, folder / f"sound.{suffix}"], check=True)
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
    """As GStreamer computes it."""
    if segment["applied_rate"] > 0:
        return segment["time"] + (ns - segment["start"]) * segment["applied_rate"]
    return segment["time"] + (segment["stop"] - ns) * -segment["applied_rate"]


def check_first_segment(answer, is_exact):
    first = answer["segments"][0]
    assert first["mine"]
    assert first["rate"] * first["applied_rate"] == answer["rate"]
    assert first["time"] == answer["start"]
    # rounded once where it is divided by the rate
    end = max(stream_time(first, first["start"]), stream_time(first, first["stop"]))
    assert not is_exact or abs(end - answer["stop"]) <= abs(answer["rate"])


def check_buffers(answer, is_exact):
    """All lie in their segments, follow one another, and reach as far as what was asked for."""
    due = None
    for index, pts, duration in answer["buffers"]:
        segment = answer["segments"][index]
        assert segment["start"] <= pts
        # timescale may make a frame that the stop cuts
        assert pts + duration <= segment["stop"] + FRAME_NS + 1
        # a decoder may make a frame more than its timestamps have room for
        assert due is None or abs(pts - due) <= FRAME_NS + 1
        due = pts + duration
    first, last = answer["segments"][0], answer["segments"][answer["buffers"][-1][0]]
    begin = stream_time(answer["segments"][answer["buffers"][0][0]], answer["buffers"][0][1])
    asked = (answer["stop"], answer["start"]) if answer["rate"] < 0 else (answer["start"], answer["stop"])
    frame = FRAME_NS * max(1, abs(first["applied_rate"]))
    assert not is_exact or abs(begin - asked[0]) <= frame
    assert not is_exact or abs(stream_time(last, due) - asked[1]) <= 2 * frame


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("audio_filter", FILTERS)
def test_the_first_segment_after_a_seek_says_what_was_asked_for(files, suffix, audio_filter):
    rates = [-1] if audio_filter == "revbuf" else [-1, -2, -0.5]
    for answer in answers(files / f"sound.{suffix}", audio_filter, rates):
        # AAC may hold more frames than its times say: then the stop is that of the frames
        is_exact = suffix != "m4a"
        check_first_segment(answer, is_exact)
        # of AAC, timescale is given a frame more than its segment has room for
        if is_exact or audio_filter == "revbuf":
            check_buffers(answer, is_exact)
        # the rest belongs to the same seek, up to the end
        assert all(segment["mine"] for segment in answer["segments"])
        assert answer["eos"] is True
