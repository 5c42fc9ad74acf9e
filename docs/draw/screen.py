#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/player.svg: the screen of `retrograde play` with its colours, as tmux
captures it. usage: screen.py [RETROGRADE] (default: build/tool/retrograde)"""

import re
import subprocess
import sys
import time
from xml.sax.saxutils import escape

from drawing import ENVIRONMENT, PICTURES, ROOT

WIDTH, HEIGHT = 84, 25
CELL, LINE = 8.4, 18
SESSION = "retrograde-screen"
DARK, LIGHT = "#0d1117", "#e6edf3"
COLOURS = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"]


def tmux(*words: str) -> str:
    command = ["tmux", "-L", SESSION, *words]
    return subprocess.run(command, env=ENVIRONMENT | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}, check=True, capture_output=True, text=True).stdout


def shown(program: str) -> list[str]:
    """The lines of the screen with their escape sequences, after a change of direction, and with markers,
    a loop and a factor."""
    sample = ROOT / "launch-examples/media/sample.mp3"
    tmux("new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), f"{program} play --sink silent {sample} {sample.with_suffix('.flac')}")
    try:
        wait_for(r"0:01\.[2-9]")
        tmux("send-keys", "a")
        wait_for(r"0:03\.[4-9]")
        for key in ("b", "r", "+"):
            tmux("send-keys", key)
        wait_for(r"◀.*0:02\.[0-9]")
        return tmux("capture-pane", "-p", "-e").rstrip("\n").split("\n")
    finally:
        tmux("kill-server")


def wait_for(pattern: str) -> None:
    end = time.monotonic() + 30
    while not re.search(pattern, tmux("capture-pane", "-p")):
        if time.monotonic() > end:
            raise SystemExit(f"screen.py: the player does not show {pattern}:\n" + tmux("capture-pane", "-p"))
        time.sleep(0.02)


def colour(codes: list[int]) -> dict:
    """The changes that a sequence of SGR numbers makes to the state."""
    changes, rest = {}, list(codes or [0])
    while rest:
        code = rest.pop(0)
        if code == 0:
            changes = {"ink": LIGHT, "ground": None, "bold": False, "faint": False, "turned": False}
        elif code in (38, 48) and rest[:1] == [5]:
            changes["ink" if code == 38 else "ground"] = indexed(rest[1])
            rest = rest[2:]
        elif code in (38, 48) and rest[:1] == [2]:
            changes["ink" if code == 38 else "ground"] = "#{:02x}{:02x}{:02x}".format(*rest[1:4])
            rest = rest[4:]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            changes["ink"] = COLOURS[code % 10]
        elif 40 <= code <= 47:
            changes["ground"] = COLOURS[code % 10]
        else:
            changes.update({1: {"bold": True}, 2: {"faint": True}, 7: {"turned": True}, 22: {"bold": False, "faint": False},
                            27: {"turned": False}, 39: {"ink": LIGHT}, 49: {"ground": None}}.get(code, {}))  # fmt: skip
    return changes


def indexed(number: int) -> str:
    if number < 16:
        return COLOURS[number % 8]
    if number >= 232:
        return "#{0:02x}{0:02x}{0:02x}".format(8 + 10 * (number - 232))
    parts = [(number - 16) // step % 6 for step in (36, 6, 1)]
    return "#{:02x}{:02x}{:02x}".format(*(55 + 40 * part if part else 0 for part in parts))


def spans(line: str, state: dict):
    """The parts of a line with the state of each; the state continues into the next line."""
    for codes, text in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", line):
        state.update(colour([int(code or 0) for code in codes.split(";")]) if codes or line.startswith("\x1b[m") else {})
        if text:
            yield text, dict(state)


def svg(lines: list[str]) -> str:
    width, height = CELL * WIDTH + 24, LINE * len(lines) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" role="img">'
        f"<title>retrograde play</title><style>text{{font:14px ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre}}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{DARK}" stroke="#3d444d"/>'
    ]
    state = colour([0])
    for row, line in enumerate(lines):
        column, y = 0, 12 + LINE * row
        for text, look in spans(line, state):
            ink, ground = (look["ground"] or DARK, look["ink"]) if look["turned"] else (look["ink"], look["ground"])
            x, wide = 12 + CELL * column, CELL * len(text)
            if ground:
                parts.append(f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{LINE}" fill="{ground}"/>')
            if text.strip():
                style = ' font-weight="700"' if look["bold"] else ' opacity="0.65"' if look["faint"] else ""
                parts.append(cells(text, x, y, ink, style))
            column += len(text)
    return "\n".join(parts) + "\n</svg>\n"


def cells(text: str, x: float, y: int, ink: str, style: str) -> str:
    """The SVG elements for a text. Block and line characters are drawn as shapes, so that they
    touch each other in any font."""
    blocks = "▁▂▃▄▅▆▇█"
    if not set(text) & set(blocks + "│─"):
        return f'<text x="{x:g}" y="{y + 13}" fill="{ink}"{style} textLength="{CELL * len(text):g}">{escape(text)}</text>'
    data, others = "", ""
    for column, letter in enumerate(text):
        if letter in blocks:
            tall = LINE * (blocks.index(letter) + 1) / 8
            data += f"M{x + CELL * column:g} {y + LINE - tall:g}h{CELL + 0.1:g}v{tall:g}h-{CELL + 0.1:g}z"
        elif letter == "│":
            data += f"M{x + CELL * (column + 0.4):g} {y}h{0.2 * CELL:g}v{LINE}h-{0.2 * CELL:g}z"
        elif letter == "─":
            data += f"M{x + CELL * column:g} {y + LINE / 2 - 1:g}h{CELL + 0.1:g}v2h-{CELL + 0.1:g}z"
        elif letter.strip():
            others += f'<text x="{x + CELL * column:g}" y="{y + 13}" fill="{ink}">{escape(letter)}</text>'
    return f'<path d="{data}" fill="{ink}"{style}/>{others}'


def main() -> None:
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/tool/retrograde")
    (PICTURES / "player.svg").write_text(svg(shown(program)))


if __name__ == "__main__":
    main()
