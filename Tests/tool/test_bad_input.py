# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
from bad_inputs import BAD_INPUTS, long_box, sentence
from toolrun import ENVIRONMENT, MEDIA, PLUGIN, TOOL, assert_nothing_left, copy_registry, events, ffmpeg, mostly_long, samples, tool, wait_for_closed, wait_for_open, wait_for_part, workers


def listing(folder: Path) -> dict:
    """Returns a dictionary of all paths below a folder. The value is the content of a file, or None
    if the path is not a file."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {path: None for path in folder.rglob("*") if not path.is_file()}


@pytest.mark.parametrize("bad", mostly_long(BAD_INPUTS, *(bad for bad in BAD_INPUTS if not bad.long)), ids=lambda bad: bad.name)
def test_one_sentence_a_status_and_nothing_left(tmp_path, sounds, bad):
    arguments = bad.arguments(tmp_path, sounds)
    before = listing(tmp_path)
    result = tool(tmp_path, *arguments, status=bad.status)
    assert bad.words in sentence(result)
    assert result.stdout == ""
    said = result.stderr.splitlines()
    assert said[0].startswith("retrograde: ")
    if "Usage:" not in result.stderr:  # errors of ArgumentParser itself are followed by the usage
        assert len(said) == 1
        assert sentence(result).endswith((".", ")"))
    assert "CRITICAL" not in result.stderr and "WARNING" not in result.stderr
    assert listing(tmp_path) == before


CODES = {"a missing file": "inputUnreadable", "text": "inputNotAudio", "a protected file": "inputProtected", "s16.wav, cut off in the middle": "inputDamaged"}


@pytest.mark.parametrize("name", mostly_long(CODES, "a missing file", "s16.wav, cut off in the middle"))
def test_json_has_a_code(tmp_path, sounds, name):
    (bad,) = [bad for bad in BAD_INPUTS if bad.name == name]
    arguments = bad.arguments(tmp_path, sounds)
    result = tool(tmp_path, *arguments, "--json", status=bad.status)
    last = events(result)[-1]
    assert (last["event"], last["code"]) == ("failed", CODES[name])
    assert bad.words in last["message"]
    assert result.stderr == ""


@pytest.mark.parametrize("name", mostly_long(["new.wav", "new.flac", "new.m4a", "new.ogg", "new.mp3", "new.mka", "new.aiff"], "new.wav", "new.m4a"))
def test_full_disk(tmp_path, full_disk, name):
    result = tool(tmp_path, "reverse", MEDIA / "sample.flac", "-o", name, status=1, env=full_disk)
    assert sentence(result) == f"{tmp_path / name}: the disk is full; make room and try again."
    assert_nothing_left(tmp_path)


def test_a_limit_on_the_size_of_files(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    result = tool(tmp_path, "reverse", MEDIA / "sample.flac", "-o", "new.wav", status=1, preexec_fn=limit)
    assert sentence(result).startswith(f"{tmp_path}/new.wav: it cannot be written (")
    assert_nothing_left(tmp_path)


def test_permissions(tmp_path, sounds):
    """Runs the tool as another user, because root can read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for file in (TOOL, PLUGIN, sounds["s16.wav"]):
            shutil.copy(file, folder)
        (folder / "s16.wav").chmod(0o644)
        (folder / "closed.wav").write_bytes(b"RIFF")
        (folder / "closed.wav").chmod(0)
        user = {"user": 65534} if os.geteuid() == 0 else {}
        environment = os.environ | copy_registry(folder)
        run = {"capture_output": True, "text": True, "cwd": folder, "env": environment, **user}
        closed = subprocess.run([folder / "retrograde", "info", "closed.wav"], **run)
        folder.chmod(0o555)
        shut = subprocess.run([folder / "retrograde", "reverse", "s16.wav", "-o", "new.wav"], **run)
        folder.chmod(0o755)
        assert (closed.returncode, shut.returncode) == (1, 1)
        assert "you are not allowed to read this file" in sentence(closed)
        assert "Permission denied" in sentence(shut)
        assert not list(folder.glob(".*"))


@pytest.mark.parametrize("name", mostly_long(["it's \"q\" $x %s.wav", "line\nbreak.wav", "-dash.wav", "ä%20#?.wav", "n" * 251 + ".wav", "ü" * 125 + ".wav"], "line\nbreak.wav", "-dash.wav", "ä%20#?.wav"))
def test_any_name_of_a_file_will_do(tmp_path, sounds, name):
    shutil.copy(sounds["s16.wav"], tmp_path / name)
    result = tool(tmp_path, "reverse", "-o", "new.wav", "--", name)
    assert result.stdout == "wrote new.wav\n"
    assert (samples(tmp_path / "new.wav") == samples(sounds["s16.wav"])[::-1]).all()
    tool(tmp_path, "reverse", "--force", "-o", "./" + name, "--", "new.wav")
    assert (samples(tmp_path / name) == samples(sounds["s16.wav"])).all()
    assert_nothing_left(tmp_path, name, "new.wav")


def test_control_characters_do_not_reach_the_terminal(tmp_path, sounds):
    shutil.copy(sounds["s16.wav"], tmp_path / "a\x1b[2J\nb.wav")
    for command in ("reverse", "info"):
        result = tool(tmp_path, command, "a\x1b[2J\nb.wav")
        assert "\x1b" not in result.stdout + result.stderr
    assert "wrote a?[2J?b-reversed.wav" in tool(tmp_path, "reverse", "--force", "a\x1b[2J\nb.wav").stdout


def test_damage_inside_is_an_error(tmp_path, sounds):
    content = bytearray(sounds["surround.flac"].read_bytes())
    content[50000:53000] = bytes(3000)
    (tmp_path / "damaged.flac").write_bytes(content)
    result = tool(tmp_path, "reverse", "damaged.flac", "-o", "new.wav", status=1)
    assert "s of its sound cannot be decoded, so it is damaged or cut off" in result.stderr
    assert_nothing_left(tmp_path, "damaged.flac")


def test_a_new_file_that_cannot_be_looked_at_has_its_own_name(tmp_path):
    unread = ENVIRONMENT | {"GST_PLUGIN_FEATURE_RANK": "wavparse:NONE"}
    result = tool(tmp_path, "reverse", MEDIA / "sample.flac", "-o", "new.wav", status=1, env=unread)
    assert ": new.wav: " in result.stderr
    assert ".part-" not in result.stderr
    assert_nothing_left(tmp_path)


def test_an_empty_file_does_not_replace_another(tmp_path, sounds):
    ffmpeg("-i", sounds["s16.wav"], "-frames:a", "0", "-t", "0", tmp_path / "empty.wav")
    (tmp_path / "new.wav").write_bytes(b"precious")
    result = tool(tmp_path, "reverse", "--force", "empty.wav", sounds["s16.flac"], "-o", ".", status=1)
    assert "empty.wav: GStreamer finds no audio in it" in result.stderr
    tool(tmp_path, "reverse", "--force", "empty.wav", "-o", "new.wav", status=1)
    assert (tmp_path / "new.wav").read_bytes() == b"precious"
    assert_nothing_left(tmp_path, "empty.wav", "new.wav", "s16-reversed.flac")


def test_one_that_fails_does_not_stop_the_others(tmp_path, sounds):
    (tmp_path / "text.mp3").write_text("no audio")
    sources = [sounds["s16.wav"], "text.mp3", "missing.flac", sounds["s16.flac"], sounds["s24.wav"]]
    (tmp_path / "new").mkdir()
    result = tool(tmp_path, "reverse", *sources, "-o", "new", status=1)
    assert len(result.stderr.splitlines()) >= 2
    assert_nothing_left(tmp_path / "new", "s16-reversed.flac", "s16-reversed.wav", "s24-reversed.wav")


def test_a_length_that_breaks_arithmetic_does_not_stop_the_others(tmp_path, sounds):
    """The declared length must not overflow and end the process, as in an earlier version."""
    box = long_box(tmp_path)
    told = tool(tmp_path, "reverse", box, sounds["s16.wav"], sounds["s16.flac"], "-o", "new", status=1).stderr
    assert "box.m4a: the file is cut off" in told
    assert_nothing_left(tmp_path / "new", "s16-reversed.flac", "s16-reversed.wav")
    for words in (["info"], ["play", "--sink", "silent"]):
        assert "the file is cut off" in tool(tmp_path, *words, box, status=1).stderr


@pytest.fixture(scope="session")
def endless(tmp_path_factory):
    """A FLAC that is followed by 64 GiB of zeros. The tool must find the end of the audio."""
    path = tmp_path_factory.mktemp("endless") / "endless.flac"
    shutil.copy(MEDIA / "sample.flac", path)
    os.truncate(path, 64 << 30)
    yield path
    path.unlink()


@pytest.mark.parametrize("words, status", [(["reverse"], 130), (["info"], -signal.SIGINT), (["play", "--sink", "silent"], -signal.SIGINT)], ids=["reverse", "info", "play"])
@pytest.mark.long
def test_a_signal_ends_looking_at_a_file(tmp_path, endless, words, status):
    process = subprocess.Popen([TOOL, *words, endless], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_open(process, endless)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == status, errors
    assert output == b""
    wait_for_closed(endless)  # no worker continues
    assert_nothing_left(tmp_path)


def nut(folder):
    """Makes a NUT file, at whose end GStreamer's demuxer reads the same bytes indefinitely."""
    ffmpeg("-f", "lavfi", "-i", "sine=d=0.5", "-f", "nut", folder / "song.mka")
    return folder / "song.mka"


@pytest.mark.parametrize("words", mostly_long(["reverse", "scale --factor 2", "play --sink silent"], "reverse"))
def test_a_file_that_never_ends_is_given_up(tmp_path, words):
    """For example, the tool must not wait indefinitely for the end of one file in a folder."""
    command = tool(tmp_path, *words.split(), nut(tmp_path), *(["-o", "new.wav"] if "play" not in words else []), status=1, timeout=60)
    assert "song.mka: GStreamer has found nothing more in it for 10 s, and does not come to its end; convert it" in command.stderr
    assert_nothing_left(tmp_path, "song.mka")


@pytest.mark.long
def test_a_file_that_never_ends_is_reported_in_a_folder(tmp_path, sounds):
    (tmp_path / "music").mkdir()
    shutil.move(nut(tmp_path), tmp_path / "music/song.nut")
    shutil.copy(sounds["s16.wav"], tmp_path / "music")
    command = tool(tmp_path, "reverse", "-r", "music", "-o", "new", status=1, timeout=60)
    assert "music/song.nut: GStreamer has found nothing more in it for 10 s" in command.stderr
    assert_nothing_left(tmp_path / "new", "s16-reversed.wav")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_work_on_a_file_that_never_ends(tmp_path, number):
    song = nut(tmp_path)
    process = subprocess.Popen([TOOL, "reverse", song, "-o", "new.wav"], cwd=tmp_path, env=ENVIRONMENT)
    wait_for_open(process, song)
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    assert_nothing_left(tmp_path, "song.mka")


def crashing(folder):
    """Makes an MP3 with an APE tag that is too short, on which GStreamer 1.22 aborts."""
    ffmpeg("-f", "lavfi", "-i", "sine=d=0.2", folder / "crash.mp3")
    footer = struct.pack("<8sIIII8x", b"APETAGEX", 2000, 0xFFFFFFFF, 5, 0xA0000000)
    with open(folder / "crash.mp3", "ab") as file:
        file.write(footer)
    return folder / "crash.mp3"


def test_a_crash_of_gstreamer_costs_one_file(tmp_path, sounds):
    result = tool(tmp_path, "reverse", crashing(tmp_path), sounds["s16.wav"], "-o", "new", status=1)
    assert "crash.mp3: it made GStreamer crash (Aborted); convert it into another type first." in sentence(result)
    assert_nothing_left(tmp_path / "new", "s16-reversed.wav")
    (last,) = events(tool(tmp_path, "info", "--json", tmp_path / "crash.mp3", status=1))
    assert last["code"] == "inputDamaged" and "it made GStreamer crash" in last["message"]


@pytest.mark.long
def test_a_crash_leaves_no_file_with_a_temporary_name(tmp_path, named):
    process = subprocess.Popen([TOOL, "scale", "--factor", "100", MEDIA / "sample.flac", "-o", "new.flac"], cwd=tmp_path, env=named, stderr=subprocess.PIPE)
    wait_for_part(process, tmp_path)
    (worker,) = workers(process.pid)
    os.kill(worker, signal.SIGSEGV)
    assert b"it made GStreamer crash (Segmentation fault)" in process.communicate(timeout=60)[1]
    assert_nothing_left(tmp_path)


def test_the_film_has_sound(tmp_path):
    picture = ["-f", "lavfi", "-i", "testsrc=d=0.5:s=64x64:r=10", "-f", "lavfi", "-i", "sine=d=0.5"]
    ffmpeg(*picture, "-c:v", "mpeg4", "-c:a", "flac", "-strict", "-2", tmp_path / "film.mkv")
    tool(tmp_path, "reverse", "film.mkv", "-o", "new.wav")
    assert (samples(tmp_path / "new.wav") == samples(tmp_path / "film.mkv")[::-1]).all()


def test_several_streams_beside_one_another_in_one_ogg_are_one_file(tmp_path):
    """Multiplexed streams, unlike chained ones, all begin before the second page of any stream. The
    audio may end before the other streams."""
    sound = ["-f", "lavfi", "-i", "anoisesrc=d=0.5", "-c:a", "libvorbis"]
    pictures = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x64:r=10", "-c:v", "libtheora"]
    ffmpeg(*sound[:4], *pictures[:4], *sound[4:], *pictures[4:], tmp_path / "film.ogg")
    tool(tmp_path, "reverse", "film.ogg", "-o", "new.wav")
    assert len(samples(tmp_path / "new.wav")) == len(samples(tmp_path / "film.ogg"))