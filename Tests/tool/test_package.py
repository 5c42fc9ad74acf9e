# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the Swift library as a dependency of another package, launch-examples/swift-package.

import re
import shutil
import signal
import subprocess

import numpy as np
import pytest
from toolrun import ENVIRONMENT, MEDIA, ROOT, samples, wait_for_part

pytestmark = pytest.mark.long

SHORT = MEDIA / "short.wav"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Copies of the package's programs in a folder from which they cannot find the plugin in the
    build folder."""
    build = ["swift", "build", "--package-path", ROOT / "launch-examples/swift-package", "--scratch-path", ROOT / "build/swift-package"]
    subprocess.run([*build, "--quiet"], check=True, env=ENVIRONMENT, timeout=600)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    somewhere = tmp_path_factory.mktemp("somewhere")
    for name in ["backwards", "echo", "tremolo"]:
        shutil.copy(f"{folder}/{name}", somewhere)
    return somewhere


@pytest.fixture
def program(programs):
    return programs / "backwards"


def run(program, folder, *names, sink="fakesink sync=true"):
    environment = ENVIRONMENT | {"BACKWARDS_SINK": sink}
    return subprocess.run([program, *names], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_a_package_that_uses_ours_finds_the_plugin_wherever_its_program_lies(program, tmp_path):
    result = run(program, tmp_path, SHORT, "reversed.wav")
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1] == "66167 frames"
    assert np.array_equal(samples(tmp_path / "reversed.wav"), samples(SHORT)[::-1])


def test_faults_are_reported(program, tmp_path):
    failed = run(program, tmp_path, "missing.wav", "new.wav")
    assert failed.returncode == 1 and "there is no such file" in failed.stdout
    failed = run(program, tmp_path, SHORT, sink="nosuchelement")
    assert failed.returncode == 1 and "nosuchelement" in failed.stdout


def test_it_plays_down_to_the_beginning(program, tmp_path):
    result = run(program, tmp_path, SHORT)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[1:] == ["1 s", "0 s"]


def test_ctrl_c_leaves_nothing_behind(program, tmp_path):
    silence = tmp_path / "hour.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "3600", silence], check=True)
    work = subprocess.Popen([program, silence, "new.opus"], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    wait_for_part(work, tmp_path)
    work.send_signal(signal.SIGINT)
    told, _ = work.communicate(timeout=60)
    assert work.returncode == 130 and told.splitlines()[-1] == "cancelled, and nothing is left"
    assert [file.name for file in tmp_path.iterdir()] == ["hour.wav"]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """A WAV file in 32-bit floating point, so quiet that an echo does not exceed full scale."""
    song = tmp_path_factory.mktemp("song") / "quiet.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-i", SHORT, "-af", "volume=0.25", "-c:a", "pcm_f32le", song], check=True)
    return song


def played_and_written(program, folder, song):
    """Plays a song and writes it to a file, asserts that both give the same samples, and returns
    them."""
    sink = "audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location=played.wav"
    for names in [[song], [song, "written.wav"]]:
        result = run(program, folder, *names, sink=sink)
        assert result.returncode == 0, result.stdout
    written = samples(folder / "written.wav")
    assert np.array_equal(samples(folder / "played.wav"), written)
    return written


def test_the_echo_that_is_played_is_the_one_that_is_written(programs, tmp_path, quiet):
    sound = samples(quiet)[::-1]
    echoed = np.concatenate([sound, np.zeros((11025, 2))])
    echoed[11025:] += sound / 2
    assert np.abs(played_and_written(programs / "echo", tmp_path, quiet) - echoed).max() < 1e-7


def test_the_played_function_is_the_written_one(programs, tmp_path, quiet):
    sound = samples(quiet)
    swelling = 0.75 + 0.25 * np.cos(2 * np.pi * 5 * np.arange(len(sound)) / 44100)[:, None]
    assert np.abs(played_and_written(programs / "tremolo", tmp_path, quiet) - sound * swelling).max() < 1e-7


def test_the_echo_says_what_goes_wrong(programs, tmp_path):
    failed = run(programs / "echo", tmp_path, "missing.wav")
    assert failed.returncode == 1 and "there is no such file" in failed.stdout


def test_nothing_is_allocated_for_a_block(programs, tmp_path):
    counter = tmp_path / "counter.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-fno-builtin", ROOT / "Tests/tool/tap-heap.c", "-o", counter], check=True)
    command = [programs / "tremolo", SHORT, "new.wav"]
    result = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT | {"LD_PRELOAD": str(counter)}, check=True, capture_output=True, text=True, timeout=60)
    blocks, allocations = re.search(r"(\d+) blocks, (\d+) allocations", result.stderr).groups()
    assert int(blocks) > 20 and int(allocations) == 0
