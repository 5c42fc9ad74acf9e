#!/usr/bin/env python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs `retrograde` over many files, on the workers of a Dask cluster.

Each file is a task: `retrograde COMMAND FILE -o FOLDER`. COMMAND and its options follow --.
Existing output files are skipped, so you can continue an interrupted run with the same command.

    retrograde-many.py -o out/ *.flac -- reverse --type opus
    retrograde-many.py -o out/ --scheduler tcp://studio:8786 *.wav -- scale --factor 1.5

The exit status is 0 if all output files exist, and 1 if some are missing.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import time

import dask
from distributed import Client, LocalCluster, as_completed, get_worker

# The tool's codes for errors that would just happen again on another attempt.
LASTING = {
    "inputUnreadable", "inputNotAudio", "inputDamaged", "inputProtected", "invalidArgument",
    "outputIsInput", "outputUnsupported", "elementMissing", "pluginNotFound",
}  # fmt: skip

Result = collections.namedtuple("Result", "path worker seconds ok text")


class Failed(Exception):
    """A failure that may not happen again on another attempt."""


def convert(path, command, folder, tool):
    """Processes a file on a worker. Lasting errors are returned as the result, and others are
    raised so that Dask tries again."""
    began = time.monotonic()
    words = [tool, command[0], *command[1:], "--json", "--jobs", "1", "-o", folder, "--", path]
    # setpriv, because the tool must end if the worker is killed
    process = subprocess.run(["setpriv", "--pdeathsig", "TERM", "--", *words], capture_output=True, text=True)
    event = last_event(process.stdout)
    ok, text = judge(event, process)
    text = text.removeprefix(f"{os.path.basename(path)}: ")
    if not ok and (event or {}).get("code") not in LASTING:
        raise Failed(text)
    return Result(path, get_worker().address, time.monotonic() - began, ok, text)


def last_event(lines):
    """Returns the last "finished" or "failed" event of the tool, or `None`."""
    events = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    ends = [event for event in events if event.get("event") in ("finished", "failed")]
    return ends[-1] if ends else None


def judge(event, process):
    """Returns whether the output file exists, and a text about the result. Raises Failed if another
    attempt may succeed."""
    if event is None:
        said = process.stderr.strip().splitlines() or [f"retrograde ended with status {process.returncode}."]
        return False, said[-1]
    if event["event"] == "finished":
        return process.returncode == 0, f"written: {event['output']}"
    if event["code"] == "outputExists":
        return True, "there already"
    return False, event["message"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="FILE", help="the files, by the paths that the workers see")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="folder for the new files, by the path that the workers see")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask scheduler, such as tcp://host:8786; without it, the workers run on this machine")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="number of workers on this machine (default: one for each core)")
    parser.add_argument("--retries", type=int, default=2, metavar="N", help="further attempts if a worker fails (default: 2)")
    parser.add_argument("--retrograde", default="retrograde", metavar="TOOL", help="the tool, by the name or path that the workers see")
    options, rest = split(sys.argv[1:])
    values = parser.parse_args(options)
    if not rest or rest[0] not in ("reverse", "scale"):
        parser.error("the command is missing; put it last: -- reverse, or -- scale --factor 2.")
    if values.workers < 1 or values.retries < 0:
        parser.error("--workers must be 1 or more, and --retries 0 or more.")
    same = [names for names in by_stem(values.inputs).values() if len(names) > 1]
    if same:
        parser.error(f"these files would get the same output name; rename one, or process them one at a time: {', '.join(same[0])}")
    return values, rest


def split(words):
    """Returns the arguments before --, and those after it."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1 :]


def by_stem(paths):
    """Groups paths by their names without extension."""
    stems = collections.defaultdict(list)
    for path in paths:
        stems[os.path.splitext(os.path.basename(path))[0]].append(path)
    return stems


def connect(values):
    """Connects to the given scheduler, or starts one with workers on this machine."""
    # Dask gives up on a task if more workers than this die while running it
    dask.config.set({"distributed.scheduler.allowed-failures": values.retries})
    if values.scheduler:
        return Client(values.scheduler, timeout=10)
    cluster = LocalCluster(n_workers=values.workers, threads_per_worker=1, dashboard_address=None)
    client = Client(cluster)
    client.wait_for_workers(values.workers)
    return client


def results(client, values, command):
    """Yields the results of the files as their tasks finish."""
    tool = os.path.abspath(values.retrograde) if os.path.exists(values.retrograde) else values.retrograde
    folder = os.path.join(os.path.abspath(values.output), "")
    futures = {
        client.submit(
            convert, os.path.abspath(path), command, folder, tool, pure=False, retries=values.retries
        ): path
        for path in values.inputs
    }  # fmt: skip
    for future in as_completed(futures):
        error = future.exception()
        yield future.result() if error is None else Result(futures[future], "-", 0, False, str(error))


def table(rows):
    """Returns the lines of a table with the columns file, worker, seconds and result."""
    cells = [("file", "worker", "seconds", "result")]
    cells += [(os.path.basename(r.path), r.worker, f"{r.seconds:.1f}", r.text) for r in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in cells]


def main():
    values, command = arguments()
    os.makedirs(values.output, exist_ok=True)
    rows = []
    with connect(values) as client:
        for result in results(client, values, command):
            rows.append(result)
            print(f"[{len(rows)}/{len(values.inputs)}] {os.path.basename(result.path)}: {result.text}", file=sys.stderr, flush=True)
    print("\n".join(table(sorted(rows))))
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        sys.exit(f"The cluster cannot be used: {error}; check the address of the scheduler.")
    except KeyboardInterrupt:
        sys.exit(130)
