# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import re
import shutil
import subprocess

import numpy as np
import pytest
from conversions import INPUTS, TAGS
from toolrun import MEDIA, events, ffmpeg, mostly_long, probe, samples, tool

AIFF = "Audio Interchange File Format (AIFF)"
CONTAINERS = {".aif": AIFF, ".aiff": AIFF, ".wav": "WAV", ".m4a": "ISO MP4/M4A", ".mp4": "ISO MP4/M4A", ".ogg": "Ogg", ".opus": "Ogg", ".mka": "Matroska", ".mp3": "ID3 tag"}


SHORT = ["s16.wav", "surround.flac", "lame.mp3", "aac.m4a", "bare.ac3"]


@pytest.mark.parametrize("source", mostly_long(INPUTS, *SHORT), ids=lambda source: source.file)
def test_the_information_equals_ffmpegs(tmp_path, sounds, source):
    path = sounds[source.file]
    (told,) = events(tool(tmp_path, "info", "--json", path))
    known = probe(path)
    assert told["input"] == str(path)
    assert (told["rate"], told["channels"], told["lossy"]) == (known["rate"], known["channels"], not source.lossless)
    if source.file not in ("raw.aac", "bare.ac3"):  # raw streams declare no duration
        assert abs(told["duration"] - 1.3) < 0.06
    if known["channels"] == 6:
        assert told["layout"] == ["FL", "FR", "FC", "LFE", "BL", "BR"]
    assert told.get("container") == CONTAINERS.get(path.suffix)
    if path.suffix in (".flac", ".ogg", ".opus", ".mp3", ".m4a", ".mp4"):
        for name in ("title", "artist", "album", "genre"):
            assert told["tags"][name] == TAGS[name]
        assert told["tags"]["track-number"] == "3"


def test_people_get_a_line_for_each(tmp_path, sounds):
    text = tool(tmp_path, "info", sounds["surround.ogg"]).stdout
    assert text.splitlines()[0] == str(sounds["surround.ogg"])
    lines = {" ".join(line.split()) for line in text.splitlines()[1:]}
    assert {"duration 0:01.300", "codec Vorbis", "container Ogg", "rate 48000 Hz", "channels 5.1 (FL FR FC LFE BL BR)"} <= lines
    assert "title Ein Lied" in lines


def test_a_folder_is_listed_by_name(tmp_path, sounds):
    for file in ("s16.wav", "lame.mp3", "mono.wav", "surround.flac"):
        shutil.copy(sounds[file], tmp_path)
    shutil.copy(sounds["s16.wav"], tmp_path / ".hidden.wav")
    (tmp_path / "notes.txt").write_text("no audio")
    (tmp_path / "folder.wav").mkdir()
    ffmpeg("-f", "lavfi", "-i", "testsrc=d=0.1:s=64x64", "-frames:v", "1", tmp_path / "cover.png")
    lines = [re.split("  +", line) for line in tool(tmp_path, "info", ".").stdout.splitlines()]
    assert lines == [
        ["0:01", "stereo", "MPEG-1 Layer 3 (MP3)", "lame.mp3"],
        ["0:01", "mono", "Uncompressed 16-bit PCM audio", "mono.wav"],
        ["0:01", "stereo", "Uncompressed 16-bit PCM audio", "s16.wav"],
        ["0:01", "5.1", "Free Lossless Audio Codec (FLAC)", "surround.flac"],
    ]


def test_columns_are_aligned(tmp_path, sounds):
    names = ["b.wav", "a name that is longer than a line of a terminal is wide, " * 3 + ".wav", "日本.flac"]
    for name in names:
        shutil.copy(sounds["surround.flac" if name.endswith("flac") else "mono.wav"], tmp_path / name)
    lines = tool(tmp_path, "info", ".").stdout.splitlines()
    assert len({line.index(name) for line in lines for name in names if line.endswith(name)}) == 1 and len(lines) == 3


def test_a_bad_file_in_a_folder_is_reported_and_the_others_listed(tmp_path, sounds):
    shutil.copy(sounds["s16.wav"], tmp_path)
    (tmp_path / "half.wav").write_bytes(sounds["s16.wav"].read_bytes()[:50000])
    (tmp_path / "text.mp3").write_text("no audio")
    result = tool(tmp_path, "info", ".", status=1)
    assert [line.split()[-1] for line in result.stdout.splitlines()] == ["half.wav", "s16.wav", "text.mp3"]
    assert "half.wav: the file is cut off" in result.stderr and "text.mp3: " in result.stderr
    told = {event["input"]: event for event in events(tool(tmp_path, "info", "--json", ".", status=1))}
    assert told["./half.wav"]["code"] == "inputDamaged"
    assert told["./s16.wav"]["rate"] == 44100


def test_empty_files_in_a_folder_are_left_out(tmp_path, sounds):
    shutil.copy(sounds["s16.wav"], tmp_path)
    (tmp_path / "empty.wav").touch()
    result = tool(tmp_path, "info", ".")
    assert result.stdout.split()[-1] == "s16.wav" and not result.stderr


def test_an_empty_folder(tmp_path):
    (tmp_path / "new").mkdir()
    assert tool(tmp_path, "info", "new", status=1).stderr == "retrograde: new: there is no audio file in this folder; choose another.\n"


def test_several_inputs(tmp_path, sounds):
    result = tool(tmp_path, "info", "--json", sounds["s16.wav"], "missing.wav", sounds["lame.mp3"], status=1)
    assert [event.get("code") for event in events(result)] == [None, "inputUnreadable", None]


def test_people_get_usual_names(tmp_path, sounds):
    for file, samples in (("s24.flac", "24 bit"), ("f32.wav", "32 bit float"), ("s16.wav", "16 bit"), ("vorbis.ogg", "32 bit float, decoded from a lossy codec")):
        lines = {" ".join(line.split()) for line in tool(tmp_path, "info", sounds[file]).stdout.splitlines()[1:]}
        assert f"samples {samples}" in lines
    flac = sounds["s24.flac"]
    (told,) = events(tool(tmp_path, "info", "--json", flac))
    assert told["bitRate"] == pytest.approx(flac.stat().st_size * 8 / 1.3, rel=0.001)


@pytest.mark.parametrize("file, container", [("alac.m4a", "MP4"), ("s16.flac", "none")])
def test_people_get_the_usual_name_of_the_container(tmp_path, sounds, file, container):
    lines = {" ".join(line.split()) for line in tool(tmp_path, "info", sounds[file]).stdout.splitlines()}
    assert f"container {container}" in lines


def test_numbers_have_no_more_digits_than_they_need(tmp_path, sounds):
    """For example, 3.1 must not be printed as 3.1000000000000001."""
    ffmpeg("-i", sounds["s16.flac"], "-metadata", "REPLAYGAIN_TRACK_GAIN=3.1 dB", "-c", "copy", tmp_path / "a.flac")
    assert "replaygain-track-gain 3.1\n" in "".join(" ".join(line.split()) + "\n" for line in tool(tmp_path, "info", "a.flac").stdout.splitlines())
    assert '"replaygain-track-gain":"3.1"' in tool(tmp_path, "info", "--json", "a.flac").stdout
    assert '"duration":1.3,' in tool(tmp_path, "info", "--json", "a.flac").stdout


@pytest.mark.parametrize("count", [1, 1000])
def test_peaks_are_the_largest_samples_of_equal_parts(tmp_path, count):
    source = MEDIA / "sample.flac"
    (told,) = events(tool(tmp_path, "info", "--json", "--peaks", count, source))
    loudness = np.abs(samples(source)).max(axis=1)
    places = np.arange(len(loudness)) * count // len(loudness)
    expected = [loudness[places == place].max() for place in range(count)]
    assert told["peaks"] == pytest.approx(expected, abs=1e-6)


def test_a_file_without_a_duration_has_peaks_of_equal_parts(tmp_path, sounds):
    (told,) = events(tool(tmp_path, "info", "--json", "--peaks", 20, sounds["raw.aac"]))
    loudness = np.abs(samples(sounds["raw.aac"])).ravel()
    expected = [part.max() for part in np.array_split(loudness, 20)]
    # Decoders differ by some samples in length, so a peak may be in the neighbouring part.
    for index, peak in enumerate(told["peaks"]):
        near = expected[max(index - 1, 0) : index + 2]
        assert min(near) * 0.9 < peak < max(near) * 1.1


def test_a_cut_file_with_peaks_lasts_as_long_as_what_is_there(tmp_path):
    content = (MEDIA / "sample.flac").read_bytes()
    (tmp_path / "cut.flac").write_bytes(content[: len(content) // 3])
    (told,) = events(tool(tmp_path, "info", "--json", "--peaks", 10, "cut.flac", status=1))
    decode = ["ffmpeg", "-v", "quiet", "-i", tmp_path / "cut.flac", "-f", "s16le", "-"]
    frames = len(subprocess.run(decode, capture_output=True).stdout) / 4
    # a decoder may leave out the last block, of up to 4608 frames
    assert told["duration"] == pytest.approx(frames / 44100, abs=4608 / 44100)
    assert told["code"] == "inputDamaged"


def test_peaks_are_added_only_if_they_are_asked_for(tmp_path):
    (told,) = events(tool(tmp_path, "info", "--json", MEDIA / "short.wav"))
    assert "peaks" not in told
