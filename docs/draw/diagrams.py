#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the diagrams of docs/internals/how-it-works.md (layers.svg, seek.svg and factor.svg) and of docs/speed.md
(spin-back.svg)."""

from drawing import Drawing

WIDTH = 760


def layers() -> None:
    """The layers of the project: which part calls which, from the application to the signal
    processing."""
    d = Drawing(WIDTH, 372, "Swift library, C elements, Swift signal processing")
    for x, title, under in ((20, "retrograde", "the tool"), (200, "an application in Swift", "import Retrograde"),
                            (500, "an application in C, Python …", "playbin, a pipeline, GES")):  # fmt: skip
        width = 160 if x == 20 else 240
        d.box(x, 10, width, 52)
        d.text(x + width / 2, 32, title, "bold", "middle")
        d.text(x + width / 2, 51, under, "small", "middle")
    d.box(20, 92, 420, 44)
    d.text(230, 112, "Retrograde, the Swift library", "bold", "middle")
    d.text(230, 129, "files, players; builds pipelines", "small", "middle")
    for x in (100, 320):
        d.arrow(x, 62, x, 90)
    d.arrow(620, 62, 620, 164)
    d.arrow(230, 136, 230, 164)
    d.box(20, 166, 720, 66)
    d.text(36, 190, "libgstretrograde.so: elements in C", "bold")
    d.text(36, 212, "GStreamer's rules, threads, properties, errors", "small")
    for x, name in ((470, "revbuf"), (600, "timescale")):
        d.box(x, 178, 120, 42, "blue pale")
        d.text(x + 60, 204, name, "mono", "middle")
    d.arrow(380, 232, 380, 262)
    d.text(392, 252, "timedsp.h: plain C functions and values", "small")
    d.box(20, 264, 720, 98)
    d.text(36, 286, "TimeDSP in Embedded Swift: samples, and the blocks of revbuf", "bold")
    d.text(36, 304, "no GStreamer, no thread, no lock; no allocation where samples flow", "small")
    names = ["Playback", "Reversal", "Interpolation", "Scaling", "Stretch", "Timeline"]
    for index, name in enumerate(names):
        d.box(36 + 117 * index, 316, 108, 34, "red pale")
        d.text(90 + 117 * index, 338, name, "small", "middle")
    d.save("layers.svg")


def seek() -> None:
    """How revbuf mode=seek fetches, reverses and sends a block."""
    d = Drawing(WIDTH, 436, "How mode=seek fetches blocks, the last one first")
    d.text(20, 24, "The file, as a decoder reads it", "bold")
    start, stop, block = 40, 720, 170
    edges = [stop - block * n for n in range(5)]
    d.path("line", f"M{start} 96H{stop}")
    for n in range(4):
        x = edges[n + 1]
        d.box(x, 40, block, 34, f"{['red', 'yellow', 'green', 'blue'][n]} pale", 0)
        d.text(x + block / 2, 62, ["last block: fetched first", "then this one", "…", "first block: fetched last"][n], "small", "middle")
    d.text(start, 114, "0 s", "small")
    d.text(stop, 114, "end", "small", "end")

    d.text(20, 150, "One fetch: an accurate seek, then plain forward decoding", "bold")
    left = edges[2]
    d.box(left - 80, 166, 80, 34, "box", 0)
    d.text(left - 40, 188, "settles", "small", "middle")
    d.box(left, 166, block, 34, "yellow pale", 0)
    d.text(left + block / 2, 188, "the block", "small", "middle")
    d.box(left + block, 166, 36, 34, "red", 0)
    d.text(left - 80, 218, "0.7 s: decoded, dropped", "small")
    d.text(left + block - 4, 218, "0.1 s more: decoded twice,", "small")
    d.text(left + block - 4, 234, "it belongs to the neighbour", "small")

    d.text(20, 268, "The seam: where two decodes overlap, they are compared before you hear the new one", "bold")
    d.box(left + 60, 284, block - 24, 24, "yellow pale", 0)
    d.box(left + block, 284, 36, 24, "red", 0)
    d.box(left + block, 312, block, 24, "red pale", 0)
    d.box(left + block, 312, 36, 24, "red", 0)
    d.text(left + block + 46, 301, "equal: joined exactly there", "small")
    d.text(40, 301, "moved by a few frames: shifted", "small")
    d.text(40, 317, "never equal (seam=smooth):", "small")
    d.text(40, 333, "faded over 5 ms", "small")

    d.text(20, 366, "What leaves revbuf: each block reversed, timestamps rising, rate 1", "bold")
    for n in range(4):
        d.box(start + block * n, 382, block, 34, f"{['red', 'yellow', 'green', 'blue'][n]} pale", 0)
        x = start + block * n + block / 2
        d.arrow(x + 40, 399, x - 40, 399)
    d.text(start, 432, "0 s", "small")
    d.text(stop, 432, "end", "small", "end")
    d.save("seek.svg")


def factor() -> None:
    """How a factor maps input times to output times."""
    d = Drawing(WIDTH, 360, "How a factor maps time")
    left, bottom, unit = 70, 310, 46

    def point(given: float, made: float) -> tuple[float, float]:
        return left + unit * given, bottom - unit * made

    d.path("line", f"M{left} {bottom - 6.2 * unit}V{bottom}H{left + 8.4 * unit}")
    d.text(left + 8.4 * unit, bottom + 34, "input, s", "small", "end")
    d.text(left - 8, bottom - 6.2 * unit - 8, "output, s", "small", "middle")
    for second in range(0, 9, 2):
        d.text(left + unit * second, bottom + 18, str(second), "small", "middle")
    for second in (2, 4, 6):
        d.text(left - 10, bottom - unit * second + 4, str(second), "small", "end")
    corners = [(0, 0), (2, 2), (3, 4), (7, 6)]
    places = [point(*corner) for corner in corners]
    d.path("blue stroke", "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in places))
    for (x, y), text in zip(((1.1, 0.6), (2.6, 2.5), (5.2, 4.6)), ("factor 1", "factor 2: slower", "factor 0.5: faster")):
        d.text(*point(x, y), text, "small")
    x, y = point(5, 5)
    d.path("line soft", f"M{x} {bottom}V{y}H{left}")
    d.add("circle", "red", cx=x, cy=y, r=5)
    notes = [
        ("A seek to output 5 s goes to input 5 s:", "bold"),
        ("the factors that were heard are remembered.", ""),
        ("A position is a place on this line,", "bold"),
        ("kept as an exact fraction of frames.", ""),
        ("n frames become ⌊n × factor⌋,", "bold"),
        ("however the stream is cut.", ""),
        ("A corner is bent over 20 ms at most:", "bold"),
        ("no frame is lost or repeated.", ""),
    ]
    for row, (text, weight) in enumerate(notes):
        d.text(470, 46 + 22 * row + 10 * (row // 2), text, f"{weight} small".strip())
    d.save("factor.svg")


# seconds and speeds, linear between them: the curve in docs/speed.md
SPIN_BACK = [(0, 1), (5, 1), (5.5, -6), (6.5, 0), (7, 1)]


def spin_back() -> None:
    """The speed of a spin-back, and the position that follows from it."""
    d = Drawing(480, 300, "A spin-back: the speed, and the position in the file")
    left, right, first, last = 40, 390, 4, 8
    points = [*SPIN_BACK, (last, SPIN_BACK[-1][1])]

    def x(seconds: float) -> float:
        return left + (right - left) * (seconds - first) / (last - first)

    def draw(name: str, classes: str, top: int, low: float, high: float, unit: float, values) -> None:
        def y(value: float) -> float:
            return top + 110 * (high - value) / (high - low)

        d.text(right + 12, top + 12, name, "bold small")
        d.path("line", f"M{left} {top}V{top + 110}M{left} {y(max(low, 0)):.0f}H{right}")
        for mark in range(int(low), int(high) + 1, int(unit)):
            d.text(left - 8, y(mark) + 4, str(mark).replace("-", "−"), "small", "end")
        d.path(f"{classes} stroke", "M" + "L".join(f"{x(t):.1f} {y(v):.1f}" for t, v in values))

    steps = [first + n / 50 for n in range(50 * (last - first) + 1)]
    draw("speed", "blue", 20, -6, 2, 2, [(t, speed_at(points, t)) for t in steps])
    draw("position, s", "red", 160, 0, 6, 2, [(t, position_at(points, t)) for t in steps])
    for second in range(first, last + 1):
        d.text(x(second), 290, f"{second} s", "small", "middle")
    d.save("spin-back.svg")


def speed_at(points: list[tuple[float, float]], time: float) -> float:
    for (start, before), (stop, after) in zip(points, points[1:]):
        if time <= stop:
            return before + (after - before) * (time - start) / (stop - start)
    return points[-1][1]


def position_at(points: list[tuple[float, float]], time: float) -> float:
    """The area below the speed up to `time`."""
    area = 0.0
    for (start, before), (stop, _) in zip(points, points[1:]):
        end = min(stop, time)
        if end > start:
            area += (end - start) * (before + speed_at(points, end)) / 2
    return area


if __name__ == "__main__":
    layers()
    seek()
    factor()
    spin_back()
