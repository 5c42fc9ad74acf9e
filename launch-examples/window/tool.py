# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the tool `retrograde`, which describes files and writes new ones. The tool never overwrites
its input and leaves no incomplete files, so the window need not prevent either."""

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
    """Runs the tool. Calls `on_event` in the main loop with each object that is printed, and then
    `on_end`. terminate() of the result cancels the work; so does the end of Python."""
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
    """The event in a line of JSON, or else a message. A message names its file without folder."""
    event = json.loads(line) if line.startswith("{") else {"message": line.strip()}
    path, colon, problem = event.get("message", "").partition(": ")
    return event | {"message": os.path.basename(path) + colon + problem} if colon else event
