# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Helpers for the tests of the tool: they run it and examine its output.

import functools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "launch-examples"))
import support  # noqa: E402
import wavfile  # noqa: E402
from support import MEDIA, PLUGIN, ROOT, mostly_long  # noqa: E402, F401

# The build that `make install` installs.
RELEASE = ROOT / "build/tool/retrograde"
# The build under test. `make check` names the debug build of `swift build --build-tests`.
TOOL = Path(os.environ.get("RETROGRADE_TOOL") or RELEASE).absolute()

# Without ranks of decoders: the tool must choose them on its own.
ENVIRONMENT = {name: value for name, value in support.ENVIRONMENT.items() if name != "GST_PLUGIN_FEATURE_RANK"}
# For builds: packages are built as users build them.
ENVIRONMENT.pop("RETROGRADE_FAST_CORE", None)
# Without the path of the plugin: the tool must find it on its own.
ALONE = {name: value for name, value in ENVIRONMENT.items() if name != "GST_PLUGIN_PATH_1_0"}

# How a line of progress ends.
PACE = r"(\d+) %(?:, [\d.]+ × real time)?(?:, \d+(?::\d\d){1,2} left)?"


def build() -> None:
    """Builds the tool if it is out of date, unless another build is to be tested."""
    if TOOL == RELEASE:
        subprocess.run(["make", "-s", "-C", ROOT, "tool"], check=True, capture_output=True)


def tool(folder: Path, *arguments, status: int | None = 0, **options) -> subprocess.CompletedProcess:
    """Runs the tool in a folder. Asserts its exit status, unless `status` is None."""
    command = [TOOL, *(word if isinstance(word, bytes) else str(word) for word in arguments)]
    settings = {"capture_output": True, "text": True, "timeout": 600, "cwd": folder, "env": ENVIRONMENT}
    result = subprocess.run(command, **{**settings, **options})
    assert status in (result.returncode, None), f"status {result.returncode} of {arguments}\n{result.stdout}\n{result.stderr}"
    return result


def copy_registry(folder: Path) -> dict:
    """Copies GStreamer's registry into a folder, for a process that cannot write the one of the tests.
    Returns its variable: reading all plugins again would take seconds."""
    support.run("gst-inspect-1.0", "revbuf")
    registry = Path(shutil.copy(ENVIRONMENT["GST_REGISTRY_1_0"], folder / "registry.bin"))
    registry.chmod(0o644)  # the process may be another user's
    return {"GST_REGISTRY_1_0": str(registry)}


def events(result: subprocess.CompletedProcess) -> list[dict]:
    """Parses the events that --json has printed, one per line."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def ffmpeg(*arguments, **options) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, **options)


@functools.cache
def probe(path: Path) -> dict:
    """Returns FFmpeg's report about the audio stream of a file."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", path]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    (stream,) = [s for s in report["streams"] if s["codec_type"] == "audio"]
    tags = {**report["format"].get("tags", {}), **stream.get("tags", {})}
    return {
        "codec": stream["codec_name"],
        "rate": int(stream["sample_rate"]),
        "channels": stream["channels"],
        "layout": stream.get("channel_layout"),
        "bits": int(stream.get("bits_per_raw_sample") or stream["bits_per_sample"]),
        "bit rate": int(stream.get("bit_rate") or report["format"]["bit_rate"]),
        "tags": {name.lower(): value for name, value in tags.items()},
        "pictures": sum(s["codec_type"] == "video" for s in report["streams"]),
    }


def samples(path: Path) -> np.ndarray:
    """Returns the samples of a file by frame and channel; full scale is 1. WAV files are read, others
    are decoded by FFmpeg."""
    status = Path(path).stat()
    return decoded(path, status.st_ino, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=16)
def decoded(path: Path, *_) -> np.ndarray:
    if Path(path).suffix == ".wav":
        return wavfile.read(path).samples()
    command = ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "f64le", "-c:a", "pcm_f64le", "-"]
    result = subprocess.run(command, check=True, capture_output=True)
    assert not result.stderr, result.stderr
    return np.frombuffer(result.stdout, "<f8").reshape(-1, probe(path)["channels"])


def wait_for_part(process: subprocess.Popen, folder: Path) -> None:
    """Waits until the process has opened a temporary output file in the folder or below it. The
    file has a temporary name, or no name."""
    deadline = time.monotonic() + 60
    while not any(_has_begun(link, folder) for link in open_files(process.pid)):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)


def workers(pid: int) -> set[int]:
    """Returns the ids of the processes that a process has started."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for thread in threads for child in (thread / "children").read_text().split()}


def open_files(pid: int) -> list[Path]:
    """Returns the links to the files that a process and its workers have open."""
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
        return links + [link for worker in workers(pid) for link in open_files(worker)]
    except FileNotFoundError:  # it has ended meanwhile
        return []


def wait_for_open(process: subprocess.Popen, file: Path) -> None:
    """Waits until the process or a worker of it has opened the file."""
    while not any(_target(link) == str(file) for link in open_files(process.pid)):
        assert process.poll() is None


def wait_for_closed(file: Path) -> None:
    """Waits until no process has the file open."""
    deadline = time.monotonic() + 60
    while any(_target(link) == str(file) for link in Path("/proc").glob("[0-9]*/fd/*")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:  # the process has ended, or belongs to another user
        return ""


def _has_begun(link: Path, folder: Path) -> bool:
    try:
        path = os.readlink(link)
        is_part = "/#" in path or ".part-" in path
        return path.startswith(f"{folder}/") and is_part and link.stat().st_size > 0
    except FileNotFoundError:
        return False


def assert_nothing_left(folder: Path, *expected: str) -> None:
    """Asserts that the folder contains exactly these entries, and so no temporary file."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected)
