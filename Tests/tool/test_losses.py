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


TURNED = [(0, 2.5, "Three"), (2.5, 4, "Two"), (4, 6, "One")]
DOUBLED = [(0, 4, "One"), (4, 7, "Two"), (7, 12, "Three")]
PART = [(0, 1, "Two"), (1, 2, "One")]


@pytest.mark.parametrize("words, expected", [(["reverse"], TURNED), (["scale", "--factor", 2], DOUBLED), (["reverse", "--region", "1-3"], PART)], ids=["turned", "doubled", "part"])
@pytest.mark.parametrize("file, name", mostly_long([("book.mka", "new.mka"), ("book.flac", "new.flac"), ("book.ogg", "new.ogg"), ("book.ogg", "new.opus")], ("book.ogg", "new.opus")))
def test_chapters_go_with_the_sound(tmp_path, books, file, name, words, expected):
    result = tool(tmp_path, *words, books / file, "-o", name)
    # a region that GStreamer does not find in Matroska is decoded into a WAV first, which has no chapters
    lost = file == "book.mka" and "--region" in words
    found = chapters(tmp_path / name)
    assert [title for _, _, title in found] == [title for _, _, title in expected if not lost]
    for (*times, _), (*wanted, _) in zip(found, expected):
        # in Opus by FFmpeg, the sound ends 6.5 ms late
        assert times == pytest.approx(wanted, abs=0.007)
    assert ("Not kept: chapters" if lost else "") in result.stderr
    assert lost or "Not kept" not in result.stderr
    assert "CRITICAL" not in result.stderr


UNFIT = [("book.m4b", "new.m4a"), ("book.ogg", "new.wav"), ("book.mp3", "new.mp3"), ("book.mka", "new.m4a"), ("book.flac", "new.mp3")]


@pytest.mark.parametrize("file, name", mostly_long(UNFIT, *UNFIT[:2]))
def test_lost_chapters_are_reported(tmp_path, books, file, name):
    result = tool(tmp_path, "reverse", books / file, "-o", name)
    assert chapters(tmp_path / name) == []
    assert f"{name}: Not kept: chapters" in result.stderr


@pytest.mark.parametrize("words, expected", [(["reverse"], TURNED), (["scale", "--factor", 2], DOUBLED)], ids=["turned", "doubled"])
def test_titles_missing_from_a_cue_sheet_are_reported(tmp_path, books, words, expected):
    result = tool(tmp_path, *words, books / "book.mka", "-o", "new.flac")
    assert [times for *times, _ in chapters(tmp_path / "new.flac")] == [pytest.approx(times, abs=0.001) for *times, _ in expected]
    assert "new.flac: Not kept: the titles of chapters" in result.stderr


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


def test_comments_of_an_mp3_are_kept(tmp_path, books):
    """FFmpeg writes comments into a TXXX frame, which GStreamer does not read."""
    for name in ("new.mp3", "new.flac"):
        assert "comment" not in tool(tmp_path, "reverse", books / "book.mp3", "-o", name).stderr
        assert "A word" in probe(tmp_path / name)["tags"].values()


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
    assert (f"new.wav: The last {missing} ms are missing" in told) == (missing > 1)
