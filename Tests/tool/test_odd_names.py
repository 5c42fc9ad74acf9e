# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests file names that are not UTF-8, as they occur in old archives.

import os
import shutil
from pathlib import Path

import pytest
from toolrun import ENVIRONMENT, samples, tool


@pytest.fixture
def folder(tmp_path, sounds):
    """A folder with names in Latin-1 (a file, and a subfolder with files), and a subfolder for
    temporary files."""
    os.mkdir(os.fsencode(tmp_path) + b"/d\xfcr")
    for name in (b"b\xe4d.wav", b"d\xfcr/\xe9t\xe9.wav", b"d\xfcr/plain.wav"):
        shutil.copy(sounds["s16.wav"], os.fsencode(tmp_path) + b"/" + name)
    (tmp_path / "temporary").mkdir()
    return tmp_path


def run(folder, *arguments):
    result = tool(folder, *arguments, env={**ENVIRONMENT, "TMPDIR": str(folder / "temporary")})
    assert not list((folder / "temporary").iterdir())
    return result


def assert_reversed(path: Path, sounds) -> None:
    assert (samples(path) == samples(sounds["s16.wav"])[::-1]).all()


def test_a_file_is_named_as_latin_1_reads_it(folder, sounds):
    run(folder, "reverse", b"b\xe4d.wav")
    assert_reversed(folder / "bäd-reversed.wav", sounds)


def test_a_folder_is_searched_with_all_that_is_in_it(folder, sounds):
    run(folder, "reverse", "-r", b"d\xfcr", ".", "-o", "new")
    assert_reversed(folder / "new/été-reversed.wav", sounds)
    assert_reversed(folder / "new/plain-reversed.wav", sounds)
    assert_reversed(folder / "new/bäd-reversed.wav", sounds)
    assert_reversed(folder / "new/dür/été-reversed.wav", sounds)


def test_information_and_playing_use_the_readable_name(folder):
    assert run(folder, "info", b"b\xe4d.wav").stdout.startswith("bäd.wav\n")
    assert "été.wav" in run(folder, "info", b"d\xfcr").stdout
    assert "bäd.wav" in run(folder, "play", "--sink", "fakesink", b"b\xe4d.wav").stdout


def test_it_is_never_written_onto_itself(folder, sounds):
    before = samples(sounds["s16.wav"])
    link = folder / "link.wav"
    os.symlink(b"b\xe4d.wav", os.fsencode(link))
    result = tool(folder, "reverse", b"b\xe4d.wav", "-o", "link.wav", "--force", status=1)
    assert "the output would be the input itself" in result.stderr
    assert (samples(link) == before).all()


def test_one_that_is_not_there_is_told(folder):
    assert "nö.wav: there is no such file" in tool(folder, "reverse", b"n\xf6.wav", status=1).stderr
