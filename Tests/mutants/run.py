#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Applies each mutant to a copy of the tree, builds what it needs, and runs the part of `make check` that
has to see it. The exit status is 0 if enough mutants are caught.

Usage: run.py [--copy FOLDER] [--least N] [NAME …]

A NAME is a part (core, pads, library, tool, web) or words of a mutant's name. The copy is
build/mutants/tree. It's kept, so a second run only builds what has changed."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]

BUILD_SWIFT = "swift build --build-tests -q"
SWIFT = '"$(swift build --show-bin-path)/RetrogradePackageTests.xctest" --testing-library swift-testing'
# without the signals that a process in the background ignores, as in run-all.sh
PYTEST = "env --default-signal=INT,HUP /usr/bin/python3 -m pytest -q -x -m 'not long'"
# part: how to build, and how to test
PARTS = {
    "core": (BUILD_SWIFT, f"{SWIFT} --filter TimeDSPTests"),
    "pads": ("ninja -C build programs", "meson test -C build --suite plugin --maxfail 1"),
    "library": (f"ninja -C build programs && {BUILD_SWIFT}", f"{SWIFT} --filter RetrogradeTests"),
    "tool": ("ninja -C build programs && swift build -q --product retrograde", f"{PYTEST} Tests/tool"),
    "web": ("ninja -C build programs && scripts/make-web.sh", f"{PYTEST} Tests/web"),
}


def shell(command: str, tree: Path, log) -> bool:
    """Runs a command. A mutant may never end: after half an hour, it has failed."""
    environment = os.environ | {"RETROGRADE_FAST_CORE": "1", "RETROGRADE_TOOL": str(tree / ".build/debug/retrograde")}
    environment.pop("RETROGRADE_LONG", None)  # what make check runs has to see it
    process = subprocess.Popen(["bash", "-c", command], cwd=tree, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        return process.wait(1800) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def refresh(tree: Path) -> None:
    """Makes the tree a copy of the files that git lists. Only files that differ are written, so that only
    they are built again."""
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    wanted = {name for name in names if name and os.path.lexists(ROOT / name)}
    for path in tree.glob("*/**/*"):
        name = str(path.relative_to(tree))
        if path.is_file() and not name.startswith(("build/", ".build/")) and name not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.unlink(missing_ok=True)
            target.symlink_to(os.readlink(source))
        elif not target.is_file() or source.read_bytes() != target.read_bytes():
            shutil.copy(source, target)


def run(mutant: Mutant, tree: Path, log) -> str:
    """Returns "caught", "missed", or why the mutant couldn't be tried."""
    path = tree / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        return "its place is gone"
    build, test = PARTS[mutant.part]
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        if not shell(build, tree, log):
            return "does not build"
        return "missed" if shell(test, tree, log) else "caught"
    finally:
        path.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--copy", type=Path, default=ROOT / "build/mutants/tree")
    parser.add_argument("--least", type=int, help="how many have to be caught (default: nine of ten)")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if not options.names or any(n == m.part or n in m.name for n in options.names)]
    refresh(options.copy)
    with open(options.copy.parent / "log", "w") as log:
        # a suite that fails without a mutant would catch everything
        if not shell("[ -f build/build.ninja ] || meson setup build", options.copy, log):
            sys.exit(f"The copy does not build: see {log.name}.")
        for part in sorted({m.part for m in chosen}):
            if not all(shell(command, options.copy, log) for command in PARTS[part]):
                sys.exit(f"The part {part} fails without a mutant: see {log.name}.")
        caught = 0
        for mutant in chosen:
            start = time.monotonic()
            print(f"\n== {mutant.name}", file=log, flush=True)
            result = run(mutant, options.copy, log)
            caught += result == "caught"
            print(f"{result:20} {time.monotonic() - start:4.0f} s  {mutant.part:8} {mutant.name}", flush=True)
    least = options.least if options.least is not None else -(-len(chosen) * 9 // 10)
    print(f"{caught} passed, {len(chosen) - caught} failed")
    return 0 if caught >= least else 1


if __name__ == "__main__":
    sys.exit(main())
