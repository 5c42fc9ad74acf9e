# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that the sound of a film is reversed while its pictures are kept, packet by packet.

import json
import subprocess

import numpy as np
import pytest
from toolrun import assert_nothing_left, events, ffmpeg, mostly_long, probe, samples, tool

PICTURES = ["-f", "lavfi", "-i", "testsrc2=d=2:s=96x64:r=25"]
SOUND = ["-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*(200+70*t)*t)|0.3*sin(2*PI*(270+40*t)*t):d=2:s=48000"]
# With B-frames (-bf), pictures are not decoded in the order in which they are shown.
CODECS = {
    "film.mkv": ["-c:v", "mpeg4", "-bf", 2, "-c:a", "flac"],
    "film.mp4": ["-c:v", "libx264", "-bf", 2, "-c:a", "aac", "-b:a", "128k"],
    "film.mov": ["-c:v", "libx264", "-bf", 2, "-c:a", "alac"],
    "film.webm": ["-c:v", "libvpx", "-c:a", "libopus", "-b:a", "96k"],
}


@pytest.fixture(scope="session")
def films(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    for name, codecs in CODECS.items():
        ffmpeg(*PICTURES, *SOUND, *codecs, "-metadata", "title=Holidays", folder / name)
    ffmpeg(*SOUND, folder / "sound.mp4")
    return folder


def packets(path):
    """Returns presentation time, decoding time, flags and hash of each video packet, as FFmpeg
    reads them."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-select_streams", "v", "-show_data_hash", "md5", "-show_packets", path]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packets"]
    return [tuple(packet.get(name) for name in ("pts_time", "dts_time", "flags", "data_hash")) for packet in found]


@pytest.mark.parametrize("name", mostly_long(CODECS, "film.mkv", "film.mp4"))
def test_the_pictures_are_the_same_packets_at_the_same_times(tmp_path, films, name):
    (tmp_path / name).symlink_to(films / name)
    told = tool(tmp_path, "reverse", name, "--keep-video").stderr
    output = tmp_path / name.replace(".", "-reversed.")
    before, after = packets(films / name), packets(output)
    assert len(before) == 50 and after == before
    assert probe(output)["codec"] == probe(films / name)["codec"]
    assert title(output) == "Holidays"
    assert "Not kept" not in told
    assert_nothing_left(tmp_path, name, output.name)


@pytest.mark.parametrize("name", mostly_long(["film.mkv", "film.mov"], "film.mov"))
def test_lossless_sound_is_that_of_the_film_backwards_bit_for_bit(tmp_path, films, name):
    tool(tmp_path, "reverse", films / name, "--keep-video", "-o", name)
    assert np.array_equal(samples(tmp_path / name), samples(films / name)[::-1])


@pytest.mark.long
@pytest.mark.parametrize("name, kbits", [("film.mp4", 128), ("film.webm", 96)])
def test_lossy_sound_is_the_same_without_pictures(tmp_path, films, name, kbits):
    tool(tmp_path, "reverse", films / name, "--keep-video", "-o", name)
    tool(tmp_path, "reverse", films / name, "-o", "sound.wav")
    wanted, found = samples(tmp_path / "sound.wav"), samples(tmp_path / name)[: 2 * 48000]
    # FFmpeg reads all of it, and GStreamer 1.22 leaves out the last packet of an MP4 with pictures
    assert np.abs(wanted - samples(films / name)[:96000][::-1]).max() < 2**-15
    count = min(len(wanted), len(found))
    assert abs(len(wanted) - len(found)) < 2048
    noise = found[:count] - wanted[:count]
    assert 10 * np.log10(np.mean(wanted**2) / np.mean(noise**2)) > 15
    if name == "film.mp4":
        assert probe(tmp_path / name)["bit rate"] / 1000 == pytest.approx(kbits, rel=0.2)


def test_a_part_is_reversed_in_place(tmp_path, films):
    tool(tmp_path, "reverse", films / "film.mov", "--keep-video", "--region", "0.5-1", "--keep-rest", "-o", "new.mov")
    assert packets(tmp_path / "new.mov") == packets(films / "film.mov")
    wanted = samples(films / "film.mov").copy()
    wanted[24000:48000] = wanted[24000:48000][::-1]
    assert np.array_equal(samples(tmp_path / "new.mov"), wanted)


def test_chapters_stay_with_the_pictures_and_losses_are_reported(tmp_path, films):
    (tmp_path / "words.srt").write_text("1\n00:00:00,500 --> 00:00:01,500\nHello\n")
    (tmp_path / "chapters.txt").write_text(";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={a}\nEND={b}\ntitle={title}\n" for a, b, title in ((0, 500, "One"), (500, 2000, "Two"))))
    inputs = [word for name in (films / "film.mkv", films / "film.webm", tmp_path / "words.srt", tmp_path / "chapters.txt") for word in ("-i", name)]
    maps = ["-map", "0", "-map", "1", "-map", "2", "-map_chapters", 3, "-c", "copy", "-c:s", "srt"]
    ffmpeg(*inputs, *maps, tmp_path / "film.mkv")
    told = tool(tmp_path, "reverse", "film.mkv", "--keep-video", "-o", "new.mkv").stderr
    assert "new.mkv: Not kept: more video streams, more audio streams (the first one was taken), subtitles.\n" in told
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_chapters", tmp_path / "new.mkv"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["chapters"]
    assert [(float(c["start_time"]), float(c["end_time"]), c["tags"]["title"]) for c in found] == [(0, 0.5, "One"), (0.5, 2, "Two")]


def title(path):
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "format_tags", path]
    tags = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["format"]["tags"]
    return {name.lower(): value for name, value in tags.items()}["title"]


def rotation(path):
    command = ["ffprobe", "-v", "error", "-of", "json", "-select_streams", "v", "-show_entries", "stream_side_data=rotation", path]
    (stream,) = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["streams"]
    return stream.get("side_data_list")


def test_the_pictures_of_a_telephone_stay_rotated(tmp_path, films):
    ffmpeg("-i", films / "film.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", tmp_path / "phone.mp4")
    if not rotation(tmp_path / "phone.mp4"):  # FFmpeg 6 and later ignore this tag
        ffmpeg("-display_rotation", 90, "-i", films / "film.mp4", "-c", "copy", tmp_path / "phone.mp4")
    assert rotation(tmp_path / "phone.mp4")
    assert "turned" not in tool(tmp_path, "reverse", "phone.mp4", "--keep-video", "-o", "new.mp4").stderr
    assert rotation(tmp_path / "new.mp4") == rotation(tmp_path / "phone.mp4")
    told = tool(tmp_path, "reverse", "phone.mp4", "--keep-video", "-o", "new.mkv").stderr
    assert "Not kept: the display rotation of the video." in told


REFUSALS = [
    ("reverse sound.mp4 --keep-video", 1, "sound.mp4: it has no video to keep; choose a file with pictures."),
    ("reverse film.mp4 --keep-video -o new.wav", 64, "new.wav: this type cannot hold video"),
    ("reverse film.mp4 --keep-video -o -", 64, "this type cannot hold video"),
    ("reverse film.mp4 --keep-video -o new.webm", 1, "cannot hold its video; give the file a name that ends in .mkv."),
    ("reverse film.mkv --keep-video -o new.mp4", 1, "film.mkv: its video does not fit into mp4; choose mkv or webm."),
    ("reverse film.webm --keep-video --codec flac", 64, "webm cannot hold flac; choose one of: opus, vorbis."),
    ("reverse film.mp4 --keep-video --type mka", 64, "leave out --type."),
    ("reverse film.mp4 --keep-video --region 0-1", 64, "--keep-video needs sound that stays as long as the video; add --keep-rest."),
    ("scale film.mp4 --keep-video --speed 2", 64, "--keep-video needs sound that stays as long as the video; leave out --speed."),
]


@pytest.mark.parametrize("line, status, sentence", mostly_long(REFUSALS, *REFUSALS[:5]), ids=[line for line, *_ in REFUSALS])
def test_what_cannot_be_is_said_in_a_sentence(tmp_path, films, line, status, sentence):
    for name in CODECS:
        (tmp_path / name).symlink_to(films / name)
    (tmp_path / "sound.mp4").symlink_to(films / "sound.mp4")
    assert sentence in tool(tmp_path, *line.split(), status=status).stderr
    assert_nothing_left(tmp_path, *CODECS, "sound.mp4")


def test_a_file_without_pictures_is_refused_before_its_sound_is_measured(tmp_path, films):
    told = tool(tmp_path, "reverse", films / "sound.mp4", "--keep-video", "--normalize", "--json", status=1).stdout
    (event,) = [json.loads(line) for line in told.splitlines() if json.loads(line)["event"] != "started"]
    assert event["event"] == "failed"
    assert "it has no video to keep" in event["message"]


def test_a_pitch_of_its_own_leaves_the_length_and_the_pictures(tmp_path, films):
    tool(tmp_path, "scale", films / "film.mkv", "--keep-video", "--semitones", "2", "-o", "new.mkv")
    assert packets(tmp_path / "new.mkv") == packets(films / "film.mkv")
    assert len(samples(tmp_path / "new.mkv")) == len(samples(films / "film.mkv"))


def test_progress_rises_to_the_end(tmp_path, films):
    told = events(tool(tmp_path, "reverse", films / "film.mov", "--keep-video", "-o", "new.mov", "--json"))
    fractions = [event["fraction"] for event in told if event["event"] == "progress"]
    assert fractions == sorted(fractions) and fractions[-1] == 1
    assert told[-1]["event"] == "finished" and told[-1]["seconds"] == pytest.approx(2, abs=0.001)
