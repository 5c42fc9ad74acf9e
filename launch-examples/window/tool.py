# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tool `retrograde`, which describes files and writes new ones. It never overwrites its input,
and never leaves half a file; so the window has no rules of its own."""

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


class Run:
    """A run of the tool. `on_event` gets each JSON object that the tool prints, and `on_end` gets the other
    output, which is empty unless the tool could not start its work."""

    def __init__(self, arguments, on_event, on_end):
        """Raises GLib.Error if there is no tool."""
        program = str(BUILT) if BUILT.exists() else shutil.which("retrograde") or "retrograde"
        self.on_event, self.on_end, self.words = on_event, on_end, []
        self.process = Gio.Subprocess.new([program, *arguments], FLAGS)
        self.lines = Gio.DataInputStream.new(self.process.get_stdout_pipe())
        self.read()

    def read(self):
        self.lines.read_line_async(GLib.PRIORITY_DEFAULT, None, self.on_line)

    def on_line(self, lines, result):
        line, _ = lines.read_line_finish_utf8(result)
        if line is None:
            return self.on_end(" ".join(self.words))
        if line.startswith("{"):
            self.on_event(json.loads(line))
        else:
            self.words.append(line.strip())
        self.read()

    def cancel(self):
        """Makes the tool delete its unfinished output, and end."""
        self.process.send_signal(signal.SIGTERM)


def short(sentence, *paths):
    """`sentence` without the folders of `paths`."""
    for path in paths:
        sentence = sentence.replace(f"{Path(path).parent}/", "")
    return sentence


def look(paths, on_found, on_problem):
    """Reports the path, duration, channels and tags of each file, also in folders, as `retrograde info` finds them."""

    def on_event(event):
        if "duration" in event:
            on_found(event)
        else:
            on_problem(short(event["message"], event["input"]))

    return Run(["info", "--json", *map(str, paths)], on_event, lambda words: words and on_problem(words))


def write(source, target, edit, on_progress, on_end):
    """Writes `source` to `target`. `edit` is the command, reverse or scale, followed by its options. `on_end` is
    called with the last value of each field that the tool reported, and with a sentence for the user."""
    last = {}

    def on_event(event):
        last.update(event)
        if event["event"] == "progress":
            on_progress(event["fraction"])

    def on_process_end(words):
        if last.get("event") == "finished":
            is_exact = last.get("verification", {}).get("verdict") == "exact"
            proof = ["When reversed again, it equals the original in every frame."] if is_exact else []
            return on_end(last, " ".join([f"Wrote {target.name}.", *proof, *last["losses"], *last["notes"]]))
        on_end(last, short(last.get("message") or words or f"{target.name} was not written.", source, target))

    command, *options = edit
    return Run([command, "--json", "--force", *options, "-o", str(target), "--", str(source)], on_event, on_process_end)
