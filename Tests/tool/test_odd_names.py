# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests file names that are not UTF-8, as they occur in old archives: names are bytes, in and out.

import json
import os
import shutil
from pathlib import Path

import pytest
from toolrun import ENVIRONMENT, samples, tool


@pytest.fixture
def folder(tmp_path, sounds):
    """A folder with names in Latin-1: a file, and a subfolder with files."""
    os.mkdir(os.fsencode(tmp_path) + b"/d\xfcr")
    for name in (b"b\xe4d.wav", b"d\xfcr/\xe9t\xe9.wav", b"d\xfcr/plain.wav"):
        shutil.copy(sounds["s16.wav"], os.fsencode(tmp_path) + b"/" + name)
    return tmp_path


def assert_reversed(folder: Path, name: bytes, sounds) -> None:
    path = Path(os.fsdecode(os.fsencode(folder) + b"/" + name))
    assert (samples(path) == samples(sounds["s16.wav"])[::-1]).all()


def test_the_new_file_keeps_the_bytes_of_the_name(folder, sounds):
    tool(folder, "reverse", b"b\xe4d.wav")
    assert_reversed(folder, b"b\xe4d-reversed.wav", sounds)


def test_the_name_of_the_new_file_is_the_bytes_that_were_given(folder, sounds):
    """Once, `-o $'caf\\xe9.wav'` replaced café.wav."""
    (folder / "café.wav").write_bytes(b"another file")
    for name in (b"caf\xe9.wav", b"n\xf6/caf\xe9.wav", b"caf\xe9.flac", b"caf\xe9.wav"):
        tool(folder, "reverse", "-f", b"b\xe4d.wav", "-o", name)
    assert_reversed(folder, b"caf\xe9.wav", sounds)
    assert_reversed(folder, b"n\xf6/caf\xe9.wav", sounds)
    assert (folder / "café.wav").read_bytes() == b"another file"


def test_a_folder_is_searched_with_all_that_is_in_it(folder, sounds):
    tool(folder, "reverse", "-r", b"d\xfcr", ".", "-o", b"n\xebw")
    for name in (b"\xe9t\xe9", b"plain", b"b\xe4d", b"d\xfcr/\xe9t\xe9"):
        assert_reversed(folder, b"n\xebw/" + name + b"-reversed.wav", sounds)


def test_the_current_folder_and_the_temporary_one_may_have_such_names(folder, sounds):
    inside = os.fsencode(folder) + b"/d\xfcr"
    sound = (folder / os.fsdecode(b"b\xe4d.wav")).read_bytes()
    environment = {**ENVIRONMENT, "TMPDIR": os.fsdecode(inside)}
    tool(inside, "reverse", "plain.wav", env=environment)
    tool(inside, "reverse", "-", "-o", "piped.wav", input=sound, text=False, env=environment)
    assert_reversed(folder, b"d\xfcr/plain-reversed.wav", sounds)
    assert_reversed(folder, b"d\xfcr/piped.wav", sounds)
    names = {b"plain.wav", b"\xe9t\xe9.wav", b"plain-reversed.wav", b"piped.wav"}
    assert set(os.listdir(inside)) == names


def test_bytes_that_are_not_utf_8_are_shown_as_in_a_shell(folder):
    assert tool(folder, "info", b"b\xe4d.wav").stdout.startswith("b\\xe4d.wav\n")
    assert "\\xe9t\\xe9.wav" in tool(folder, "info", b"d\xfcr").stdout
    assert json.loads(tool(folder, "info", "--json", b"b\xe4d.wav").stdout)["input"] == "b\\xe4d.wav"
    assert "b\\xe4d.wav" in tool(folder, "play", "--sink", "fakesink", b"b\xe4d.wav").stdout
    assert "n\\xf6.wav: there is no such file" in tool(folder, "reverse", b"n\xf6.wav", status=1).stderr


def test_names_that_look_alike_are_different_files(folder, sounds):
    """é as a byte of Latin-1, as one character, as two, and the character that marks the byte inside
    the tool."""
    names = [b"\xe9.wav", "\u00e9.wav".encode(), "e\u0301.wav".encode(), "\U0010fee9.wav".encode()]
    inputs = [sounds[name] for name in ("s16.wav", "s16.wav", "s24.wav", "s16.wav")]
    for name, path in zip(names, inputs, strict=True):
        shutil.copy(path, os.fsencode(folder) + b"/d\xfcr/" + name)
    (folder / os.fsdecode(b"d\xfcr/" + names[0])).unlink()
    lines = [json.loads(line) for line in tool(folder, "info", "--json", *[b"d\xfcr/" + name for name in names], status=1).stdout.splitlines()]
    assert [line.get("sampleFormat") for line in lines] == [None, "S16LE", "S24LE", "S16LE"]
    tool(folder, "reverse", "-r", b"d\xfcr", "-o", "new")
    assert {name[:-4] + b"-reversed.wav" for name in names[1:]} < set(os.listdir(os.fsencode(folder / "new")))


def test_it_is_never_written_onto_itself(folder, sounds):
    before = samples(sounds["s16.wav"])
    link = folder / "link.wav"
    os.symlink(b"b\xe4d.wav", os.fsencode(link))
    result = tool(folder, "reverse", b"b\xe4d.wav", "-o", "link.wav", "--force", status=1)
    assert "the output would be the input itself" in result.stderr
    assert (samples(link) == before).all()


def test_a_time_map_and_a_recording_have_such_names(folder):
    Path(os.fsdecode(os.fsencode(folder) + b"/m\xe4p")).write_text("0.1 0.2\n")
    tool(folder, "scale", "--map", b"m\xe4p", b"b\xe4d.wav", "-o", b"sc\xe4led.wav")
    tool(folder, "play", "--sink", b"file:pl\xe4yed.wav", b"b\xe4d.wav")
    assert {b"sc\xe4led.wav", b"pl\xe4yed.wav"} < set(os.listdir(os.fsencode(folder)))
