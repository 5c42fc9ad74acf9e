# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the tool `retrograde`, which describes files and writes new ones. The window need not check
much, because the tool never overwrites its input and never leaves an incomplete file."""

import atexit
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

from gi.repository import GLib

BUILT = Path(__file__).resolve().parents[2] / "build/tool"
PROGRAM = shutil.which("retrograde", path=f"{BUILT}{os.pathsep}{os.environ['PATH']}")


def run(arguments, on_event, on_end=lambda: None):
    """Starts the tool. Calls `on_event` in the main loop with each event that it prints, and then
    `on_end`. The work is cancelled by terminate() of the result, or when Python ends."""
    command, pipe = [PROGRAM, *map(str, arguments)], subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True)

    def read():
        with process:
            for line in process.stdout:
                GLib.idle_add(on_event, parse(line))
        GLib.idle_add(on_end)

    threading.Thread(target=read, daemon=True).start()
    atexit.register(process.terminate)
    return process


def parse(line):
    """Returns the event in a line of output. Its message has names of files without folders."""
    event = json.loads(line) if line.startswith("{") else {"message": line.strip()}
    path, colon, problem = event.get("message", "").partition(": ")
    return event | {"message": os.path.basename(path) + colon + problem} if colon else event
