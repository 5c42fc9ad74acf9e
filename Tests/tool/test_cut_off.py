# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests files that are cut off: `info` and `play` do what they can and say what is missing, and
# `reverse` and `scale` ask.

import numpy as np
import pytest
from toolrun import assert_nothing_left, events, ffmpeg, mostly_long, samples, tool

# The options of FFmpeg for a codec, and whether it is lossless.
KINDS = {
    "wav": ([], True),
    "aiff": ([], True),
    "au": ([], True),
    # without a tag behind the sound, which would be cut off instead
    "wv": (["-c:a", "wavpack", "-fflags", "+bitexact"], True),
    "flac": ([], True),
    "ogg": (["-c:a", "libvorbis"], False),
    "opus": (["-c:a", "libopus"], False),
    "m4a": (["-c:a", "aac", "-movflags", "+faststart"], False),
    "mka": (["-c:a", "flac"], True),
    "mp3": ([], False),
    # without a declared length
    "aac": ([], False),
    "ac3": ([], False),
    "mp2": ([], False),
    "dts": (["-c:a", "dca", "-strict", "-2"], False),
    "voc": ([], True),
    "ts": (["-c:a", "mp2"], False),
    "flv": (["-c:a", "libmp3lame"], False),
}


@pytest.fixture
def half(tmp_path, noise):
    """A function that returns the name of the first half of a file, and the whole of its sound."""

    def make(kind):
        ffmpeg("-i", noise, *KINDS[kind][0], tmp_path / f"whole.{kind}")
        content = (tmp_path / f"whole.{kind}").read_bytes()
        (tmp_path / f"half.{kind}").write_bytes(content[: len(content) // 2 + 7])
        sound = samples(tmp_path / f"whole.{kind}")
        (tmp_path / f"whole.{kind}").unlink()
        return f"half.{kind}", sound

    return make


@pytest.mark.parametrize("kind", mostly_long(KINDS, "wav", "au", "flac", "ogg", "m4a"))
def test_what_is_left_is_used_if_that_is_asked_for(tmp_path, half, kind):
    name, sound = half(kind)
    told = tool(tmp_path, "reverse", name, "-o", "new.wav", status=1).stderr
    assert f"retrograde: {name}: the file is cut off: it" in told
    assert told.endswith("; download or copy it again, or add --incomplete for what is left.\n")
    assert_nothing_left(tmp_path, name)
    (loss,) = [text for text in events(tool(tmp_path, "reverse", "--incomplete", name, "-o", "new.wav", "--json"))[-1]["losses"] if "missing" in text]
    assert loss.startswith("Sound is missing: the file is cut off: it")
    left = samples(tmp_path / "new.wav")[::-1]
    assert 0.4 * len(sound) < len(left) < 0.6 * len(sound)
    if KINDS[kind][1]:
        assert np.array_equal(left, sound[: len(left)])


@pytest.mark.parametrize("kind", mostly_long(KINDS, "wav", "m4a", "flv"))
def test_a_byte_that_is_missing_is_seen(tmp_path, noise, kind):
    ffmpeg("-i", noise, "-t", 2, *KINDS[kind][0], tmp_path / f"whole.{kind}")
    (tmp_path / f"cut.{kind}").write_bytes((tmp_path / f"whole.{kind}").read_bytes()[:-1])
    told = tool(tmp_path, "reverse", f"cut.{kind}", "-o", "new.wav", status=None)
    # a VOC may end without its end mark
    assert f"cut.{kind}: the file is cut off: it" in told.stderr or kind == "voc"
    tool(tmp_path, "reverse", f"whole.{kind}", "-o", "new.wav", "-f")


@pytest.mark.parametrize("kind", mostly_long(KINDS, "wav", "flac"))
def test_information_and_playing_do_what_they_can(tmp_path, half, kind):
    name, _ = half(kind)
    shown = tool(tmp_path, "info", name, status=1)
    assert "44100 Hz" in shown.stdout or "48000 Hz" in shown.stdout
    assert shown.stderr.startswith(f"retrograde: {name}: the file is cut off: it")
    (told,) = events(tool(tmp_path, "info", "--json", name, status=1))
    assert (told["channels"], told["code"]) == (2, "inputDamaged")
    for words in ([], ["--reverse"]):
        # unlike file:played.wav, this sink does not wait for the clock
        played = tool(tmp_path, "play", "--sink", "wavenc ! filesink location=played.wav", *words, name)
        assert "the file is cut off: it" in played.stderr
        heard = samples(tmp_path / "played.wav")
        assert 8 * 44100 < len(heard) < 12 * 48000
        (tmp_path / "played.wav").unlink()


def test_a_cut_tta_is_an_error(tmp_path, noise):
    """GStreamer does not come to its end."""
    ffmpeg("-i", noise, "-t", 2, "-c:a", "tta", "-fflags", "+bitexact", tmp_path / "whole.tta")
    (tmp_path / "cut.tta").write_bytes((tmp_path / "whole.tta").read_bytes()[:-1])
    assert "cut.tta: the file is cut off: it" in tool(tmp_path, "reverse", "cut.tta", "-o", "new.wav", status=1).stderr
    tool(tmp_path, "reverse", "whole.tta", "-o", "new.wav")
