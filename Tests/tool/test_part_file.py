# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the temporary file in which an output is written: other users cannot replace it, and nothing
# of it is left if writing is interrupted.

import os
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from toolrun import ENVIRONMENT, MEDIA, TOOL, assert_nothing_left, mostly_long, samples, tool, wait_for_part

SHORT = MEDIA / "short.wav"


@pytest.fixture(params=["without a name", "with a temporary name"])
def environment(request, named):
    return named if "temporary" in request.param else ENVIRONMENT


@pytest.fixture
def shared():
    """A folder to which all users can write, below a folder that all users can enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "shared"
        folder.mkdir()
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def attacked(shared):
    """A shared folder and a precious file. Another user replaces every temporary file in the folder
    with a link to the precious file."""
    victim = shared.parent / "precious"
    victim.write_bytes(b"precious" * 1000)
    victim.chmod(0o600)
    script = shutil.copy(Path(__file__).with_name("exchange_part.py"), shared.parent)
    user = {"user": 65534} if os.geteuid() == 0 else {}
    process = subprocess.Popen(["/usr/bin/python3", script, shared, victim], stdout=subprocess.PIPE, cwd="/", **user)
    assert process.stdout.readline() == b"ready\n"
    yield shared, victim
    process.kill()
    process.communicate()


@pytest.mark.parametrize("words", mostly_long(["", "--force"], "--force"))
def test_a_link_in_place_of_the_temporary_name_is_not_followed(attacked, environment, words):
    folder, victim = attacked
    for number in range(2):
        new = folder / f"{number}.wav"
        if words:
            new.write_bytes(b"old")
        tool(folder, "reverse", *words.split(), SHORT, "-o", new, env=environment, status=None)
        assert victim.read_bytes() == b"precious" * 1000
        assert stat.S_IMODE(victim.stat().st_mode) == 0o600


def test_a_file_that_is_replaced_keeps_its_owner(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("takes two users")
    (tmp_path / "new.wav").write_bytes(b"old")
    (tmp_path / "new.wav").chmod(0o600)
    os.chown(tmp_path / "new.wav", 65534, 65533)
    tool(tmp_path, "reverse", "--force", SHORT, "-o", "new.wav")
    status = (tmp_path / "new.wav").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 65533, 0o600)


@pytest.mark.parametrize("type", mostly_long(["wav", "flac", "m4a", "aiff", "ogg", "opus", "mp3", "mka"], "wav"))
def test_a_file_is_the_same_with_and_without_a_temporary_name(tmp_path, named, type):
    """The muxers must be able to rewrite the header at the end in both kinds of file."""
    for name, environment in ((f"a.{type}", ENVIRONMENT), (f"b.{type}", named)):
        tool(tmp_path, "reverse", MEDIA / "speech.wav", "-o", name, env=environment)
    assert np.array_equal(samples(tmp_path / f"a.{type}"), samples(tmp_path / f"b.{type}"))
    assert_nothing_left(tmp_path, f"a.{type}", f"b.{type}")


ENDLESS = ["--factor", "100", "--quality", "10"]


def start(folder, environment, *words, **options):
    command = [TOOL, "scale", *ENDLESS, *map(str, words)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL, **options)
    wait_for_part(process, folder)
    return process


SIGNALS = [(signal.SIGINT, signal.SIGTERM), (signal.SIGINT, signal.SIGINT), (signal.SIGHUP, signal.SIGHUP), (signal.SIGTERM, signal.SIGINT)]


@pytest.mark.parametrize("first, second", mostly_long(SIGNALS, SIGNALS[0]), ids=str)
def test_two_signals_leave_nothing(tmp_path, environment, first, second):
    """For example, an impatient user presses Ctrl-C twice."""
    process = start(tmp_path, environment, MEDIA / "sample.flac", "-o", "newer.flac")
    process.send_signal(first)
    process.send_signal(second)
    assert process.wait(timeout=60) in (-first, 128 + first, -second, 128 + second)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("number", mostly_long([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], signal.SIGINT))
def test_a_second_signal_while_the_file_is_removed_leaves_nothing(tmp_path, named, number):
    process = start(tmp_path, named | {"RETROGRADE_TEST_SIGNAL": str(int(number))}, MEDIA / "sample.flac", "-o", "new.flac")
    process.send_signal(number)
    assert process.wait(timeout=60) in (-number, 128 + number)
    assert_nothing_left(tmp_path)


def test_a_kill_leaves_nothing_where_files_need_no_name(tmp_path):
    process = start(tmp_path, ENVIRONMENT, MEDIA / "sample.flac", "-o", "new.flac")
    process.kill()
    process.wait()
    assert_nothing_left(tmp_path)


def test_two_signals_leave_no_copy_of_standard_input(tmp_path, environment):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with open(MEDIA / "sample.flac", "rb") as sound:
        process = start(tmp_path, environment | {"TMPDIR": str(temporary)}, "-", "-o", "new.flac", stdin=sound)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert_nothing_left(temporary)
