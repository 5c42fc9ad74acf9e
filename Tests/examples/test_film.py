# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# revbuf beside the pictures of a film, which come from the same demuxer.

import subprocess

import pytest
from support import ENVIRONMENT, run


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mov"
    inputs = ["-f", "lavfi", "-i", "testsrc=duration=2:size=64x64:rate=25", "-f", "lavfi", "-i", "sine=duration=2:sample_rate=44100"]
    subprocess.run(["ffmpeg", "-v", "error", *inputs, "-c:v", "mpeg4", "-c:a", "pcm_s16le", path], check=True)
    return path


def test_playbin_says_why_it_waits(film):
    """It holds back the end of the sound, which revbuf waits for, until the pictures end."""
    words = ["playbin", f"uri={film.as_uri()}", "audio-filter=revbuf direction=reverse", "audio-sink=fakesink", "video-sink=fakesink"]
    with subprocess.Popen(["gst-launch-1.0", *words], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as player:
        told = next((line for line in player.stdout if "Nothing has moved" in line), "")
        player.kill()
    assert "a film plays backwards by a seek of negative rate" in told


def test_the_pictures_go_on_after_the_sound(tmp_path, film):
    sound, forward = tmp_path / "new.raw", tmp_path / "forward.raw"
    demuxer = f"filesrc location={film} ! qtdemux name=demuxer"
    pictures = "demuxer. ! queue ! decodebin ! fakesink sync=false"
    run("gst-launch-1.0", "-q", *f"{demuxer} demuxer. ! audio/x-raw ! revbuf direction=reverse ! filesink location={sound} {pictures}".split())
    run("gst-launch-1.0", "-q", *f"{demuxer} demuxer. ! audio/x-raw ! filesink location={forward}".split())
    frames = [forward.read_bytes()[i : i + 2] for i in range(0, forward.stat().st_size, 2)]
    assert sound.read_bytes() == b"".join(reversed(frames))
