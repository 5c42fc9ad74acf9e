# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest
from toolrun import ENVIRONMENT, PACE, TOOL, assert_nothing_left, events, ffmpeg, mostly_long, tool, wait_for_part

LONG = ["--factor", "5", "-o", "new.flac"]  # takes half a second
LONGER = ["--factor", "20", "--quality", "10", "-o", "new.flac"]  # takes seconds
ENDLESS = ["--factor", "100", "--quality", "10", "-o", "new.flac"]


def on_terminal(folder, columns, *arguments):
    """Runs the tool with a terminal as standard error. Returns the exit status, the standard
    output, and the text that the terminal received."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [TOOL, *map(str, arguments)]
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    received = b""
    try:
        while piece := os.read(master, 4096):
            received += piece
    except OSError:  # all processes have closed the terminal
        pass
    os.close(master)
    output = process.stdout.read().decode()
    return process.wait(), output, received.decode()


def test_a_terminal_shows_one_line_that_is_redrawn(tmp_path, noise):
    (tmp_path / "noise.wav").symlink_to(noise)
    status, output, received = on_terminal(tmp_path, 100, "scale", "noise.wav", *LONG)
    assert (status, output) == (0, "wrote new.flac\n")
    assert "\n" not in received
    lines = received.split("\r")
    assert lines[-1] == "\x1b[K"  # at the end, the line of the bar is cleared
    bars = [re.fullmatch(rf"{PACE}, noise.wav\x1b\[K", line) for line in lines[1:-1]]
    assert bars and all(bars)
    percents = [int(bar.group(1)) for bar in bars]
    assert percents == sorted(percents) and percents[-1] > percents[0]


@pytest.mark.parametrize("columns", mostly_long([79, 50, 30, 12], 50, 12))
def test_the_line_fits_the_terminal(tmp_path, noise, columns):
    (tmp_path / "noise.wav").symlink_to(noise)
    _, _, received = on_terminal(tmp_path, columns, "scale", "noise.wav", "--factor", "5", "-o", "new.flac")
    lines = [line.removesuffix("\x1b[K") for line in received.split("\r")]
    assert 0 < max(map(len, lines)) < columns


def test_several_files_have_one_line_for_all(tmp_path, noise):
    for name in ("a.wav", "b.wav", "c.wav"):
        (tmp_path / name).symlink_to(noise)
    names = ["a.wav", "b.wav", "c.wav"]
    status, output, received = on_terminal(tmp_path, 100, "scale", "--factor", "5", "--type", "flac", *names)
    assert status == 0
    assert sorted(output.splitlines()) == [f"wrote {name[0]}-scaled.flac" for name in names]
    shown = [re.match(rf"{PACE}, (\d) of 3 files", line) for line in received.split("\r") if "files" in line]
    assert shown and all(shown)
    percents = [int(one.group(1)) for one in shown]
    assert percents == sorted(percents)


def test_a_pipe_gets_no_progress(tmp_path, noise):
    result = tool(tmp_path, "scale", noise, *LONGER)
    assert (result.stdout, result.stderr) == ("wrote new.flac\n", "")


def test_json_names_the_input_of_a_refusal(tmp_path, noise):
    (tmp_path / "folder").mkdir()
    for words, name in (
        (["missing.wav"], "missing.wav"),
        (["folder"], "folder"),
        ([noise, "folder"], "folder"),
        (["-r", "folder", noise], "folder"),
        ([noise, noise, "-o", "one.wav"], None),
    ):
        told = events(tool(tmp_path, "scale", "--json", "--force", "--factor", "2", *words, status=None))
        assert [event["input"] for event in told if event["event"] == "failed"] == [name]


def test_json_reports_start_progress_and_end(tmp_path, noise):
    result = tool(tmp_path, "scale", noise, "--json", *LONG)
    assert result.stderr == ""
    told = events(result)
    assert all(event["input"] == str(noise) for event in told)
    assert [event["event"] for event in (told[0], told[-1])] == ["started", "finished"]
    assert told[0]["output"] == told[-1]["output"] == "new.flac"
    assert told[-1]["frames"] == 20 * 44100 * int(LONG[1])
    progress = told[1:-1]
    assert {event["event"] for event in progress} == {"progress"}
    fractions = [event["fraction"] for event in progress]
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] == 1
    assert any(0 < fraction < 1 for fraction in fractions)
    assert all(event["speed"] > 0 and event["remaining"] >= 0 for event in progress if event["fraction"] > 0)


@pytest.mark.parametrize("in_json", [True, pytest.param(False, marks=pytest.mark.long)])
def test_backwards_progress_rises_in_all_reports(tmp_path, noise, in_json):
    ffmpeg("-stream_loop", 2, "-i", noise, "-c", "copy", tmp_path / "long.wav")
    words = ["reverse", "long.wav", "-o", "new.m4a"]
    if in_json:
        rising = [event["fraction"] for event in events(tool(tmp_path, *words, "--json")) if event["event"] == "progress"]
        assert rising[-1] == 1
    else:
        rising = list(map(int, re.findall(r"(\d+) %", on_terminal(tmp_path, 100, *words)[2])))
    assert rising == sorted(rising) and len(set(rising)) > 1, rising


def test_quiet_says_nothing(tmp_path, noise):
    result = tool(tmp_path, "reverse", "-q", noise)
    assert result.stdout + result.stderr == ""
    assert_nothing_left(tmp_path, "noise-reversed.wav")


@pytest.mark.parametrize("number, more", mostly_long([(signal.SIGINT, "--jobs=1"), (signal.SIGTERM, "--json"), (signal.SIGHUP, "--json")], (signal.SIGTERM, "--json")))
def test_a_signal_leaves_nothing(tmp_path, noise, number, more):
    command = [TOOL, "scale", noise, *ENDLESS, more]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_part(process, tmp_path)
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert b"wrote" not in output and b"finished" not in output
    assert_nothing_left(tmp_path)


def test_a_signal_ends_several_jobs(tmp_path, noise):
    for name in ("a.wav", "b.wav", "c.wav"):
        (tmp_path / name).symlink_to(noise)
    (tmp_path / "new").mkdir()
    command = [TOOL, "scale", "--factor", "100", "--type", "flac", "-o", "new", "a.wav", "b.wav", "c.wav", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_part(process, tmp_path / "new")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert_nothing_left(tmp_path / "new")


def test_a_file_that_was_there_survives_a_signal(tmp_path, noise):
    (tmp_path / "new.flac").write_text("precious")
    command = [TOOL, "scale", noise, "--force", *ENDLESS]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    wait_for_part(process, tmp_path)
    process.terminate()
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert (tmp_path / "new.flac").read_text() == "precious"
    assert_nothing_left(tmp_path, "new.flac")


def test_a_reader_that_goes_does_not_stop_the_work(tmp_path, noise):
    command = [TOOL, "scale", noise, "--json", *LONG]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert_nothing_left(tmp_path, "new.flac")


@pytest.mark.parametrize("jobs", mostly_long([1, 2], 2))
def test_no_more_jobs_than_asked_for_run_at_a_time(tmp_path, noise, jobs):
    names = [f"{number}.wav" for number in range(4)]
    for name in names:
        (tmp_path / name).symlink_to(noise)
    result = tool(tmp_path, "scale", "--factor", "2", "--jobs", jobs, "--json", *names)
    running = most = 0
    for event in events(result):
        running += {"started": 1, "finished": -1}.get(event["event"], 0)
        most = max(most, running)
    assert most == jobs and running == 0


@pytest.mark.long
def test_nothing_of_gstreamer_is_on_the_terminal(tmp_path, sounds):
    """Otherwise, GStreamer would print warnings about plugins that cannot be loaded and about
    details of the input."""
    broken = tmp_path / "plugins"
    broken.mkdir()
    (broken / "libgstbroken.so").write_bytes(b"no plugin")
    for number, words in enumerate((["info", sounds["s16.wav"]], ["reverse", "-q", sounds["mono.wav"], "-o", "new.ogg"])):
        environment = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(broken), "GST_REGISTRY_1_0": str(tmp_path / f"registry-{number}")}
        result = tool(tmp_path, *words, env=environment)
        assert result.stderr == ""
    # GST_DEBUG turns the warnings on again
    environment |= {"GST_DEBUG": "1", "GST_REGISTRY_1_0": str(tmp_path / "registry-2")}
    assert "libgstbroken" in tool(tmp_path, "info", sounds["s16.wav"], env=environment).stderr
