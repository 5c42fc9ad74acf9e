# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests revbuf downstream of each element that chooses a decoder on its own.

import subprocess

import numpy as np
import pytest
from support import MEDIA, gst_launch, mostly_long, run

SOUNDS = {"sample.flac": 2, "surround.flac": 6, "short.wav": 2}


def backwards(name):
    """Returns the frames as FFmpeg decodes them, in reverse order."""
    command = ["ffmpeg", "-v", "error", "-i", MEDIA / name, "-f", "s16le", "-"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(data, "<i2").reshape(-1, SOUNDS[name])[::-1]


@pytest.mark.parametrize("name", mostly_long(SOUNDS, "surround.flac"))
@pytest.mark.parametrize("source", ["uridecodebin uri={uri}", "uridecodebin3 uri={uri}", "filesrc location={path} ! decodebin", "filesrc location={path} ! decodebin3"])
def test_decoders_are_reversed(tmp_path, source, name):
    source = source.format(uri=(MEDIA / name).as_uri(), path=MEDIA / name)
    gst_launch(f"{source} ! audioconvert ! audio/x-raw,format=S16LE ! revbuf direction=reverse ! filesink location=new.raw", cwd=tmp_path)
    assert (tmp_path / "new.raw").read_bytes() == backwards(name).tobytes()


@pytest.mark.parametrize("player", ["playbin", "playbin3"])
def test_players_are_reversed(tmp_path, player):
    uri = (MEDIA / "sample.flac").as_uri()
    words = [player, f"uri={uri}", "audio-filter=revbuf direction=reverse", "audio-sink=filesink location=new.raw"]
    run("gst-launch-1.0", "-q", *words, cwd=tmp_path)
    assert (tmp_path / "new.raw").read_bytes() == backwards("sample.flac").tobytes()
