# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests reverse playback from a web server: by block seeks if the server supports range requests,
# otherwise from the collected stream.

import shutil
import subprocess
import textwrap

import numpy as np
import pytest
import wavfile
from fileserver import Server, ServerOfParts, serve
from support import MEDIA, decode, run

pytestmark = pytest.mark.long

KINDS = ["wav", "flac", "mp3", "m4a"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample in several file types. The M4A has its index at the beginning (faststart)."""
    folder = tmp_path_factory.mktemp("served")
    for kind in ("mp3", "flac"):
        shutil.copy(MEDIA / f"sample.{kind}", folder / f"served.{kind}")
    for name, options in {"served.wav": [], "served.m4a": ["-aac_pns", "0", "-movflags", "faststart"]}.items():
        subprocess.run(["ffmpeg", "-v", "error", "-i", MEDIA / "sample.flac", *options, folder / name], check=True)
    return folder


@pytest.fixture(params=[Server, ServerOfParts], ids=["whole files", "parts"])
def address(request, folder):
    with serve(folder, request.param) as address:
        yield address


SOURCES = {
    "souphttpsrc": "souphttpsrc location={uri} ! decodebin",
    "uridecodebin": "uridecodebin uri={uri}",
    "queue2": "uridecodebin uri={uri} use-buffering=true download=true",
    "uridecodebin3": "uridecodebin3 uri={uri}",
}


# A replacement for gst-launch-1.0, which pauses for buffering messages of the network source even
# if a seek has made them obsolete.
PLAYER = """
    import sys
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init([])
    player = Gst.parse_launch(sys.argv[1])
    player.set_state(Gst.State.PLAYING)
    last = player.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    player.set_state(Gst.State.NULL)
    sys.exit(last.parse_error()[0].message if last.type == Gst.MessageType.ERROR else 0)
"""


def play(line):
    run("/usr/bin/python3", "-c", textwrap.dedent(PLAYER), line)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", KINDS)
def test_backwards_from_any_server(tmp_path, folder, address, kind, source):
    target = tmp_path / "reversed.wav"
    begin = SOURCES[source].format(uri=f"{address}/served.{kind}")
    play(f"{begin} ! audioconvert ! revbuf direction=reverse ! wavenc ! filesink location={target}")
    assert_backwards(target, folder / f"served.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_playbin_backwards_from_any_server(tmp_path, folder, address, kind):
    target = tmp_path / "reversed.wav"
    sink = f'audio-filter="revbuf direction=reverse" audio-sink="wavenc ! filesink location={target}"'
    play(f"playbin uri={address}/served.{kind} flags=audio {sink}")
    assert_backwards(target, folder / f"served.{kind}")


def assert_backwards(target, original):
    """Asserts that the output is the reversed original. For M4A, the padding of the last packet may
    precede it: after a seek, qtdemux in push mode does not cut the padding off."""
    frames, expected = wavfile.read(target).frames, decode(original).frames[::-1]
    padding = len(frames) - len(expected)
    assert padding == 0 or (original.suffix == ".m4a" and 0 < padding < 1024)
    assert np.array_equal(frames[padding:], expected)
