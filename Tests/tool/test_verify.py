# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests --verify: its verdicts and its words.

import subprocess

import numpy as np
import pytest
from conversions import INPUTS
from toolrun import ENVIRONMENT, events, ffmpeg, mostly_long, samples, tool


def verified(folder, source, *more, status=0):
    """Reverses a file with --verify. Returns the verification from the JSON report."""
    result = tool(folder, "reverse", source, "--verify", "--json", "--force", *more, status=status)
    assert events(result)[-1]["event"] == "finished"
    return events(result)[-1]["verification"]


@pytest.fixture(scope="session")
def substituted(tmp_path_factory):
    """An AAC file with noise that differs each time the file is decoded."""
    path = tmp_path_factory.mktemp("noise") / "noise.m4a"
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=3:r=44100:a=0.3:seed=1", "-c:a", "aac", "-b:a", "48k", path)
    return path


SHORT = [("s16.wav", "new.wav"), ("f32.wav", "new.flac"), ("lame.mp3", "new.mp3")]
PAIRS = [(i, name) for i in INPUTS if i.repeats for name in ("new.wav", "new.flac", "new.mp3")]


@pytest.mark.parametrize(
    "source, name", [pytest.param(*pair, id=f"{pair[0].file}-{pair[1]}", marks=[] if (pair[0].file, pair[1]) in SHORT else pytest.mark.long) for pair in PAIRS]
)
def test_every_input_that_repeats_itself_is_verified(tmp_path, sounds, forward, source, name):
    path = sounds[source.file]
    found = verified(tmp_path, path, "-o", name)
    if name == "new.flac" and source.file in ("s32.wav", "f32.wav", "f64.wav", "vorbis.ogg", "surround.ogg"):
        assert found["verdict"] == "rounded"
        assert 0 < found["largestDifference"] <= 1.5 / 2**23
    else:
        assert found["verdict"] in (("exact",) if source.lossless else ("exact", "rounded"))
        assert found["largestDifference"] <= 1 / 32768
    frames = len(forward(path))
    assert (found["frames"], found["surplus"]) == (frames, 0)
    if found["verdict"] == "exact":
        assert found["sentence"] == f"verified: {frames} frames compared, all are the same."


def test_users_are_told_in_a_sentence(tmp_path, sounds):
    result = tool(tmp_path, "reverse", "--verify", sounds["s16.wav"], "-o", "new.wav")
    frames = len(samples(sounds["s16.wav"]))
    assert result.stdout == f"wrote new.wav\nnew.wav: verified: {frames} frames compared, all are the same.\n"


@pytest.mark.parametrize("name", mostly_long(["new.wav", "new.ogg"], "new.wav"))
def test_a_different_reversal_fails(tmp_path, substituted, name):
    result = tool(tmp_path, "reverse", "--verify", "--seam", "smooth", substituted, "-o", name, status=1)
    assert "reversed again, it differs from the original" in result.stderr
    assert "may produce different noise each time; try --seam exact" in result.stderr
    found = verified(tmp_path, substituted, "--seam", "smooth", "-o", name, status=1)
    assert found["verdict"] == "different"
    assert found["differing"] > 0 and found["largestDifference"] > 1 / 32768


@pytest.mark.parametrize("seam", [(), ("--seam", "exact")], ids=["default", "exact"])
def test_noise_that_is_verified_is_decoded_once(tmp_path, substituted, forward, seam):
    found = verified(tmp_path, substituted, *seam, "-o", "new.wav")
    assert (found["verdict"], found["differing"]) == ("exact", 0)
    # GStreamer 1.22 decodes one frame before an M4A, and not its last packet
    decoded = forward(substituted)[1:]
    assert np.array_equal(samples(tmp_path / "new.wav")[::-1][: len(decoded)], decoded)


@pytest.mark.parametrize("words", ["--channels first", "--channels merged", "--region 0.3-0.8"])
@pytest.mark.parametrize("file", mostly_long(["surround.flac", "opus.opus", "s16.wav", "lame.mp3", "vorbis.ogg"], "surround.flac"))
def test_a_channel_and_a_region_are_verified(tmp_path, sounds, file, words):
    found = verified(tmp_path, sounds[file], *words.split(), "-o", "new.wav")
    assert found["verdict"] == "exact"
    if "region" in words:
        assert found["frames"] == (24000 if file in ("surround.flac", "opus.opus") else 22050)


@pytest.mark.parametrize("region", mostly_long(["0.3-0.8", "0-0.5"], "0-0.5"))
def test_a_region_of_a_file_with_priming_is_verified(tmp_path, region):
    """At the start, some decoders output one frame more than the file declares. --verify must not
    count this frame."""
    ffmpeg("-f", "lavfi", "-i", "sine=d=2:r=44100", "-ac", 2, "-c:a", "aac", tmp_path / "in.m4a")
    found = verified(tmp_path, tmp_path / "in.m4a", "--region", region, "-o", "new.wav")
    assert (found["verdict"], found["surplus"]) in [("exact", 0), ("rounded", 0)]


@pytest.mark.long
@pytest.mark.parametrize("seam", ["smooth", "exact"])
@pytest.mark.parametrize("frames", [883634, 883635, 883636, 883637])
def test_a_frame_at_the_rounded_end_of_vorbis_is_verified(tmp_path, forward, frames, seam):
    path = tmp_path / "noise.ogg"
    sound = f"anoisesrc=a=0.2:r=44100:d=21:seed=1,atrim=end_sample={frames}"
    ffmpeg("-f", "lavfi", "-i", sound, "-ac", 2, "-c:a", "libvorbis", path)
    found = verified(tmp_path, path, "--seam", seam, "-o", "new.wav")
    assert (found["verdict"], found["surplus"]) == ("exact", 0)
    assert found["frames"] == len(forward(path))


@pytest.mark.long
def test_a_loud_mp3_is_decoded_by_mpg123_which_repeats_itself(tmp_path):
    """By default, decodebin prefers avdec_mp3, whose output for loud sound differs at each decode
    because of dither."""
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=r=44100:d=40:a=1:seed=1", "-ac", "2", "-c:a", "libmp3lame", "-b:a", "192k", tmp_path / "loud.mp3")
    command = "filesrc location=loud.mp3 ! mpegaudioparse ! mpg123audiodec ! audio/x-raw,format=S16LE ! wavenc ! filesink location=forward.wav"
    subprocess.run(["gst-launch-1.0", "-q", *command.split()], check=True, cwd=tmp_path, env=ENVIRONMENT, timeout=60)
    tool(tmp_path, "reverse", "loud.mp3", "-o", "reversed.wav", "--verify")
    # mpegaudioparse keeps the silence of the encoder, which FFmpeg does not call LAME
    assert np.array_equal(samples(tmp_path / "reversed.wav"), samples(tmp_path / "forward.wav")[1105:][: 40 * 44100][::-1])
