# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests how the examples handle their arguments: files and options.

import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
import wavfile
from support import ENVIRONMENT, EXAMPLES, MEDIA, SAMPLE, SOUNDS, decode, mostly_long, run, script

SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.sh") if path.name != "common.sh")
READERS = [name for name in SCRIPTS if name != "live-chunk-reverse.sh"]
PROBLEMS = ["missing", "folder", "empty", "not audio", "video only", "truncated"]

every_script = pytest.mark.parametrize("name", SCRIPTS)


@every_script
@pytest.mark.parametrize("word", mostly_long(["--help", "-h"], "--help"))
def test_help_says_how_and_what_for(tmp_path, name, word):
    result = script(tmp_path, name, word)
    assert result.stdout.startswith(f"usage: {name} [")
    assert result.stdout.count("\n") > 3
    assert not result.stderr


WRONG = [["--nonsense=1"], ["a", "b", "c"], ["-x"], ["--factor=0.001"], ["--sink=x"]]


@every_script
@pytest.mark.parametrize("arguments", mostly_long(WRONG, WRONG[0]))
def test_wrong_options_get_the_usage(tmp_path, name, arguments):
    result = script(tmp_path, name, *arguments, status=2)
    assert f"usage: {name} [" in result.stderr
    assert not result.stdout
    assert not files_in(tmp_path)


@pytest.mark.parametrize("value", ["", "0", "nan", "101", "1;id"])
def test_a_factor_is_a_number_in_its_range(tmp_path, value):
    result = script(tmp_path, "scale-file.sh", f"--factor={value}", status=2)
    assert "--factor must be a number from 0.01 to 100." in result.stderr


def test_a_type_that_cannot_be_encoded_gets_the_usage(tmp_path):
    result = script(tmp_path, "scale-keep-type.sh", SAMPLE, "out.xyz", status=2)
    assert "none of wav, aiff, flac, m4a, mp3, ogg and opus" in result.stderr


def files_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != ".traces")


FAULTS = [(name, problem) for name in READERS for problem in PROBLEMS]
SHORT = [(READERS[0], problem) for problem in PROBLEMS] + [(name, PROBLEMS[0]) for name in READERS]


@pytest.mark.parametrize("name, problem", mostly_long(FAULTS, *SHORT))
def test_a_bad_input_gets_one_sentence(tmp_path, name, problem, bad_inputs):
    path, word = bad_inputs[problem]
    result = script(tmp_path, name, path, "out", status=1)
    assert word in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"{path}: ")
    assert not result.stdout
    assert not files_in(tmp_path)


@pytest.mark.parametrize("part", mostly_long([0.03, 0.5, 0.95], 0.5))
@pytest.mark.parametrize("path", SOUNDS, ids=lambda path: path.name)
def test_a_file_that_was_cut_off_is_found_out(tmp_path, path, part):
    cut = tmp_path / path.name
    cut.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    result = run(EXAMPLES / "check-input.py", cut, status=1)
    assert "cut off" in result.stderr or "no audio" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("path", SOUNDS, ids=lambda path: path.name)
def test_a_whole_file_passes(path):
    assert run(EXAMPLES / "check-input.py", path).stdout == path.as_uri() + "\n"


def test_a_wav_from_a_pipe_has_no_length_and_passes(tmp_path):
    with open(tmp_path / "piped.wav", "wb") as file:
        subprocess.run(["ffmpeg", "-v", "error", "-i", SAMPLE, "-f", "wav", "-"], stdout=file, check=True)
    run(EXAMPLES / "check-input.py", tmp_path / "piped.wav")


NAMES = [
    "with blanks  in it",
    "-dash",
    "--help",
    "%05d%s",
    """'single' "double" `back`""",
    "$HOME $(id) ;!&|*?#",
    "back\\slash\\",
    "ünïcödé 逆再生",
    "tab\tand\nnew line",
    ".hidden",
    "a=b,c",
]


@pytest.mark.parametrize("name", mostly_long(NAMES, *NAMES[2:8:2]))
def test_names_may_hold_anything(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    source, output = folder / (name + ".wav"), folder / ("reversed " + name)
    shutil.copy(MEDIA / "speech.wav", source)
    script(folder, "reverse-file.sh", "--", source.name, output.name)
    expected = decode(MEDIA / "speech.wav").frames[::-1]
    assert np.array_equal(wavfile.read(output).frames, expected)
    script(tmp_path, "reverse-twice.sh", "--", source, folder / name)
    again = folder / name / (name + "-REVERSED-REVERSED.wav")
    assert np.array_equal(wavfile.read(again).frames, expected[::-1])


def test_the_input_is_not_overwritten(tmp_path):
    source = tmp_path / "a.wav"
    shutil.copy(MEDIA / "speech.wav", source)
    (tmp_path / "link.wav").symlink_to("a.wav")
    for output in ["a.wav", "./a.wav", "link.wav"]:
        result = script(tmp_path, "reverse-file.sh", source, output, status=1)
        assert "must not be overwritten" in result.stderr
    assert source.read_bytes() == (MEDIA / "speech.wav").read_bytes()


def test_a_folder_is_no_output(tmp_path):
    for output in [tmp_path, "new/"]:
        result = script(tmp_path, "reverse-file.sh", MEDIA / "speech.wav", output, status=1)
        assert "the output must be a file" in result.stderr
    assert not files_in(tmp_path)


def test_a_failed_run_leaves_an_earlier_result_alone(tmp_path):
    """A fake gst-launch-1.0 writes half a file and fails."""
    (tmp_path / "out.wav").write_text("earlier")
    programs = tmp_path / "bin"
    programs.mkdir()
    broken = programs / "gst-launch-1.0"
    broken.write_text('#!/bin/sh\nfor word; do :; done\necho half > "${word#location=}"\nexit 1\n')
    broken.chmod(0o755)
    environment = ENVIRONMENT | {"PATH": f"{programs}:{ENVIRONMENT['PATH']}"}
    run(EXAMPLES / "reverse-file.sh", SAMPLE, "out.wav", cwd=tmp_path, env=environment, status=1)
    assert (tmp_path / "out.wav").read_text() == "earlier"
    assert files_in(tmp_path) == ["bin", "out.wav"]


def test_ctrl_c_leaves_no_half_file(tmp_path):
    process = subprocess.Popen(
        [EXAMPLES / "show-progress.sh", SAMPLE, "out.wav"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob(".retrograde-*/part")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    subprocess.run(["kill", "-INT", "--", f"-{process.pid}"], check=True)
    assert process.wait(60) == 128 + signal.SIGINT
    assert not files_in(tmp_path)


def test_no_link_leads_the_output_elsewhere(tmp_path):
    """In a shared folder, another user might guess the process id and place a link at the name of
    the temporary file."""
    (tmp_path / "elsewhere").write_text("of somebody else")
    command = f"ln -s elsewhere .retrograde-$$; exec {EXAMPLES / 'reverse-file.sh'} {MEDIA / 'short.wav'} out.wav"
    run("bash", "-c", command, cwd=tmp_path, env=ENVIRONMENT)
    assert (tmp_path / "elsewhere").read_text() == "of somebody else"
    assert not (tmp_path / "out.wav").is_symlink()
