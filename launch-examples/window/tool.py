# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls of the tool `retrograde`: to look at files, and to write new ones.

The tool never writes onto its input, never leaves half a file, and says what a new file
could not keep; so the window has no rules of its own. The lines of --json arrive
immediately, in the main loop."""

import json
import shutil
import signal
from pathlib import Path

from gi.repository import Gio, GLib

BUILT = Path(__file__).resolve().parents[2] / "build/tool/retrograde"
FLAGS = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_MERGE


class Run:
    """The tool at work. `on_event` gets each object that it tells, and `on_end` what it has said
    besides: nothing, but where it could not even begin."""

    def __init__(self, arguments, on_event, on_end):
        """Raises GLib.Error where there is no tool."""
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
        """It takes away what it has begun, and ends."""
        self.process.send_signal(signal.SIGTERM)


def short(sentence, *paths):
    """Without the folders of these files."""
    for path in paths:
        sentence = sentence.replace(f"{Path(path).parent}/", "")
    return sentence


def look(paths, on_found, on_problem):
    """Reports what `retrograde info` knows of each file, and of those in folders: path, duration, channels, tags."""

    def on_event(event):
        if "duration" in event:
            on_found(event)
        else:
            on_problem(short(event["message"], event["input"]))

    return Run(["info", "--json", *map(str, paths)], on_event, lambda words: words and on_problem(words))


def write(source, target, edit, on_progress, on_end):
    """Writes `source` to `target` as `edit` has it: its first word is reverse or scale, and the rest are options.
    `on_end` gets what the tool told last, and a sentence."""
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
