# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measured tables in pages, and the line below each that says where its figures come from."""

import re
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BEGUN = time.monotonic()
# Debian packages, and packages of the other Python that need-peers.sh sets up
PROGRAMS = {
    "libgstreamer1.0-0": "GStreamer", "ffmpeg": "FFmpeg", "sox": "SoX", "rubberband-cli": "Rubber Band", "libsoundtouch1": "SoundTouch",
    "mpv": "mpv", "libsonic0": "sonic", "python-stretch": "Signalsmith (python-stretch)", "bungee-python": "Bungee (bungee-python)",
}  # fmt: skip


def text_of(*words: str) -> str:
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


COMMIT = text_of("git", "describe", "--always", "--dirty", "--exclude=*") or "unknown"  # when the program began


def processor() -> str:
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    return model[1] if model else text_of("uname", "-m")


def versions() -> str:
    shown = text_of("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *PROGRAMS)
    found = {name: re.sub(r"^\d+:|[-+].*", "", version) for name, version in re.findall(r"(\S+) (\S+)", shown)}
    paths = [str(path) for path in (ROOT / "build/venv-peers").glob("lib/python3*/site-packages")]
    found |= {package.metadata["Name"]: package.version for package in distributions(path=paths)}
    return ", ".join(f"{title} {found[name]}" for name, title in PROGRAMS.items() if found.get(name))


def line(command: str, cost: str = "") -> str:
    """Returns the line for figures that have just been measured. `cost` is the command's cost, or "" for the
    minutes that this process has taken."""
    minutes = max(1, round((time.monotonic() - BEGUN) / 60))
    cost = cost or f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"<sub>`{command}` ({cost}), {time.strftime('%Y-%m-%d')}, commit {COMMIT}, {processor()}. {versions()}.</sub>"


def note(figures: Path, command: str, cost: str = "") -> None:
    """Keeps the line beside a file of figures, for the program that writes the page."""
    figures.with_suffix(".origin").write_text(line(command, cost) + "\n")


def of(figures: Path) -> str:
    """Returns the line of a file of figures, "" if it has none. Figures of a source that nobody else has end
    the program."""
    path = figures.with_suffix(".origin")
    text = path.read_text() if path.exists() else ""
    if "-dirty" in text:
        sys.exit(f"{figures.name} was measured with changes that are not committed: commit them, and measure again.")
    return f"\n{text}" if text else ""


def put(page: Path, heading: str, text: str) -> None:
    """Replaces what stands in a page below a heading, up to the next one."""
    before, heading, after = page.read_text().partition(f"\n{heading}\n")
    if not heading:
        raise LookupError(f"{page} has no heading for the table")
    end = after.find("\n## ")
    page.write_text(before + heading + "\n" + text.strip() + "\n" + ("" if end < 0 else after[end:]))
