# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The player with a window, driven by the mouse on a display that nobody sees.

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import ENVIRONMENT, MEDIA, ROOT, ffmpeg_samples, ffprobe, run, scaled_length

WINDOW = ROOT / "launch-examples/window/retrograde-window.py"
FILES = [MEDIA / name for name in ("sample.flac", "sample.mp3", "speech.wav", "surround.flac")]
DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24"]
RATE = 44100
# no desktop: nothing may ask for a bus, a graphics card or the user's settings
GTK = {"GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GTK_THEME": "Adwaita"}


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """The folder with what came of driving it: see drive_window.py."""
    folder = tmp_path_factory.mktemp("window")
    files = [Path(shutil.copy(file, folder)) for file in FILES]
    make_targets(folder, files[0])
    driver = Path(__file__).with_name("drive_window.py")
    run(*DISPLAY, "/usr/bin/python3", driver, *files, folder, env=ENVIRONMENT | GTK, timeout=240)
    return folder


def make_targets(folder, opened):
    """What is there already when it exports to these names."""
    (folder / "symbolic.wav").symlink_to(opened)
    (folder / "hard.wav").hardlink_to(opened)
    (folder / "private.wav").write_text("old")
    (folder / "private.wav").chmod(0o600)
    (folder / "elsewhere").write_text("of somebody else")
    (folder / "link.wav").symlink_to(folder / "elsewhere")


@pytest.fixture(scope="module")
def seen(driven):
    return json.loads((driven / "seen.json").read_text())


@pytest.fixture(scope="module")
def forward():
    return ffmpeg_samples(FILES[0])


def test_the_list_has_every_file_and_its_duration(seen):
    assert {name for name, _ in seen["durations"]} == {file.name for file in FILES}
    for name, seconds in seen["durations"]:
        assert seconds == pytest.approx(ffprobe(MEDIA / name)["seconds"], abs=0.03)


def test_what_is_no_audio_gets_a_sentence_and_is_not_in_the_list(seen):
    assert seen["refusal"].startswith("text.wav: ")
    assert len(seen["refusal"]) > len("text.wav: ")
    assert "text.wav" not in {name for name, _ in seen["durations"]}


def test_the_waveform_is_that_of_the_file(seen, forward):
    peaks = np.array(seen["peaks"])
    parts = np.array_split(np.abs(forward).max(axis=1), len(peaks))
    expected = np.array([part.max() for part in parts])
    # an interval of `level` is a whole number of frames, so the columns are not exactly those
    assert np.corrcoef(peaks, expected)[0, 1] > 0.98
    assert peaks.max() == pytest.approx(expected.max(), abs=0.01)


def test_nothing_is_heard_outside_of_the_markers(seen):
    start, stop = seen["markers"]
    assert start - 0.001 <= min(seen["heard"]) <= max(seen["heard"]) <= stop + 0.001
    assert max(seen["heard"]) - min(seen["heard"]) > 0.5 * (stop - start)


def test_the_whole_file_is_exported_backwards(driven, forward):
    exported = ffmpeg_samples(driven / "whole.wav")
    assert np.array_equal(exported, forward[::-1])


def test_what_lies_between_the_markers_is_exported_to_the_frame(driven, seen, forward):
    start, stop = (round(seconds * RATE) for seconds in seen["markers"])
    exported = ffmpeg_samples(driven / "loop.wav")
    assert np.array_equal(exported, forward[start:stop][::-1])


def test_the_speed_changes_the_length_and_not_the_pitch(driven, seen):
    """The middle frequency of the sound, which halves with the speed where the pitch follows."""
    loop, slow = (ffmpeg_samples(driven / name).mean(axis=1) for name in ("loop.wav", "slow.wav"))
    assert len(slow) == scaled_length(len(loop), 1 / seen["speed"])
    assert 0.3 < seen["speed"] < 0.7
    assert centre(slow) / centre(loop) == pytest.approx(1, abs=0.1)


def test_no_file_that_is_open_is_written_to(driven, seen):
    for file in FILES:
        assert (driven / file.name).read_bytes() == file.read_bytes()
    for name in (*(file.name for file in FILES), "symbolic.wav", "hard.wav"):
        assert seen["refusals"][name] == f"{driven / name} is open here: choose another name."


@pytest.mark.parametrize("name, codec", [("whole.flac", "flac"), ("whole.ogg", "vorbis"), ("whole.opus", "opus")])
def test_the_name_says_the_type_of_the_file(driven, forward, name, codec):
    probe = ffprobe(driven / name)
    assert probe["codec"] == codec
    assert probe["seconds"] == pytest.approx(len(forward) / RATE, abs=0.01)


def test_a_type_that_it_does_not_write_gets_a_sentence(driven, seen):
    for name in ("song.mp3", "song"):
        assert seen["refusals"][name] == f"{driven / name}: let the name end in one of .wav, .flac, .ogg, .opus."
        assert not (driven / name).exists()


def test_a_replaced_file_keeps_its_permissions_and_a_link_leads_nowhere(driven):
    whole = (driven / "whole.wav").read_bytes()
    assert (driven / "private.wav").read_bytes() == whole
    assert (driven / "private.wav").stat().st_mode & 0o777 == 0o600
    assert (driven / "link.wav").read_bytes() == whole
    assert (driven / "elsewhere").read_text() == "of somebody else"


def test_no_part_of_a_file_is_left_when_the_window_closes(driven):
    assert not (driven / "left.wav").exists()
    assert not list(driven.glob(".*"))


def test_a_file_that_cannot_be_written_gets_a_sentence_and_stays_as_it_was(tmp_path):
    """The system allows this process 10,000 bytes in a file, as a full disk would."""
    target = tmp_path / "out.wav"
    target.write_text("old")
    script = f"""
import resource, sys
sys.path.insert(0, {str(WINDOW.parent)!r})
import sound
sound.Gst.init([])
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
loop = sound.GLib.MainLoop()
said = []
sound.Export({FILES[0].as_uri()!r}, {str(target)!r}, ("reverse", 1, False, None), lambda text: (said.append(text), loop.quit()))
loop.run()
print(said[0])"""
    said = run("/usr/bin/python3", "-c", script, env=ENVIRONMENT).stdout
    assert said.startswith(f"{target}: ") and "write" in said
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def centre(samples):
    power = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    return (power * frequencies).sum() / power.sum()


def test_a_wrong_option_and_a_missing_plugin_get_a_sentence(tmp_path):
    usage = run("/usr/bin/python3", WINDOW, "--dance", status=1).stderr
    assert usage.startswith("usage: retrograde-window.py")
    elsewhere = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(tmp_path), "GST_PLUGIN_SYSTEM_PATH_1_0": str(tmp_path)}
    elsewhere["GST_REGISTRY_1_0"] = str(tmp_path / "registry.bin")
    missing = run("/usr/bin/python3", WINDOW, env=elsewhere, status=1).stderr
    assert missing.strip().endswith("GStreamer does not find the plugin: is GST_PLUGIN_PATH_1_0 set?")


def test_it_is_no_more_than_500_lines():
    assert sum(len(file.read_text().splitlines()) for file in WINDOW.parent.glob("*.py")) <= 500
