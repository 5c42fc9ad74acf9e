# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests chained Ogg files: several streams (links), one after another. The expected sound is that of
# all links, one after another, each decoded by FFmpeg.

import os

import numpy as np
import pytest
from toolrun import assert_nothing_left, events, ffmpeg, samples, tool

# A link: frequency in Hz, seconds, sample rate in Hz, channels, codec.
FIRST = (300, 1.3, 44100, 2, "libvorbis")
SAME = (500, 1.1, 44100, 2, "libvorbis")
OTHER = (700, 0.9, 48000, 1, "libvorbis")
OPUS = [(400, 1.3, 48000, 2, "libopus"), (900, 1.1, 48000, 2, "libopus")]


def chain(folder, *links):
    """Creates a chained file. Returns its path, and the samples of each link."""
    decoded = []
    with open(folder / "chain.ogg", "wb") as file:
        for number, (frequency, seconds, rate, channels, codec) in enumerate(links):
            path = folder / f"link-{number}.ogg"
            tone = f"sine=f={frequency}:d={seconds}:r={rate}"
            ffmpeg("-f", "lavfi", "-i", tone, "-ac", channels, "-c:a", codec, path)
            file.write(path.read_bytes())
            decoded.append(samples(path))
            path.unlink()
    return decoded


def assert_same(ours, theirs, most):
    """Asserts that two sounds differ by less than `most`. One frame more or less at the end is
    allowed."""
    assert abs(len(ours) - len(theirs)) <= 1
    count = min(len(ours), len(theirs))
    assert np.abs(ours[:count] - theirs[:count]).max() < most


@pytest.mark.parametrize("links, most", [((FIRST, SAME, FIRST), 1e-5), pytest.param(OPUS, 1e-3, marks=pytest.mark.long)], ids=["vorbis", "opus"])
def test_all_links_are_reversed_as_one_sound(tmp_path, links, most):
    decoded = chain(tmp_path, *links)
    tool(tmp_path, "reverse", "chain.ogg", "-o", "new.wav")
    assert_same(samples(tmp_path / "new.wav")[::-1], np.concatenate(decoded), most)
    assert_nothing_left(tmp_path, "chain.ogg", "new.wav")


def test_a_link_of_another_rate_is_brought_to_that_of_the_first(tmp_path):
    chain(tmp_path, FIRST, OTHER, SAME)
    tool(tmp_path, "scale", "--factor", "1", "chain.ogg", "-o", "new.wav")
    heard = samples(tmp_path / "new.wav")
    assert abs(len(heard) - (1.3 + 0.9 + 1.1) * 44100) <= 2
    middle = heard[int(1.5 * 44100) : int(2 * 44100), 0]
    loudest = np.abs(np.fft.rfft(middle * np.hanning(len(middle)))).argmax()
    assert abs(loudest * 44100 / len(middle) - 700) < 2


def test_a_region_may_lie_across_two_links(tmp_path):
    decoded = np.concatenate(chain(tmp_path, FIRST, SAME))
    tool(tmp_path, "reverse", "--region", "1-2", "chain.ogg", "-o", "new.wav")
    assert_same(samples(tmp_path / "new.wav")[::-1], decoded[44100:88200], 1e-5)


def test_it_is_played_backwards_from_the_last_link(tmp_path):
    decoded = np.concatenate(chain(tmp_path, FIRST, SAME))
    sink = "audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location=heard.wav"
    tool(tmp_path, "play", "--reverse", "--sink", sink, "chain.ogg")
    assert_same(samples(tmp_path / "heard.wav")[::-1], decoded, 1e-3)


def test_its_duration_is_that_of_all_links(tmp_path):
    chain(tmp_path, FIRST, SAME)
    (told,) = events(tool(tmp_path, "info", "--json", "chain.ogg"))
    assert abs(told["duration"] - 2.4) < 0.001


def test_without_room_for_temporary_files_it_says_so(tmp_path):
    chain(tmp_path, FIRST, SAME)
    folder = tmp_path / "nowhere"
    result = tool(tmp_path, "reverse", "chain.ogg", "-o", "new.wav", status=1, env={**os.environ, "TMPDIR": str(folder)})
    assert result.stderr.strip() == (
        f"retrograde: chain.ogg: its decoded sound does not fit into {folder}, the folder for temporary files; "
        "make room there, or set TMPDIR to another folder."
    )
    assert_nothing_left(tmp_path, "chain.ogg")


def test_streams_may_have_the_same_serial_number(tmp_path):
    """GStreamer skips a stream whose serial number it has seen before."""
    with open(tmp_path / "chain.ogg", "wb") as file:
        for number, (codec, serial) in enumerate([("vorbis", 1), ("vorbis", 1), ("opus", 2), ("vorbis", 1)]):
            tone = ["-f", "lavfi", "-i", f"sine={440 * (number + 1)}:r=48000:d=1"]
            ffmpeg(*tone, "-c:a", f"lib{codec}", "-serial_offset", serial, "-f", "ogg", tmp_path / "link.ogg")
            file.write((tmp_path / "link.ogg").read_bytes())
    (told,) = events(tool(tmp_path, "info", "--json", "chain.ogg"))
    assert told["duration"] == pytest.approx(4, abs=1e-4)
    tool(tmp_path, "reverse", "chain.ogg", "-o", "new.wav")
    found = samples(tmp_path / "new.wav")[::-1, 0]
    assert len(found) == 4 * 48000
    loudest = [np.abs(np.fft.rfft(second)).argmax() for second in found.reshape(4, 48000)]
    assert loudest == [440, 880, 1320, 1760]


def test_two_copies_of_a_file_are_twice_as_long(tmp_path):
    (one,) = chain(tmp_path, FIRST)
    (tmp_path / "chain.ogg").write_bytes(2 * (tmp_path / "chain.ogg").read_bytes())
    tool(tmp_path, "reverse", "chain.ogg", "--last", "1.5", "-o", "new.wav")
    assert_same(samples(tmp_path / "new.wav")[::-1], np.concatenate([one, one])[-66150:], 1e-5)
