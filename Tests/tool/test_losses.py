# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that everything in a file besides its samples is kept in the output or reported as lost.

import json
import subprocess

import pytest
from toolrun import events, ffmpeg, mostly_long, probe, samples, tool

TONE = "aevalsrc=0.3*sin(2*PI*(200+70*t)*t)|0.3*sin(2*PI*(270+40*t)*t):d=6:s=44100"
CHAPTERS = [(0, 2, "One"), (2, 3.5, "Two"), (3.5, 6, "Three")]
METADATA = ";FFMETADATA1\ntitle=Book\ncomment=A word\n" + "".join(
    f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={int(start * 1000)}\nEND={int(stop * 1000)}\ntitle={title}\n" for start, stop, title in CHAPTERS
)
COMMENTS = {"CUESHEET": "TRACK 01", "FOO": "bar", "BPM": "120", "REPLAYGAIN_TRACK_GAIN": "-3.10 dB", "REPLAYGAIN_TRACK_PEAK": "0.9"}
MADE = {"book.mka": "flac", "book.m4b": "aac", "book.mp3": "libmp3lame"}


@pytest.fixture(scope="session")
def books(tmp_path_factory):
    """A sound with three chapters, in Matroska, MP4 and MP3."""
    folder = tmp_path_factory.mktemp("books")
    (folder / "chapters.txt").write_text(METADATA)
    for name, codec in MADE.items():
        ffmpeg("-f", "lavfi", "-i", TONE, "-i", folder / "chapters.txt", "-map", "0:a", "-map_metadata", 1, "-map_chapters", 1, "-c:a", codec, folder / name)
    comments = dict(COMMENTS)
    for number, (start, _, title) in enumerate(CHAPTERS, 1):
        comments |= {f"CHAPTER{number:03}": f"00:00:{start:06.3f}", f"CHAPTER{number:03}NAME": title}
    words = [word for name, value in comments.items() for word in ("-metadata", f"{name}={value}")]
    for name, codec in (("book.flac", "flac"), ("book.ogg", "libvorbis")):
        ffmpeg("-f", "lavfi", "-i", TONE, *words, "-c:a", codec, folder / name)
    return folder


def chapters(path):
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_chapters", path]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["chapters"]
    return [(round(float(c["start_time"]), 3), round(float(c["end_time"]), 3), c.get("tags", {}).get("title")) for c in found]


@pytest.mark.parametrize("file, name", mostly_long([("book.mka", "new.mka"), ("book.flac", "new.flac"), ("book.ogg", "new.opus")], ("book.ogg", "new.opus")))
def test_chapters_stay_if_their_times_do(tmp_path, books, file, name):
    result = tool(tmp_path, "reverse", "--region", "1-3", "--keep-rest", books / file, "-o", name)
    for (*times, title), (*wanted, expected) in zip(chapters(tmp_path / name), CHAPTERS, strict=True):
        # in Opus by FFmpeg, the sound ends 6.5 ms late
        assert times == pytest.approx(wanted, abs=0.007) and title == expected
    assert "Not kept" not in result.stderr


UNFIT = [("book.m4b", "new.m4a"), ("book.ogg", "new.ogg"), ("book.mp3", "new.mp3"), ("book.mka", "new.mka"), ("book.flac", "new.mp3")]


@pytest.mark.parametrize("file, name", mostly_long(UNFIT, *UNFIT[:2]))
def test_lost_chapters_are_reported(tmp_path, books, file, name):
    result = tool(tmp_path, "reverse", books / file, "-o", name)
    assert chapters(tmp_path / name) == []
    assert f"{name}: Not kept: {'the ID3 frame CHAP' if file == 'book.mp3' else 'chapters'}" in result.stderr


def test_tags_that_became_untrue_are_left_out_and_reported(tmp_path, books):
    told = tool(tmp_path, "reverse", books / "book.flac", "-o", "turned.flac").stderr
    tags = probe(tmp_path / "turned.flac")["tags"]
    assert "turned.flac: These tags would no longer be true and were left out: CUESHEET.\n" in told
    assert "cuesheet" not in tags and tags["foo"] == "bar" and float(tags["bpm"]) == 120
    assert float(tags["replaygain_track_gain"].split()[0]) == -3.1 and float(tags["replaygain_track_peak"]) == 0.9
    sentence = "These tags would no longer be true and were left out: CUESHEET, replaygain-track-gain, replaygain-track-peak."
    for words in (["reverse", "--gain", "-2"], ["scale", "--factor", "2"], ["reverse", "--region", "1-2"]):
        assert sentence in tool(tmp_path, *words, books / "book.flac", "-o", "other.flac", "--force").stderr
        probe.cache_clear()
        tags = probe(tmp_path / "other.flac")["tags"]
        assert not [name for name in tags if name.startswith("replaygain")]
        assert float(tags["bpm"]) == (60 if "scale" in words else 120)


def test_frames_that_gstreamer_does_not_read_are_reported(tmp_path, books):
    """FFmpeg writes comments into a TXXX frame."""
    for name in ("new.mp3", "new.flac"):
        assert "the ID3 frame TXXX" in tool(tmp_path, "reverse", books / "book.mp3", "-o", name).stderr


def test_the_lost_pictures_of_a_film_are_reported(tmp_path):
    pictures = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x64:r=10", "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi", "-i", "sine=d=1:f=900"]
    for name, codecs in (("film.mp4", ["mpeg4", "aac"]), ("film.mkv", ["mpeg4", "flac"])):
        ffmpeg(*pictures, "-map", 0, "-map", 1, "-map", 2, "-c:v", codecs[0], "-c:a", codecs[1], tmp_path / name)
        assert "Not kept: pictures (video), more audio streams (the first one was taken)." in tool(tmp_path, "reverse", name, "-o", "new.wav", "--force").stderr
        (told,) = events(tool(tmp_path, "info", "--json", name))
        assert told["extras"] == ["pictures (video)", "more audio streams (the first one was taken)"]


def test_one_channel_has_no_layout_to_lose(tmp_path):
    """SoX calls it the front centre if the samples have more than 16 bits."""
    subprocess.run(["sox", "-n", "-r", "44100", "-b", "24", tmp_path / "mono.wav", "synth", "0.1", "sine", "440"], check=True)
    assert events(tool(tmp_path, "info", "--json", "mono.wav"))[0]["layout"] == ["FC"]
    assert tool(tmp_path, "reverse", "mono.wav", "-o", "new.wav").stderr == ""


def test_lost_chunks_of_a_wav_are_reported(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "sine=d=1", "-metadata", "originator=Me", "-write_bext", 1, tmp_path / "radio.wav")
    assert "Not kept: the chunk bext." in tool(tmp_path, "reverse", "radio.wav", "-o", "new.wav").stderr


def make_m4a_with_a_chapter(folder, name, seconds):
    (folder / "chapters").write_text(f";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND={round(1000 * seconds)}\ntitle=one\n")
    ffmpeg("-f", "lavfi", "-i", f"sine=d={seconds}:r=44100", "-i", folder / "chapters", "-map_chapters", 1, "-c:a", "aac", folder / name)


@pytest.mark.parametrize("words", [["reverse"], ["scale", "--factor", 2]], ids=["reverse", "scale"])
def test_the_packet_that_the_reader_of_mp4_leaves_out_is_reported(tmp_path, words):
    """The reported loss must be the declared 1.3 s minus the duration of the output."""
    make_m4a_with_a_chapter(tmp_path, "song.m4a", 1.3)
    told = tool(tmp_path, *words, "song.m4a", "-o", "new.wav").stderr
    found = len(samples(tmp_path / "new.wav")) / 44100 / (2 if "scale" in words else 1)
    missing = round((1.3 - found) * 1000)
    assert (f"new.wav: Sound is missing: the last {missing} ms" in told) == (missing > 1)
