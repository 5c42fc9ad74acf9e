# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests where the tool reads from and writes to: pipes, folders, names of files.

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from toolrun import ALONE, ENVIRONMENT, PLUGIN, TOOL, assert_nothing_left, copy_registry, ffmpeg, mostly_long, samples, tool


def test_the_plugin_of_the_build_folder_is_found_without_being_named(tmp_path, sounds):
    registry = copy_registry(tmp_path)
    tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "new.wav", env=ALONE | registry)
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(sounds["s16.wav"])[::-1])


def piped(folder, source, *words):
    """Runs the tool with the file `source` as standard input. Returns its standard output."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    with open(source, "rb") as sound:
        result = subprocess.run([TOOL, "reverse", *words], stdin=sound, capture_output=True, cwd=folder, env=ENVIRONMENT | {"TMPDIR": str(temporary)}, timeout=600)
    assert_nothing_left(temporary)
    temporary.rmdir()
    return result


@pytest.mark.parametrize("file", mostly_long(["s16.flac", "alac.m4a", "s16.wav", "lame.mp3", "vorbis.ogg"], "alac.m4a"))
def test_a_dash_is_standard_input(tmp_path, sounds, file):
    made = piped(tmp_path, sounds[file], "-")
    assert made.returncode == 0, made.stderr
    (tmp_path / f"pipe{sounds[file].suffix}").write_bytes(made.stdout)
    tool(tmp_path, "reverse", sounds[file], "-o", f"file{sounds[file].suffix}")
    assert np.array_equal(samples(tmp_path / f"pipe{sounds[file].suffix}"), samples(tmp_path / f"file{sounds[file].suffix}"))


def test_standard_input_goes_into_a_file_that_is_named(tmp_path, sounds):
    made = piped(tmp_path, sounds["s16.wav"], "-", "-o", "new/song.flac")
    assert made.stdout == b"wrote new/song.flac\n"
    assert np.array_equal(samples(tmp_path / "new/song.flac"), samples(sounds["s16.wav"])[::-1])


def test_faults_of_standard_input_are_reported(tmp_path, sounds):
    notes = tmp_path / "notes"
    notes.write_text("no audio\n" * 1000)
    assert b"retrograde: standard input: GStreamer finds no audio in it" in piped(tmp_path, notes, "-", "-o", "a.wav").stderr
    assert b"name - once" in piped(tmp_path, sounds["s16.wav"], "-", "-").stderr
    assert_nothing_left(tmp_path, "notes", "stdin-reversed.wav")


def test_a_signal_ends_waiting_for_standard_input(tmp_path):
    reader, writer = os.pipe()
    process = subprocess.Popen([TOOL, "reverse", "-"], stdin=reader, stdout=subprocess.PIPE, env=ENVIRONMENT | {"TMPDIR": str(tmp_path)})
    os.close(reader)
    os.write(writer, b"RIFF")
    while not any(tmp_path.iterdir()):
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    os.close(writer)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("output, made", [("new/", "new/s16-reversed.wav"), ("a/b/c.flac", "a/b/c.flac")])
def test_folders_are_made_where_they_are_missing(tmp_path, sounds, output, made):
    assert tool(tmp_path, "reverse", sounds["s16.wav"], "-o", output).stdout == f"wrote {made}\n"
    assert (tmp_path / made).exists()


@pytest.fixture
def music(tmp_path, sounds):
    """A folder of music with subfolders, one of them hidden."""
    folder = tmp_path / "music"
    for name, file in (("A/1.flac", "s16.flac"), ("A/live/1.flac", "s16.flac"), ("B/song", "lame.mp3"), (".trash/x.wav", "s16.wav")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(sounds[file], folder / name)
    (folder / "A/notes.txt").write_text("no audio")
    (folder / "B/loop").symlink_to("..")
    return folder


def test_folders_are_searched_and_their_subfolders_kept(tmp_path, music):
    result = tool(tmp_path, "reverse", "-r", "music", "-o", "new")
    made = ["new/A/1-reversed.flac", "new/A/live/1-reversed.flac", "new/B/song-reversed.mp3"]
    assert sorted(result.stdout.splitlines()) == [f"wrote {name}" for name in made]
    assert sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "new").rglob("*") if path.is_file()) == made


@pytest.mark.parametrize("options", [["-o", "backwards/"], ["-o", "music"], []], ids=["new folder", "folder with inputs", "here"])
def test_files_of_an_earlier_run_are_no_inputs(tmp_path, music, options):
    first = tool(tmp_path, "reverse", "-r", ".", *options).stdout
    second = tool(tmp_path, "reverse", "-r", ".", *options, "--force").stdout
    assert sorted(first.splitlines()) == sorted(second.splitlines())


def test_an_input_is_never_an_output(tmp_path, sounds):
    """Not if it is the time map."""
    shutil.copy(sounds["s16.wav"], tmp_path / "song.wav")
    points = tmp_path / "map.wav"
    points.write_text("0.1 0.2\n")
    told = tool(tmp_path, "scale", "-f", "--map", "map.wav", "song.wav", "-o", "./map.wav", status=64).stderr
    assert told == "retrograde: ./map.wav: this is the time map; choose another name.\n"


def test_a_folder_is_not_searched_unless_asked_for(tmp_path, music):
    result = tool(tmp_path, "reverse", "music", status=1)
    assert result.stderr == "retrograde: music: this is a folder; add -r (--recursive) for the audio files in it.\n"


def test_force_has_a_letter_and_the_message_names_it(tmp_path, sounds):
    (tmp_path / "a.wav").write_text("old")
    result = tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "a.wav", status=1)
    assert result.stderr == "retrograde: a.wav: it already exists; choose another name, or add --force to replace it.\n"
    tool(tmp_path, "reverse", "-f", sounds["s16.wav"], "-o", "a.wav")


def test_bash_expansions_are_not_read(tmp_path, sounds):
    command = f'{TOOL} reverse <(cat {sounds["s16.wav"]}) -o new.wav'
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == 1
    assert "pipes and <(…) are not read by name; save the sound in a file first." in result.stderr


@pytest.mark.parametrize(
    "command, name, sentence",
    [
        ("reverse", "", "The name of an input is empty; name a file."),
        ("play --sink silent", "", "The name of an input is empty; name a file."),
        ("info", "-", "Standard input is not read by this command; save the sound in a file first."),
        ("info", "https://a.example/b.mp3", "https://a.example/b.mp3: URLs are not read; download the file first."),
        ("play --sink silent", "https://a.example/b.mp3", "https://a.example/b.mp3: URLs are not read; download the file first."),
    ],
)
def test_every_command_says_what_it_does_not_read(tmp_path, sounds, command, name, sentence):
    """An empty name (for example "$unset") must not mean the current folder."""
    shutil.copy(sounds["s16.wav"], tmp_path)
    result = tool(tmp_path, *command.split(), name, status=None)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.removeprefix("retrograde: ") == sentence + "\n"
    assert_nothing_left(tmp_path, "s16.wav")


def test_a_folder_that_may_not_be_read_keeps_no_other_from_being_searched(sounds):
    """Runs the tool as another user, because root can read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, mode in (("", 0o755), ("music", 0o755), ("music/closed", 0), ("new", 0o777)):
            (folder / place).mkdir(exist_ok=True)
            (folder / place).chmod(mode)
        for file in (TOOL, PLUGIN, sounds["s16.wav"]):
            shutil.copy(file, folder / "music")
        user = {"user": 65534} if os.geteuid() == 0 else {}
        environment = os.environ | copy_registry(folder)
        command = [folder / "music/retrograde", "reverse", "-r", "music", "-o", "new"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, **user)
        (folder / "music/closed").chmod(0o755)
    assert (result.returncode, result.stdout) == (1, "wrote new/s16-reversed.wav\n")
    assert result.stderr == "retrograde: music/closed/: you are not allowed to read this folder; change its permissions.\n"


def test_without_room_for_what_is_reversed_it_says_so(tmp_path):
    """More than 16 MiB go to the folder for temporary files."""
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "400", tmp_path / "long.flac")
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path / "nowhere")}
    result = tool(tmp_path, "reverse", "long.flac", "-o", "new.flac", status=1, env=environment)
    assert result.stderr == (
        f"retrograde: long.flac: its decoded sound does not fit into {tmp_path}/nowhere, the folder for temporary files; "
        "make room there, or set TMPDIR to another folder.\n"
    )
    assert_nothing_left(tmp_path, "long.flac")


def test_a_worker_without_an_order_does_nothing(tmp_path, sounds):
    """A cancelled parent may end before it has sent the order."""
    command = f"exec -a retrograde-worker {TOOL} reverse {sounds['s16.wav']}"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True)
    assert (result.returncode, result.stdout) == (1, b"")
    assert_nothing_left(tmp_path)
