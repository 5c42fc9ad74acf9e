#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/growth.svg and hour.svg from the results of `make bench` (measure/bench/results.md):
time and memory depending on the duration of a file, and the results of whole programs for a file of one
hour."""

import re

from drawing import ROOT, chart, save_chart

RESULTS = (ROOT / "measure/bench/results.md").read_text()
COLOURS = {"forward": "#8b949e", "revbuf mode=seek": "#c4502f", "revbuf mode=collect": "#e0a33a", "timescale factor=1.1": "#2f81b7"}


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def growth() -> None:
    head, *lines = rows(RESULTS.split("## How cost grows with the length")[1].split("<sub>")[0])
    minutes = [int(re.match(r"\d+", cell).group()) for cell in head[2:]]
    figure, axes = chart(2, 9.5, 3.4)
    for form, name, *cells in lines:
        if form == "MP3":
            pairs = [tuple(float(number) for number in cell.split("/")) for cell in cells]
            for axis, values in zip(axes, zip(*pairs)):
                axis.plot(minutes, values, color=COLOURS[name], label=name if name != "forward" else "forward decode", marker="o")
    for axis, title in zip(axes, ("ms for a minute of MP3", "peak memory, MB")):
        axis.set_title(title, fontsize=10)
        axis.set_xscale("log")
        axis.set_xticks(minutes, [f"{minute} min" if minute < 60 else f"{minute // 60} h" for minute in minutes])
        axis.minorticks_off()
        axis.set_ylim(0)
    axes[0].legend(fontsize=8, framealpha=0)
    save_chart(figure, "growth.svg")


def hour() -> None:
    """The memory, and the time to the first sound, which differ between programs by orders of
    magnitude."""
    text = RESULTS.split("## An hour turned around")[1].split("<sub>")[0]
    found = {form: lines for form, lines in re.findall(r"\| (MP3|FLAC) \| s \|[^\n]*\n((?:\|[^\n]*\n)+)", text)}
    names = ["revbuf mode=seek", "SoX reverse", "FFmpeg areverse", "GStreamer, rate -1"]
    figure, axes = chart(2, 9.5, 2.8)
    for axis, (column, title) in zip(axes, ((4, "peak memory, MB"), (5, "first sound after, ms"))):
        for offset, (form, colour) in enumerate((("MP3", "#c4502f"), ("FLAC", "#2f81b7"))):
            table = {row[0]: row for row in rows(found[form])}
            values = [float(table[name][column]) for name in names]
            places = [place + 0.38 * offset for place in range(len(names))]
            axis.barh(places, values, height=0.36, color=colour, label=f"an hour of {form}")
            for place, value in zip(places, values):
                axis.text(value * 1.1, place, f"{value:g}", va="center", fontsize=8)
        axis.set_yticks([place + 0.19 for place in range(len(names))], names if column == 4 else [""] * len(names))
        axis.set_xscale("log")
        axis.set_xlim(1, 40000 if column == 5 else 6000)
        axis.set_title(title, fontsize=10)
        axis.invert_yaxis()
    axes[1].legend(fontsize=8, framealpha=0, loc="upper right")
    save_chart(figure, "hour.svg")


if __name__ == "__main__":
    growth()
    hour()
