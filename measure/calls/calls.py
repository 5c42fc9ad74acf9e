#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures what one buffer costs in timescale, and how long the functions of the plugin are.

usage: calls.py [--list] [calls] [turn] [lines] [time]

calls: one buffer of 1,024 frames at factor 1.5: the functions of the plugin's C code that it calls,
       their files, and the calls of Swift; then the same for the first buffer with another factor.
       With --list, all of them in order.
turn:  a change of direction in revbuf, from the property to the first buffer in the other direction:
       the same counts, first from a stream that is passed through, then in one that was fetched.
lines: the longest functions in gst-plugin.
time:  processor time of an hour of stereo in buffers of 1,024 frames, beside identity.

Without a name, all four are measured. `make build` must have been run: the instrumented copy of
the plugin is made from the commands and the Swift objects of the folder build, in build/calls."""

import collections
import json
import os
import random
import re
import shlex
import subprocess
import sys
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
TARGET = BUILD / "calls"
ELEMENT = "timescale factor=1.5"
CHANGE = "factor=1.25"
BUFFERS_PER_HOUR = 3600 * 48000 / 1024
# without optimisation, so that each call in the source is counted
INSTRUMENT = ["-O0", "-U_FORTIFY_SOURCE", "-finstrument-functions"]
TIMED = [
    "identity",
    "timescale",
    "timescale factor=1.5 quality=4",
    "timescale factor=1.5",
    "timescale factor=1.5 interpolation=linear",
    "timescale factor=1.5 keep-pitch=true",
    "audioresample",
]


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    return subprocess.run(command, cwd=cwd, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def flags(*options: str) -> list[str]:
    return shlex.split(run("pkg-config", *options, "gstreamer-audio-1.0", "gstreamer-base-1.0"))


def make_program(name: str) -> Path:
    program = TARGET / name
    source = Path(__file__).with_name(f"{name}.c")
    run("gcc", "-O2", "-rdynamic", source, "-o", program, *flags("--cflags", "--libs"))
    return program


def push(program: Path, folder: Path, *arguments: str) -> list[list[str]]:
    environment = {
        **os.environ,
        "GST_PLUGIN_PATH_1_0": str(folder),
        "GST_REGISTRY_1_0": str(TARGET / f"{folder.name}.registry"),
    }
    return [line.split("\t") for line in run(program, *arguments, env=environment).splitlines()]


# ---- the instrumented plugin ------------------------------------------------------


def compile_instrumented() -> list[Path]:
    """Compiles the plugin's C files by the commands of the build, with -finstrument-functions."""
    objects = []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if "libgstretrograde.so.p" not in entry["output"] or "/gst-plugin/" not in entry["file"]:
            continue
        target = TARGET / Path(entry["output"]).name
        command = entry["command"].replace(f"-o {entry['output']}", f"-o {target}")
        command = re.sub(r"-M[QF] \S+|-MD", "", command)
        run(*shlex.split(command), *INSTRUMENT, cwd=Path(entry["directory"]))
        objects.append(target)
    return objects


def symbols(kind: str, files: list[Path]) -> set[str]:
    lines = [line for file in files for line in run("nm", kind, file).splitlines()]
    return {line.split()[-1] for line in lines if line.strip() and not line.endswith(":")}


def count_crossings(objects: list[Path], core: list[Path]) -> Path:
    """Lets the C files call a counting stub in place of each function of Swift."""
    crossed = sorted(symbols("-u", objects) & symbols("--defined-only", core))
    for file in objects:
        run("objcopy", *(f"--redefine-sym={name}=counted_{name}" for name in crossed), file)
    stubs = [".text"]
    for i, name in enumerate(crossed):
        stubs += [f".globl counted_{name}", f"counted_{name}: incq {8 * i}+counts(%rip)", f"jmp {name}@PLT"]
    stubs += [".data", ".balign 8", ".globl crossings, crossing_names"]
    stubs += [f"crossings: counts: .zero {8 * len(crossed)}", "crossing_names:"]
    stubs += [f".quad name_{i}" for i in range(len(crossed))] + [".quad 0"]
    stubs += [f'name_{i}: .asciz "{name}"' for i, name in enumerate(crossed)]
    stubs += [".section .note.GNU-stack", ""]
    source = TARGET / "stubs.s"
    source.write_text("\n".join(stubs))
    run("gcc", "-c", source, "-o", TARGET / "stubs.o")
    return TARGET / "stubs.o"


def make_plugin() -> Path:
    objects, core = compile_instrumented(), core_objects()
    stubs = count_crossings(objects, core)
    plugin = TARGET / "plugin/libgstretrograde.so"
    run("gcc", "-shared", "-o", plugin, *objects, stubs, *core, "-lm", *flags("--libs"))
    return plugin


def core_objects() -> list[Path]:
    """The objects of Swift, and of the C file that chooses between their variants."""
    text = (BUILD / "build.ninja").read_text()
    rule = re.search(r"^build gst-plugin/libgstretrograde\.so: .*$", text, re.MULTILINE)[0]
    return [BUILD / word for word in rule.split() if word.endswith(".o") and "Sources" in word]


# ---- the measures ---------------------------------------------------------------


def places(plugin: Path, addresses: list[str]) -> list[tuple[str, Path]]:
    """The function and the file of each address."""
    lines = run("addr2line", "-f", "-e", plugin, *addresses).splitlines()
    return [(name, Path(place.split(":")[0])) for name, place in zip(lines[::2], lines[1::2])]


def report_calls(title: str, rows: list[list[str]], plugin: Path, listed: bool) -> None:
    called = places(plugin, [row[1] for row in rows if row[0] == "call"])
    swift = {row[1]: int(row[2]) for row in rows if row[0] == "swift"}
    files = [file.name for _, file in called]
    ours = [file.name for _, file in called if not file.is_relative_to("/usr/include")]
    changes = sum(a != b for a, b in zip(files, files[1:]))
    out = next(row[1] for row in rows if row[0] == "out")
    print(
        f"{title}: {len(files)} calls of C in {len(set(files))} files, {changes} changes of file, "
        f"{sum(swift.values())} calls of Swift, {out} buffers out"
    )
    print(f"  without inline functions of GLib and GStreamer: {len(ours)} calls in {len(set(ours))} files")
    print("  " + ", ".join(f"{name} {n}" for name, n in collections.Counter(files).most_common()))
    print("  Swift: " + ", ".join(f"{name} {n}" for name, n in swift.items()))
    if listed:
        print("\n".join(f"  {file.name}: {name}" for name, file in called))


def calls(listed: bool) -> None:
    plugin = make_plugin()
    rows = push(make_program("push"), plugin.parent, "calls", CHANGE, ELEMENT)
    end = 1 + next(i for i, row in enumerate(rows) if row[0] == "out")
    report_calls("one buffer", rows[:end], plugin, listed)
    report_calls("the first one at another factor", rows[end:], plugin, listed)


def write_sound(path: Path) -> None:
    """A minute of noise in stereo, with 1,024 frames in a buffer of wavparse."""
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, 48000, 0, "NONE", ""))
        file.writeframes(random.Random(1).randbytes(60 * 48000 * 4))


def turn(listed: bool) -> None:
    plugin = make_plugin()
    sound = TARGET / "turn.wav"
    write_sound(sound)
    rows = push(make_program("turn"), plugin.parent, str(sound), "revbuf mode=seek")
    end = 1 + next(i for i, row in enumerate(rows) if row[0] == "out")
    report_calls("a turn of a stream that is passed through", rows[:end], plugin, listed)
    report_calls("a turn inside what has been fetched", rows[end:], plugin, listed)


def functions(path: Path) -> list[tuple[int, str]]:
    """The functions of a file, with their lines from the name to the brace in column 0."""
    found, begin, text = [], 0, path.read_text().split("\n")
    for n, line in enumerate(text):
        if line == "{":
            begin = n
        elif line == "}" and begin > 0:
            first = begin
            while text[first - 1] and not text[first - 1].endswith("*/"):
                first -= 1
            name = re.search(r"(\w+) ?\(", "\n".join(text[first:begin]))
            found.append((n - first + 1, name[1] if name else text[first]))
            begin = 0
    return found


def lines(_: bool) -> None:
    for folder in ("gst-plugin/timescale", "gst-plugin/common", "gst-plugin/revbuf"):
        all_found = [(n, f"{path.name}: {name}") for path in sorted((ROOT / folder).glob("*.c"))
                     for n, name in functions(path)]
        longest = sorted(all_found, reverse=True)[:3]
        print(f"{folder}: {len(all_found)} functions, the longest: "
              + ", ".join(f"{name} {n}" for n, name in longest))


def time(_: bool) -> None:
    rows = push(make_program("push"), BUILD / "gst-plugin", "time", "40", *TIMED)
    base = float(rows[0][2])
    print("processor time of an hour in buffers of 1,024 frames, the least of 40 rounds")
    for _, name, ns in rows:
        print(f"  {name:42} {float(ns) * BUFFERS_PER_HOUR / 1e9:8.3f} s {float(ns):10.1f} ns a buffer {float(ns) / base:8.2f} of identity")


PARTS = {"calls": calls, "turn": turn, "lines": lines, "time": time}


def main() -> None:
    words = sys.argv[1:]
    (TARGET / "plugin").mkdir(parents=True, exist_ok=True)
    names = [word for word in words if word != "--list"] or list(PARTS)
    if not set(names) <= set(PARTS):
        sys.exit(__doc__)
    for name in names:
        PARTS[name]("--list" in words)


if __name__ == "__main__":
    main()
