# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the tool's messages for wrong commands, and for commands that ask for more than a file
# contains. test_bad_input.py has the messages for files that cannot be read.

import resource
import wave

import pytest
from toolrun import MEDIA, assert_nothing_left, events, ffmpeg, mostly_long, tool

SHORT = MEDIA / "short.wav"  # 1.5 s


def test_a_limit_on_open_files_is_said(tmp_path):
    tool(tmp_path, "info", MEDIA / "sample.mp3")  # makes GStreamer write its plugin cache
    for limit in (9, 15):
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))}
        result = tool(tmp_path, "reverse", MEDIA / "sample.mp3", "-o", "new.flac", status=1, **few)
        assert f"sample.mp3: too many files are open (the limit is {limit}); raise the limit with ulimit -n" in result.stderr


def test_too_many_channels_are_said(tmp_path):
    with wave.open(str(tmp_path / "many.wav"), "wb") as file:
        file.setparams((64, 2, 44100, 0, "NONE", ""))
        file.writeframes(bytes(64 * 2 * 4410))
    result = tool(tmp_path, "reverse", "many.wav", status=1)
    assert result.stderr == "retrograde: many.wav: GStreamer cannot read files of 64 channels; split it into files of 63 or fewer.\n"


def test_a_file_is_called_as_the_user_has(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/text.mp3").write_text("no audio")
    for words in (["reverse"], ["info"], ["play", "--sink", "silent"]):
        result = tool(tmp_path, *words, "in/text.mp3", status=1)
        assert result.stderr.splitlines()[0].startswith("retrograde: in/text.mp3: ")


@pytest.mark.parametrize("option", mostly_long(["--fade", "--last", "--length", "--bpm", "--bits", "--rate"], "--fade", "--bits"))
def test_a_value_below_0_is_a_value(tmp_path, option):
    result = tool(tmp_path, "reverse", option, "-1", SHORT, status=64)
    assert result.stderr.startswith(f"retrograde: The value '-1' is invalid for '{option}") or "must be" in result.stderr or "-bit samples" in result.stderr
    assert "Missing value" not in result.stderr


@pytest.mark.parametrize(
    "words, note",
    [
        (["--fade", "100"], "The sound is 0:01.500 long, too short for fades of 3:20.000; they were shortened."),
        (["--last", "1000"], "The file is 0:01.500 long, so --last keeps all of it."),
        (["--region", "1-1000"], "The file is 0:01.500 long, so --region ends there."),
        (["--region", "1-1.5"], None),
    ],
)
def test_more_than_there_is_is_said(tmp_path, words, note):
    last = events(tool(tmp_path, "reverse", "--json", *words, SHORT, "-o", "new.wav"))[-1]
    assert last["notes"] == ([note] if note else [])


# A command with a.wav, which lasts 1.5 s; its exit status; a part of the sentence.
REFUSED = [
    ("rev a.wav", 64, "unexpected arguments: 'rev', 'a.wav'"),
    ("scale a.wav", 64, "Say what to change: --speed, --tempo, --factor, --length, --bpm, --map, --curve or --semitones."),
    ("scale a.wav --spede 2", 64, "Unknown option '--spede'. Did you mean '--speed'?"),
    ("reverse a.wav --speed 2 --factor 2", 64, "--factor and --speed both set the length; use one of them."),
    ("reverse a.wav --bpm 90", 64, "Write the old and the new beats per minute, as in 92:120."),
    ("reverse a.wav --factor 1/0", 64, "Write a number: 1.5, 150% or 3/2."),
    ("reverse a.wav --tempo 750", 64, "The value '750' is invalid for '--tempo <tempo>': A speed must be from 0.01 to 100"),
    ("scale a.wav --factor 0.001", 64, "A factor must be from 0.01 to 100 (0.001 is not); choose another."),
    ("reverse a.wav -o new.mp3 --type flac", 64, "new.mp3: the name says mp3, but --type says flac; leave out --type, or choose a name that ends in .flac."),
    ("play a.wav --sink file:x.mp3", 64, "--sink file: writes a WAV file; choose a name that ends in .wav, or use reverse or scale for other types."),
    ("reverse a.wav --effect identity --tail=999999999", 64, "--tail can be at most an hour; an effect dies away in seconds."),
    ("play a.wav --sink silent --effect identity --tail 2:00:00", 64, "--tail can be at most an hour"),
    ("reverse a.wav --last 1e9", 64, "Write a time in seconds, or as 3:30 or 1:02:03."),
    ("reverse a.wav --last 0", 1, "region"),
    ("reverse a.wav --region 0.1-0.4 --length 1000", 1, "it is 0:00.300 long, and can be made 0.01 to 100 times as long"),
    ("reverse a.wav --region 1-0.5", 64, "The value '1-0.5' is invalid for '--region <A-B>': The part ends before it begins; write a later end."),
    ("reverse a.wav --region 5", 64, "Write it as A-B, A- or -B, in seconds or as 1:30."),
    ("reverse a.wav --region 1- --last 2", 64, "--region and --last both choose a part"),
    ("reverse a.wav --keep-rest", 64, "--keep-rest needs a part: --region A-B, or --last."),
    ("reverse a.wav --bits 12", 64, "pcm does not support 12-bit samples; choose one of: 8, 16, 24, 32."),
    ("reverse a.wav --rate 44100 --type opus", 64, "opus does not support a sample rate of 44100 Hz; choose one of: 8000, 12000, 16000, 24000, 48000."),
    ("reverse a.wav --rate 1", 64, "A sample rate must be from 1000 to 384000 Hz"),
    ("reverse a.wav --rate 44.1001k8", 64, "The value '44.1001k8' is invalid for '--rate <Hz>'"),
    ("reverse a.wav --fade x", 64, 'Write "2" for both fades, "2,5" for each, or "2," or ",5" for one.'),
    ("reverse a.wav --gain 2x", 64, "The value '2x' is invalid for '--gain <dB>'"),
    ("reverse a.wav --gain 200", 64, "A gain must be from -120 to 120 dB"),
    ("reverse a.wav --effect nosuchelement", 64, 'GStreamer has no element "nosuchelement"; install'),
    ("reverse a.wav --tail 1", 64, "--tail needs an effect; add --effect."),
    ("reverse a.wav --effect identity --tail 1 --region 0.5-1 --keep-rest", 64, "tail of an effect does not fit"),
    ("info a.wav --peaks 9", 64, "--peaks needs --json."),
    ("info a.wav --json --peaks 0", 64, "--peaks must be from 1 to 1000000."),
    ("play a.wav --sink nosuchsink", 1, "nosuchsink"),
    ("play a.wav --sink file:a.wav", 1, "already exists"),
    ("play a.wav --sink silent --volume 101", 64, "--volume must be from 0 to 100."),
    ("play a.wav --sink silent --loop 2-1", 64, "loop"),
    ("play a.wav --sink silent --ladder 60:100", 64, "Write the first and the last speed in percent, and the step, as in 60:100:5."),
    ("play a.wav --sink silent --ladder 60:100:5 --tempo 2", 64, "--tempo and --ladder both set the length; use one of them."),
    ("play a.wav --sink silent --start 20", 1, "a.wav: the file ends at 0:01.5, but is to start at 0:20.0; choose an earlier time."),
    ("play --sink silent", 64, "files"),
    ("reverse a.wav --guard --no-guard", 64, "'--no-guard' had already been set with flag '--guard'"),
    ("reverse a.wav --bits 24 --type mp3", 64, "mp3 is lossy and has no bit depth; leave it out."),
    ("reverse a.wav --gain nan", 64, "A gain must be from -120 to 120 dB"),
    ("play a.wav --sink file:/nonexistent/x.wav", 1, "cannot be written"),
    ("play a.wav --sink silent --loop 20-30", 1, "a.wav: the file ends at 0:01.5, but is to start at 0:20.0; choose an earlier time."),
    ("play missing.mp3 --sink silent", 1, "no such file"),
]


def test_what_is_meant_is_done(tmp_path):
    """Values that once got a wrong sentence."""
    tool(tmp_path, "reverse", SHORT, "--effect", "identity", "--tail", "0", "-o", "a.wav")
    tool(tmp_path, "scale", SHORT, "--speed", "30", "-o", "new.WAV", "--type", "wav")
    assert events(tool(tmp_path, "scale", SHORT, "--factor", "0.04", "-o", "b.wav", "--json"))[-1]["seconds"] == pytest.approx(0.06, abs=1e-3)


@pytest.mark.parametrize("line, status, sentence", REFUSED, ids=[line for line, *_ in REFUSED])
def test_what_makes_no_sense_gets_one_sentence(tmp_path, line, status, sentence):
    (tmp_path / "a.wav").symlink_to(SHORT)
    result = tool(tmp_path, *line.split(), status=status)
    assert sentence in " ".join(result.stderr.split())
    assert result.stdout == ""
    said = [text for text in result.stderr.splitlines() if text.startswith("retrograde: ")]
    assert len(said) == 1
    assert_nothing_left(tmp_path, "a.wav")


def test_a_property_that_an_effect_lacks_is_named(tmp_path):
    result = tool(tmp_path, "reverse", SHORT, "--effect", "audioecho dealy=1", status=64)
    assert 'no property "dealy"' in result.stderr


def test_the_loss_of_pictures_names_the_option(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "testsrc=d=0.5:s=64x64:r=10", "-f", "lavfi", "-i", "sine=d=0.5", "-c:v", "mpeg4", tmp_path / "film.mp4")
    assert "new.wav: Add --keep-video to keep the video.\n" in tool(tmp_path, "reverse", "film.mp4", "-o", "new.wav").stderr
    assert "--keep-video" not in tool(tmp_path, "scale", "--factor", "2", "film.mp4", "-o", "slow.wav").stderr


def test_one_sample_is_not_several(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "aevalsrc='if(eq(n,100),0.9,0.1)':s=44100:d=0.5", "-c:a", "pcm_s16le", tmp_path / "one.wav")
    assert "1 sample was clipped, by" in tool(tmp_path, "reverse", "--gain", "6", "one.wav", "-o", "new.wav").stderr


def test_a_limit_below_what_threads_need_is_said(tmp_path):
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))}
    result = tool(tmp_path, "--version", status=1, **few)
    assert result.stderr == "retrograde: too many files are open; raise the limit with ulimit -n.\n"
