# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests revbuf for the sound of a film whose video comes from the same demuxer.

import json
import subprocess
from pathlib import Path

import pytest
from support import ENVIRONMENT, run

BACKWARDS = Path(__file__).parent / "film_backwards.py"


def make_film(path, *codecs):
    inputs = ["-f", "lavfi", "-i", "testsrc=duration=2:size=64x64:rate=25", "-f", "lavfi", "-i", "sine=duration=2:sample_rate=44100"]
    subprocess.run(["ffmpeg", "-v", "error", *inputs, *codecs, path], check=True)
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    return make_film(tmp_path_factory.mktemp("film") / "film.mov", "-c:v", "mpeg4", "-c:a", "pcm_s16le")


@pytest.mark.long
def test_playbin_says_why_it_waits(film):
    """There is a deadlock: revbuf waits for the end of the sound. playbin holds this end back until
    the video ends, and the video waits for the sound."""
    words = ["playbin", f"uri={film.as_uri()}", "audio-filter=revbuf direction=reverse", "audio-sink=fakesink", "video-sink=fakesink"]
    with subprocess.Popen(["gst-launch-1.0", *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as player:
        told = next((line for line in player.stdout if "has made no progress" in line), "")
        player.kill()
    assert "to play a film backwards, seek with a negative rate" in told


def test_the_pictures_continue_after_the_sound(tmp_path, film):
    sound, forward = tmp_path / "new.raw", tmp_path / "forward.raw"
    demuxer = f"filesrc location={film} ! qtdemux name=demuxer"
    pictures = "demuxer. ! queue ! decodebin ! fakesink sync=false"
    run("gst-launch-1.0", "-q", *f"{demuxer} demuxer. ! audio/x-raw ! revbuf direction=reverse ! filesink location={sound} {pictures}".split())
    run("gst-launch-1.0", "-q", *f"{demuxer} demuxer. ! audio/x-raw ! filesink location={forward}".split())
    frames = [forward.read_bytes()[i : i + 2] for i in range(0, forward.stat().st_size, 2)]
    assert sound.read_bytes() == b"".join(reversed(frames))


@pytest.mark.long
@pytest.mark.parametrize(("suffix", "codec"), [("mkv", "flac"), ("mp4", "aac")])
def test_pictures_stay_in_step_after_a_seek_of_negative_rate(tmp_path, suffix, codec):
    path = make_film(tmp_path / f"film.{suffix}", "-c:v", "mpeg4", "-g", "12", "-c:a", codec)
    report = json.loads(run("/usr/bin/python3", BACKWARDS, path).stdout)
    assert report["blocks"] == 0
    assert report["warnings"] == []
    for sink in ("audio", "video"):
        times = report[sink]
        assert [running + stream for running, stream in times] == pytest.approx([2] * len(times), abs=0.05)
        assert times[0][1] > 1.9 and times[-1][1] < 0.2
