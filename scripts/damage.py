#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays damaged files in every mode of the elements, and prints a table of the outcomes.

Usage: damage.py [--only WORD]… [--each N] [--report FILE]

  --only WORD    only files and kinds of damage whose names contain WORD, or only the mode WORD
  --each N       only every Nth damage of each kind, and only three modes for each, in rotation
  --report FILE  writes all outcomes except for "right" and "refused" to FILE, as lines of JSON

Tests/trust/damaged_run.py explains the outcomes. The exit status is 1 if one of them is a crash, a
hang, a critical, or a silent loss.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/trust"))
from damaged_files import KINDS, chain_of, damages, files  # noqa: E402

MODES = ("flip", "seek", "auto", "collect", "chunk", "stream", "endpoints", "pitch")
BAD = ("crash", "hangs", "critical", "silent")
MODES_OF_EACH = 3
SECONDS_ALLOWED = 240


class Worker:
    """The process that decodes. It is restarted after it has died."""

    process = None

    def start(self):
        self.errors = tempfile.TemporaryFile()
        script = ROOT / "Tests/trust/damaged_run.py"
        self.process = subprocess.Popen(
            ["/usr/bin/python3", str(script)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
        )  # fmt: skip

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None

    def examine(self, path, chain, modes):
        """Returns for each mode (outcome, text)."""
        if self.process is None:
            self.start()
        watchdog = threading.Timer(SECONDS_ALLOWED, self.process.kill)
        watchdog.start()
        self.process.stdin.write(json.dumps({"path": str(path), "chain": chain, "modes": modes}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        hung = not watchdog.is_alive()
        watchdog.cancel()
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        if len(modes) > 1:  # try the modes one by one, to find the one that failed
            return {mode: self.examine(path, chain, [mode])[mode] for mode in modes}
        self.errors.seek(0)
        last_words = self.errors.read().decode(errors="replace")[-400:]
        return {modes[0]: ["hangs" if hung else "crash", f"the process ended with status {status}: {last_words}"]}


def cases(paths, options):
    for path in paths:
        count = Counter()
        for kind, name, data in damages(path, path.read_bytes()):
            count[kind] += 1
            if kind == "whole" or count[kind] % options.each == 2 % options.each:
                yield path, kind, name, data


def selected(options, number, path, kind):
    modes = [MODES[(MODES_OF_EACH * number + n) % len(MODES)] for n in range(MODES_OF_EACH)] if options.each > 1 else MODES
    for word in options.only:
        if word in MODES:
            modes = [mode for mode in modes if mode == word]
        elif word not in path.name and word not in kind:
            modes = []
    return list(modes)


def examine_all(options, report):
    """Returns how often each (kind of damage, mode, outcome) occurred."""
    totals, worker, of = Counter(), Worker(), None
    with tempfile.TemporaryDirectory() as folder:
        for number, (path, kind, name, data) in enumerate(cases(files(ROOT / "build/damaged"), options)):
            modes = selected(options, number, path, kind)
            if not modes:
                continue
            damaged = Path(folder) / ("damaged" + path.suffix)
            damaged.write_bytes(data)
            if path != of:
                worker.stop()
                of = path
            for mode, (outcome, text) in worker.examine(damaged, chain_of(path, kind), modes).items():
                if mode == "forward":
                    continue
                totals[kind, mode, outcome] += 1
                if outcome not in ("right", "refused"):
                    found = {"file": path.name, "kind": kind, "damage": name, "mode": mode, "outcome": outcome, "text": text}
                    report.write(json.dumps(found) + "\n")
                    report.flush()
    return totals


def print_table(totals):
    outcomes = ["right", "upstream", "refused", "error", "equal", "differs", "silent", "critical", "hangs", "crash"]
    print("| damage | mode | tried | " + " | ".join(outcomes) + " |")
    print("|---|---|" + "--:|" * (len(outcomes) + 1))
    for kind in KINDS:
        for mode in MODES:
            row = [totals[kind, mode, outcome] for outcome in outcomes]
            if sum(row):
                print(f"| {kind} | {mode} | {sum(row)} | " + " | ".join(str(n or "") for n in row) + " |")
    print(f"\n{sum(totals.values())} runs of the elements.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--report", default=os.devnull)
    options = parser.parse_args()
    with open(options.report, "w") as report:
        totals = examine_all(options, report)
    print_table(totals)
    return 1 if any(outcome in BAD for _, _, outcome in totals) else 0


if __name__ == "__main__":
    sys.exit(main())
