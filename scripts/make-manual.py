#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the manual page of the tool, from the tool's help.

Usage: make-manual.py COMMAND … > retrograde.1

COMMAND is the tool, or a program with arguments that runs the tool.
"""

import json
import re
import subprocess
import sys


JSON = """\
With --json, each line of standard output is an object. Those of reverse and scale have "event", "input" (null if there are several) and:

  started   "output"
  progress  "fraction" (0 to 1), "remaining" (seconds),
            "speed" (seconds of sound a second)
  finished  "output", "seconds", "rate", "channels", "frames",
            "clipped" (samples), "losses", "notes" (sentences)
  failed    "code" (inputUnreadable, outputExists, ...), "message"

Those of info have "input" and either "duration" (seconds), "rate", "channels", "layout", "sampleFormat", "lossy", "container", "codec", "bitRate", "extras", "tags", or "code" and "message"; both if the file is cut off. --peaks adds "peaks", the waveform."""


def say(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def escape(text):
    """Escapes text for roff, so that no part of it is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def prose(text):
    """Yields the roff of paragraphs. Indented lines are kept as they are."""
    for indented, lines in group(text.split("\n") if text else []):
        if indented:
            yield from [".PP", ".nf", *map(escape, lines), ".fi"]
        else:
            yield from [".PP", *(escape(line) if line.strip() else ".PP" for line in lines)]


def group(lines):
    """Groups successive lines into [(whether they are indented, lines)]."""
    groups = []
    for line in lines:
        indented = line.startswith("  ")
        if groups and groups[-1][0] == indented:
            groups[-1][1].append(line)
        else:
            groups.append((indented, [line]))
    return groups


def written(argument):
    """Returns an argument in roff as the user types it."""
    value = f"\\fI{escape(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    dashes = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    names = ", ".join(f"\\fB{escape(dashes[n['kind']] + n['name'])}\\fR" for n in argument["names"])
    return names + (f" {value}" if argument["kind"] == "option" else "")


def explained(argument):
    """Returns the help of an argument, including its possible values."""
    text = argument.get("abstract", "")
    values = ", ".join(argument.get("allValues", []))
    if values not in text:
        text += f" Values: {values}."
    if "defaultValue" in argument:
        text += f" Default: {argument['defaultValue']}."
    return escape(text)


def shown(arguments):
    """Returns the arguments without those that every command has, help and version."""
    return [a for a in arguments if a["shouldDisplay"] and a["valueName"] not in ("help", "version")]


def synopsis(command, tool):
    words = [f"\\fB{tool} {command['commandName']}\\fR", "[options]"]
    return " ".join(words + [written(a) for a in shown(command["arguments"]) if a["kind"] == "positional"])


def section(command, tool):
    yield f".SS {tool} {command['commandName']}"
    yield escape(command["abstract"])
    yield from prose(command.get("discussion", ""))
    for argument in shown(command["arguments"]):
        yield from [".TP", written(argument), explained(argument)]


def page(tool, version, root):
    commands = [c for c in root["subcommands"] if c["commandName"] != "help"]
    yield f'.TH {tool.upper()} 1 "" "Retrograde {version}" "User Commands"'
    yield from [".SH NAME", f"{tool} \\- {escape(root['abstract'])}", ".SH SYNOPSIS", ".nf"]
    yield from [synopsis(command, tool) for command in commands]
    yield from [".fi", ".SH DESCRIPTION", *prose(root.get("discussion", ""))]
    yield ".SH COMMANDS"
    for command in commands:
        yield from section(command, tool)
    yield from [".SH JSON", *prose(JSON)]
    yield ".SH ENVIRONMENT"
    yield from [".TP", "\\fBGST_PLUGIN_PATH_1_0\\fR, \\fBGST_PLUGIN_PATH\\fR", "Folders that are searched for the plugin first. If both are set, the first one is used."]
    yield from [".SH SEE ALSO", "gst\\-launch\\-1.0(1), gst\\-inspect\\-1.0(1)"]


def main():
    tool = sys.argv[1:]
    root = json.loads(say(*tool, "--experimental-dump-help"))["command"]
    print("\n".join(page(root["commandName"], say(*tool, "--version").strip(), root)))


if __name__ == "__main__":
    main()
