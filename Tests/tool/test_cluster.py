# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests launch-examples/cluster with two workers on this machine.

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from toolrun import MEDIA, ROOT, TOOL

pytestmark = pytest.mark.long

CLUSTER = ROOT / "launch-examples/cluster"
VENV = ROOT / "build/cluster-venv"
NAMES = ["sample.flac", "sample-vbr.mp3", "short.wav", "speech.wav", "surround.flac", "surround.m4a", "sample.opus"]
PATIENCE_S = 60


@pytest.fixture(scope="module")
def tool():
    subprocess.run([CLUSTER / "setup.sh"], check=True, timeout=600)
    return TOOL


@pytest.fixture
def music(tmp_path):
    """A folder with eight files, one of which is cut off."""
    folder = tmp_path / "my music"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        shutil.copy(MEDIA / name, folder / f"{number} {name}")
    (folder / "7 half.mp3").write_bytes((MEDIA / "sample.mp3").read_bytes()[:40000])
    return folder


def command(tool, inputs, folder, *words):
    before, after = words[: words.index("--")], words[words.index("--") :]
    script = [VENV / "bin/python", CLUSTER / "retrograde-many.py", "--retrograde", tool]
    return [str(word) for word in (*script, *before, "-o", folder, *inputs, *after)]


def run(*words):
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=300)


def rows(output):
    """Returns the table in the output as a dictionary: {file: (worker, result)}."""
    lines = [re.split(r"\s{2,}", line, maxsplit=3) for line in output.splitlines()]
    assert lines[0] == ["file", "worker", "seconds", "result"]
    assert all(float(line[2]) >= 0 for line in lines[1:])
    return {line[0]: (line[1], line[3]) for line in lines[1:]}


def samples(path):
    decode = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-c:a", "pcm_s16le", "-"]
    return subprocess.run(decode, check=True, capture_output=True).stdout


def assert_reversed(before, after, channels):
    """Asserts that one file is the other reversed. Both must be lossless, with 16 bits."""
    size = 2 * channels
    sound = samples(before)
    frames = [sound[place : place + size] for place in range(0, len(sound), size)]
    assert b"".join(reversed(frames)) == samples(after)


def test_files_are_spread_over_workers_and_a_damaged_one_fails_alone(tool, music, tmp_path):
    inputs = sorted(music.iterdir())
    result = run(tool, inputs, tmp_path / "out", "--workers", "2", "--", "reverse", "--type", "flac")
    assert result.returncode == 1, result.stderr
    table = rows(result.stdout)
    assert set(table) == {path.name for path in inputs}
    assert len({worker for worker, _ in table.values()}) == 2
    assert "cut off" in table["7 half.mp3"][1]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{number} {Path(name).stem}-reversed.flac" for number, name in enumerate(NAMES)
    }
    # lines of progress are numbered without gaps
    assert re.findall(r"^\[(\d)/8\]", result.stderr, re.MULTILINE) == list("12345678")
    assert_reversed(music / "2 short.wav", tmp_path / "out/2 short-reversed.flac", channels=2)


def test_a_repeated_run_does_the_missing_part(tool, music, tmp_path):
    inputs, out = [music / "2 short.wav", music / "3 speech.wav"], tmp_path / "out"
    words = ["--workers", "2", "--", "scale", "--factor", "2", "--type", "wav"]
    assert run(tool, inputs[:1], out, *words).returncode == 0
    first = (out / "2 short-scaled.wav").stat()
    result = run(tool, inputs, out, *words)
    assert result.returncode == 0
    table = rows(result.stdout)
    assert table["2 short.wav"][1] == "there already"
    assert table["3 speech.wav"][1] == f"written: {out / '3 speech-scaled.wav'}"
    assert (out / "2 short-scaled.wav").stat().st_ino == first.st_ino
    assert (out / "2 short-scaled.wav").stat().st_mtime_ns == first.st_mtime_ns


def test_two_inputs_for_one_name_are_refused_before_work_begins(tool, tmp_path):
    result = run(tool, [MEDIA / "sample.mp3", MEDIA / "sample.ogg"], tmp_path / "out", "--workers", "1", "--", "reverse")
    assert result.returncode == 2
    assert "sample.mp3" in result.stderr and "sample.ogg" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [["--"], ["--", "play"], ["--workers", "0", "--", "reverse"], ["--retries", "-1", "--", "reverse"]])
def test_a_line_that_makes_no_sense_is_refused(tool, tmp_path, words):
    result = run(tool, [MEDIA / "sample.mp3"], tmp_path / "out", *words)
    assert result.returncode == 2
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there_is_said(tool, tmp_path):
    words = ["--scheduler", "tcp://127.0.0.1:9", "--", "reverse"]
    result = run(tool, [MEDIA / "sample.mp3"], tmp_path / "out", *words)
    assert result.returncode == 1
    assert "check the address of the scheduler" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture
def scheduler(tool, tmp_path):
    """Starts a scheduler with two workers, and yields its address. A worker that dies is not
    restarted."""
    processes = []

    def start(*words):
        log = open(tmp_path / f"dask-{len(processes)}.log", "w")
        processes.append(subprocess.Popen([VENV / "bin/dask", *words], stdout=log, stderr=log, cwd=tmp_path))

    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "scheduler.json")
    for _ in range(2):
        start("worker", "--scheduler-file", "scheduler.json", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    wait_until(lambda: len(re.findall(r"Registered to", "".join(p.read_text() for p in tmp_path.glob("dask-*.log")))) == 2)
    yield re.search(r"tcp://[\d.:]+", (tmp_path / "scheduler.json").read_text()).group()
    for process in processes:
        process.kill()
        process.wait()


def wait_until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid):
    """Whether a process runs. A zombie does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def stopping_tool(tool, folder):
    """Makes a stand-in for the tool. On the first call with surround.flac, it records the process
    ids of itself and of its worker, and hangs. On other calls, it runs the tool."""
    path = folder / "stopping"
    path.write_text(f"""#!/bin/bash
if [[ "$*" == *surround.flac ]] && mkdir '{folder}/stopped' 2>/dev/null; then
  echo $$ $PPID > '{folder}/stopped/new' && mv '{folder}/stopped/new' '{folder}/stopped/processes'
  exec sleep 600
fi
exec '{tool}' "$@"
""")
    path.chmod(0o755)
    return path


def test_the_file_of_a_worker_that_is_killed_goes_to_the_other(tool, scheduler, music, tmp_path):
    inputs = [music / name for name in ("2 short.wav", "3 speech.wav", "4 surround.flac", "5 surround.m4a")]
    words = ["--scheduler", scheduler, "--", "reverse", "--type", "wav"]
    line = command(stopping_tool(tool, tmp_path), inputs, tmp_path / "out", *words)
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as running:
        noted = tmp_path / "stopped/processes"
        wait_until(noted.exists)
        stopped, worker = map(int, noted.read_text().split())
        os.kill(worker, signal.SIGKILL)
        output, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0
    told = {name: text.split(":")[0] for name, (_, text) in rows(output).items()}
    assert set(told) == {path.name for path in inputs}
    assert told.pop("4 surround.flac") == "written"
    # the killed worker may have written another file without reporting it
    assert set(told.values()) <= {"written", "there already"}
    assert len(list((tmp_path / "out").iterdir())) == 4
    assert_reversed(music / "4 surround.flac", tmp_path / "out/4 surround-reversed.wav", channels=6)
    # the process that the killed worker had started must end, too
    wait_until(lambda: not is_running(stopped))


def test_an_accident_is_tried_again_and_given_up_in_the_end(tool, tmp_path):
    failing = tmp_path / "failing"
    failing.write_text(f'#!/bin/bash\necho x >> "{tmp_path}/attempts"\necho "By accident." >&2\nexit 9\n')
    failing.chmod(0o755)
    result = run(failing, [MEDIA / "speech.wav"], tmp_path / "out", "--workers", "1", "--retries", "2", "--", "reverse")
    assert result.returncode == 1
    assert rows(result.stdout)["speech.wav"][1] == "By accident."
    assert (tmp_path / "attempts").read_text() == "x\n" * 3
