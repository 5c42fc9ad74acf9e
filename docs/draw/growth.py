#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/growth.svg and hour.svg from the results of `make bench` (measure/bench/results.md):
time and memory depending on the duration of a file, and the results of whole programs for a file of one
hour."""

import re

from drawing import ROOT, SERIES, chart, draw_lines, save_chart

RESULTS = (ROOT / "measure/bench/results.md").read_text()


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def growth() -> None:
    head, *lines = rows(RESULTS.split("## How cost grows with the length")[1].split("<sub>")[0])
    minutes = [int(re.match(r"\d+", cell).group()) for cell in head[2:]]
    figure, axes = chart(2, 6)
    lines = {name if name != "forward" else "forward decode": cells for form, name, *cells in lines if form == "MP3"}
    for part, (axis, title) in enumerate(zip(axes, ("ms for a minute of MP3", "peak memory, MB"))):
        draw_lines(axis, minutes, {name: [float(cell.split("/")[part]) for cell in cells] for name, cells in lines.items()})
        axis.set_title(title, fontsize=10)
        axis.set_xscale("log")
        axis.set_xticks(minutes, [f"{minute} min" if minute < 60 else f"{minute // 60} h" for minute in minutes])
        axis.minorticks_off()
    save_chart(figure, "growth.svg")


def hour() -> None:
    """The memory, and the time to the first sound, which differ between programs by orders of
    magnitude."""
    text = RESULTS.split("## An hour turned around")[1].split("<sub>")[0]
    found = {form: lines for form, lines in re.findall(r"\| (MP3|FLAC) \| s \|[^\n]*\n((?:\|[^\n]*\n)+)", text)}
    names = ["revbuf mode=seek", "SoX reverse", "FFmpeg areverse", "GStreamer, rate -1"]
    figure, axes = chart(2, 6)
    for axis, (column, title) in zip(axes, ((4, "peak memory, MB"), (5, "first sound after, ms"))):
        for offset, (form, hatch) in enumerate((("MP3", ""), ("FLAC", "////"))):
            table = {row[0]: row for row in rows(found[form])}
            values = [float(table[name][column]) for name in names]
            places = [place + 0.38 * offset for place in range(len(names))]
            axis.barh(places, values, height=0.36, color="none" if hatch else SERIES[offset][0], edgecolor=SERIES[offset][0], hatch=hatch)
            for place, value in zip(places, values):
                axis.text(value * 1.1, place, f"{value:g} ({form})", va="center", fontsize=9)
        axis.set_yticks([place + 0.19 for place in range(len(names))], names)
        axis.set_xscale("log")
        axis.set_xlim(1, 300000 if column == 5 else 30000)
        axis.set_title(title, fontsize=10)
        axis.invert_yaxis()
    save_chart(figure, "hour.svg")


if __name__ == "__main__":
    growth()
    hour()
