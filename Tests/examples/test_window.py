# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the window of launch-examples on a virtual display, through the names of its buttons, by
# mouse and by keys: its sound, its files and its messages.

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support import ENVIRONMENT, EXAMPLES, MEDIA, ROOT, ffmpeg_samples, ffprobe, run, scaled_length

pytestmark = pytest.mark.long

WINDOW = EXAMPLES / "window/retrograde-window.py"
SAMPLE = MEDIA / "sample.flac"
RATE = 44100
# The largest error of a 16-bit sample with dither.
ROUNDING = 2 / 32768


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """Runs drive_window.py. Returns the folder with its results."""
    subprocess.run(["make", "-s", "-C", ROOT, "tool"], check=True, capture_output=True)
    folder = tmp_path_factory.mktemp("window")
    make_files(folder)
    driver = Path(__file__).with_name("drive_window.py")
    run("dbus-run-session", "--", "/usr/bin/python3", driver, folder, env=ENVIRONMENT, timeout=900)
    return folder


def make_files(folder):
    tags = ["-metadata", "title=A title & more", "-metadata", "artist=Somebody"]
    run("ffmpeg", "-v", "error", "-i", SAMPLE, "-c", "copy", *tags, folder / "song.flac")
    run("ffmpeg", "-v", "error", "-stream_loop", 191, "-i", SAMPLE, folder / "long.flac")
    for name in ("speech.wav", "short.aiff", "surround.flac"):
        shutil.copy(MEDIA / name, folder)
    (folder / "text.wav").write_text("This is not audio.\n" * 100)
    content = SAMPLE.read_bytes()
    (folder / "cut.flac").write_bytes(content[: len(content) // 5])
    (folder / "dropped").mkdir()
    shutil.copy(MEDIA / "speech.wav", folder / "dropped/within.wav")
    shutil.copy(SAMPLE, folder / "dropped one.flac")
    source = ROOT / "Tests/tool/full-disk.c"
    run("gcc", "-shared", "-fPIC", "-o", folder / "full-disk.so", source, "-ldl")
    # targets of exports that exist already
    (folder / "symbolic.flac").symlink_to("song.flac")
    (folder / "hard.flac").hardlink_to(folder / "song.flac")
    (folder / "private.wav").write_text("old")
    (folder / "private.wav").chmod(0o600)
    (folder / "elsewhere").write_text("of somebody else")
    (folder / "link.wav").symlink_to("elsewhere")


@pytest.fixture(scope="module")
def seen(driven):
    return json.loads((driven / "seen.json").read_text())


@pytest.fixture(scope="module")
def forward():
    return ffmpeg_samples(SAMPLE)


@pytest.fixture(scope="module")
def heard(driven):
    return lambda name: np.fromfile(driven / f"{name}.f32", "<f4").reshape(-1, 2)


def test_title_and_artist_are_above(seen):
    assert seen["heading"] == ["A title & more", "Somebody"]


def test_each_row_has_the_buttons_of_the_articles(seen):
    names = ("speech.wav", "short.aiff", "surround.flac", "long.flac", "dropped one.flac", "within.wav")
    assert seen["names"] == [f"{verb} {name}" for name in names for verb in ("Play", "Reverse", "Scale")]


def test_every_frame_is_played_in_either_direction(heard, forward):
    assert np.array_equal(heard("forward"), forward)
    assert np.array_equal(heard("backward"), forward[::-1])


def test_an_aiff_is_played(heard):
    assert np.array_equal(heard("aiff"), ffmpeg_samples(MEDIA / "short.aiff"))


def test_half_the_volume_sounds_half_as_loud(heard, forward):
    """The gain is the cube of the volume: half the volume is -18 dB."""
    assert np.allclose(heard("half"), forward / 8, atol=1e-6)


@pytest.mark.parametrize("name", ["single", "first", "kept"])
def test_what_is_exported_is_what_is_heard(driven, heard, forward, name):
    played, written = heard(name), ffmpeg_samples(driven / f"{name}.wav")
    assert len(played) == len(written) == scaled_length(len(forward), "0.8")
    assert written.shape[1] == (2 if name == "kept" else 1)
    # the export lowers the level if samples would be clipped otherwise
    peak = max(1, np.abs(played).max())
    assert np.abs(played / peak - written).max() <= ROUNDING


def test_factor_interpolation_and_channels_reach_the_output(heard, forward):
    """Uses the recordings of play_and_write(): "single" has interpolation nearest, and all channels
    mixed; "first" has the first channel on both sides."""
    places = np.floor(np.arange(scaled_length(len(forward), "0.8")) * 1.25 + 0.5)
    assert np.allclose(heard("single")[:, 0], forward[places.astype(int)].mean(axis=1), atol=ROUNDING)
    assert np.array_equal(heard("first")[:, 0], heard("first")[:, 1])


def test_the_remaining_time_is_shown(seen):
    assert seen["lasts"] == "Lasts 0:04.0"


def test_the_part_between_the_markers_is_exported_to_the_frame(driven, forward):
    part = ffmpeg_samples(driven / "part.wav")
    starts = np.flatnonzero((forward[:, 0] == part[0, 0]) & (forward[:, 1] == part[0, 1]))
    (start,) = [start for start in starts if np.array_equal(forward[start : start + len(part)], part)]
    assert 0.25 < start / len(forward) < 0.35 and 0.45 < (start + len(part)) / len(forward) < 0.55


def test_keys_set_the_markers(driven, forward):
    """From a quarter to a half. One pixel is 0.1 % of the width."""
    part = ffmpeg_samples(driven / "marked.wav")
    assert len(part) / len(forward) == pytest.approx(0.25, abs=0.01)


def test_times_of_markers_are_typed(seen):
    """An end that isn't after the other one sends that one to the end of the file."""
    first, *others = seen["markers"]
    assert first[0] == "0:01.500"
    assert others == [["0:00.000", "0:01.400"], ["0:01.500", "0:05.016"], ["0:01.500", "0:02.250"]]
    assert seen["soon"] == "“soon” is no time: write minutes and seconds, such as 1:15.5."


def test_sound_plays_on_when_its_markers_are_removed(seen):
    assert seen["place"] >= 1.4  # the loop begins at 1.5 s


def test_a_cut_file_is_as_long_as_what_is_there_and_says_once_what_to_do(seen):
    sentence, lasts, *again = seen["cut"]
    assert sentence.startswith("cut.flac: the file is cut off: it should have 5.02 s, but has ") and sentence.endswith("; download or copy it again.")
    seconds = float(sentence.partition("but has ")[2].split(" ")[0])
    # the decoder leaves out the last block, of up to 4608 frames
    assert float(lasts[2:]) == pytest.approx(seconds, abs=0.1 + 4608 / RATE)
    assert again in ([], [sentence])


def test_a_row_writes_its_file_backwards(driven, seen, forward):
    assert np.array_equal(ffmpeg_samples(driven / "song-reversed.flac"), forward[::-1])
    assert seen["reversed"] == "song-reversed.flac: written."


def test_a_row_writes_its_file_scaled(driven, seen):
    frames = len(ffmpeg_samples(MEDIA / "speech.wav"))
    assert len(ffmpeg_samples(driven / "speech-scaled.wav")) == scaled_length(frames, 0.8)
    assert seen["scaled"].startswith("speech-scaled.wav: written.")


def test_no_file_that_is_open_is_written_to(driven, seen):
    for name in ("song.flac", "symbolic.flac", "hard.flac"):
        assert seen["refusals"][name] == f"{name} is open here: choose another name."
    assert ffprobe(driven / "song.flac")["seconds"] == pytest.approx(len(ffmpeg_samples(SAMPLE)) / RATE)
    assert os.path.samefile(driven / "symbolic.flac", driven / "hard.flac")


def test_unreadable_and_unwritable_files_get_a_sentence(driven, seen):
    assert seen["refusals"]["text.wav"] == "text.wav: GStreamer finds no audio in it; choose a file with sound."
    assert seen["refusals"]["song.xyz"].startswith("song.xyz: unknown file type; choose a name that ends in one of: wav")
    assert not (driven / "song.xyz").exists()


def test_a_replaced_file_keeps_its_permissions_and_a_link_itself_is_replaced(driven):
    assert (driven / "private.wav").stat().st_mode & 0o777 == 0o600
    assert not (driven / "link.wav").is_symlink()
    # compare only samples, because the order of tags varies
    assert np.array_equal(ffmpeg_samples(driven / "private.wav"), ffmpeg_samples(driven / "link.wav"))


def test_nothing_is_left_of_cancelled_work(driven, seen):
    assert seen["status"] == 0
    assert not (driven / "cancelled.flac").exists()
    assert not (driven / "left.flac").exists()
    assert not list(driven.glob(".*"))


def test_dropped_files_and_folders_are_opened(seen):
    assert seen["dropped"] == ["dropped one.flac", "within.wav"]


def test_the_folder_of_a_new_file_is_shown(driven, seen):
    assert seen["folder"].removeprefix("file://").rstrip("/") == str(driven)


def test_a_full_disk_gets_a_sentence_and_leaves_nothing(tmp_path):
    make_files(tmp_path)
    driver = Path(__file__).with_name("drive_full_disk.py")
    told = run("dbus-run-session", "--", "/usr/bin/python3", driver, tmp_path, env=ENVIRONMENT, timeout=300).stdout
    # daemons of the session print lines, too
    assert "full.wav: the disk is full; make room and try again." in told.splitlines()
    assert not (tmp_path / "full.wav").exists()
    assert not list(tmp_path.glob(".*"))


def test_a_scaled_file_is_played_from_the_scrubbed_place(heard, forward):
    """Half of the file at factor 0.5 lasts a quarter of the file's duration. The tolerance is for
    the position of the mouse: one pixel is 0.1 % of the width."""
    assert len(heard("second half")) == pytest.approx(len(forward) / 4, rel=0.01)


def test_a_wrong_option_and_a_missing_plugin_get_a_sentence(tmp_path):
    usage = run("/usr/bin/python3", WINDOW, "--dance", status=2).stderr
    assert usage.startswith("usage: retrograde-window.py")
    elsewhere = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(tmp_path), "GST_PLUGIN_SYSTEM_PATH_1_0": str(tmp_path)}
    elsewhere["GST_REGISTRY_1_0"] = str(tmp_path / "registry.bin")
    missing = run("/usr/bin/python3", WINDOW, env=elsewhere, status=1).stderr
    assert missing.endswith("run make build, or set GST_PLUGIN_PATH_1_0.\n") and str(tmp_path) in missing


def test_each_of_its_files_has_one_subject_and_fits_a_few_screens():
    lines = [file.read_text().splitlines() for file in WINDOW.parent.iterdir() if file.suffix in (".py", ".ui", ".blp")]
    assert max(map(len, lines)) <= 350 and sum(map(len, lines)) <= 1050
    assert max(len(line) for file in lines for line in file) <= 100


@pytest.mark.parametrize("factor", [0.5, 1, 2])
def test_the_position_is_that_of_what_is_heard(factor, tmp_path):
    """The shown position must not be ahead by the up to 0.25 s that elements buffer. The median is
    compared, because a busy machine delays some readings."""
    file = tmp_path / "long.flac"
    run("ffmpeg", "-v", "error", "-stream_loop", 3, "-i", SAMPLE, file)
    child = Path(__file__).with_name("window_position.py")
    ahead = json.loads(run("/usr/bin/python3", child, file, factor, env=ENVIRONMENT, timeout=60).stdout)
    assert abs(np.median(ahead)) < 0.1


def test_a_wave_file_plays_backward_from_its_end(tmp_path):
    """A seek to the end of a WAV must not wait for audio, because none follows."""
    run("ffmpeg", "-v", "error", "-i", SAMPLE, tmp_path / "sample.wav")
    child = Path(__file__).with_name("window_backward.py")
    heard = run("/usr/bin/python3", child, tmp_path / "sample.wav", 5.016643991, env=ENVIRONMENT, timeout=60).stdout
    assert int(heard) == 221_234 * 2 * 4


def test_a_file_that_never_ends_is_given_up(tmp_path):
    """The window must stay usable: another file can be played afterwards."""
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.5", "-f", "nut", tmp_path / "stuck.nut")
    child = Path(__file__).with_name("window_stuck.py")
    said = run("/usr/bin/python3", child, tmp_path / "stuck.nut", MEDIA / "short.wav", env=ENVIRONMENT).stdout.splitlines()
    assert said == ["GStreamer has found nothing more in this file for 10 s; convert it into another type first.", "ended"]


def test_media_keys_control_it(tmp_path):
    make_files(tmp_path)
    child = Path(__file__).with_name("window_remote.py")
    files = [tmp_path / "song.flac", tmp_path / "speech.wav"]
    lines = run("dbus-run-session", "--", "/usr/bin/python3", child, tmp_path / "home", *files, env=ENVIRONMENT, timeout=300).stdout.splitlines()
    told = json.loads(next(line for line in lines if line.startswith("{")))
    assert told["identity"] == "Retrograde" and told["status"] == 0
    first = told["first"]
    assert [first["xesam:title"], first["xesam:artist"], first["xesam:url"]] == ["A title & more", ["Somebody"], files[0].as_uri()]
    assert first["mpris:length"] == pytest.approx(len(ffmpeg_samples(SAMPLE)) / RATE * 1e6, abs=1)
    assert told["stopped"] == ["Paused", 0, False]
    assert told["second"] == ["speech.wav", False, True]
    assert told["changed"] == ["CanGoNext", "CanGoPrevious", "Metadata", "PlaybackStatus", "Rate"]
