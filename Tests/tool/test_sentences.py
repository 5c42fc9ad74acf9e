# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the tool's messages for wrong commands, and for commands that ask for more than a file
# contains.

import resource
import wave

import pytest
from toolrun import MEDIA, events, ffmpeg, samples, tool

SHORT = MEDIA / "short.wav"  # 1.5 s


def test_a_limit_on_open_files_is_said(tmp_path):
    tool(tmp_path, "info", MEDIA / "sample.mp3")  # makes GStreamer write its plugin cache
    for limit in (9, 15):
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))}
        result = tool(tmp_path, "reverse", MEDIA / "sample.mp3", "-o", "new.flac", status=1, **few)
        assert f"sample.mp3: too many files are open (the limit is {limit}); raise the limit with ulimit -n" in result.stderr


def test_a_limit_below_what_threads_need_is_said(tmp_path):
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))}
    result = tool(tmp_path, "--version", status=1, **few)
    assert result.stderr == "retrograde: too many files are open; raise the limit with ulimit -n.\n"


def test_too_many_channels_are_said(tmp_path):
    with wave.open(str(tmp_path / "many.wav"), "wb") as file:
        file.setparams((64, 2, 44100, 0, "NONE", ""))
        file.writeframes(bytes(64 * 2 * 4410))
    result = tool(tmp_path, "reverse", "many.wav", status=1)
    assert result.stderr == "retrograde: many.wav: GStreamer cannot read files of 64 channels; split it into files of 8 or fewer.\n"


def test_a_file_is_called_as_the_user_has(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/text.mp3").write_text("no audio")
    for words in (["reverse"], ["info"], ["play", "--sink", "silent"]):
        result = tool(tmp_path, *words, "in/text.mp3", status=1)
        assert result.stderr.splitlines()[0].startswith("retrograde: in/text.mp3: ")


@pytest.mark.parametrize("option", ["--fade", "--last", "--length", "--bpm", "--bits", "--rate"])
def test_a_value_below_0_is_a_value(tmp_path, option):
    result = tool(tmp_path, "reverse", option, "-1", SHORT, status=64)
    assert result.stderr.startswith(f"retrograde: The value '-1' is invalid for '{option}") or "must be" in result.stderr or "-bit samples" in result.stderr
    assert "Missing value" not in result.stderr


def test_pitch_is_another_name_of_semitones(tmp_path):
    for name, option in (("a.wav", "--pitch"), ("b.wav", "--semitones")):
        tool(tmp_path, "scale", option, "2", SHORT, "-o", name)
    assert (samples(tmp_path / "a.wav") == samples(tmp_path / "b.wav")).all()


@pytest.mark.parametrize(
    "words, note",
    [
        (["--fade", "100"], "The sound is 0:01.500 long, too short for fades of 3:20.000; they were shortened."),
        (["--last", "1000"], "The file is 0:01.500 long, so --last keeps all of it."),
        (["--last", "1"], None),
        (["--region", "1-1000"], "The file is 0:01.500 long, so --region ends there."),
        (["--region", "1-1.5"], None),
        (["--region", "1-"], None),
        (["--fade", "0.5"], None),
    ],
)
def test_more_than_there_is_is_said(tmp_path, words, note):
    last = events(tool(tmp_path, "reverse", "--json", *words, SHORT, "-o", "new.wav"))[-1]
    assert last["notes"] == ([note] if note else [])


@pytest.mark.parametrize("option, suggestion", [("--first", None), ("--start", None), ("--loop", None), ("--lst", "--last")])
def test_only_a_near_option_is_suggested(tmp_path, option, suggestion):
    words = tool(tmp_path, "reverse", option, "1", SHORT, status=64).stderr.splitlines()[0]
    assert words == f"retrograde: Unknown option '{option}'" + (f". Did you mean '{suggestion}'?" if suggestion else "")


def test_the_loss_of_pictures_names_the_option(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "testsrc=d=0.5:s=64x64:r=10", "-f", "lavfi", "-i", "sine=d=0.5", "-c:v", "mpeg4", tmp_path / "film.mp4")
    assert "new.wav: Add --keep-video to keep the video.\n" in tool(tmp_path, "reverse", "film.mp4", "-o", "new.wav").stderr
    assert "--keep-video" not in tool(tmp_path, "scale", "--factor", "2", "film.mp4", "-o", "slow.wav").stderr


def test_one_sample_is_not_several(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "aevalsrc='if(eq(n,100),0.9,0.1)':s=44100:d=0.5", "-c:a", "pcm_s16le", tmp_path / "one.wav")
    assert "1 sample was clipped, by" in tool(tmp_path, "reverse", "--gain", "6", "one.wav", "-o", "new.wav").stderr
