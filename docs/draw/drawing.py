# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws small SVG pictures that are readable on light and on dark pages. Contains what all pictures
share: the environment with the built plugin, the folder for the pictures, and the style of
charts."""

import os
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PICTURES = Path(os.environ.get("PICTURES", ROOT / "docs/pictures"))
SAMPLE = ROOT / "launch-examples/media/sample.flac"
ENVIRONMENT = {
    **os.environ,
    "GST_PLUGIN_PATH_1_0": str(ROOT / "build/gst-plugin"),
    "GST_REGISTRY_1_0": str(ROOT / "build/gst-registry.bin"),
    "GST_PLUGIN_FEATURE_RANK": "mpg123audiodec:PRIMARY",
}
sys.path += [str(ROOT / "measure/quality"), str(ROOT / "launch-examples")]

STYLE = """
text { font: 14px system-ui, sans-serif; fill: #24292f }
.small { font-size: 12px; fill: #59636e } .bold { font-weight: 600 }
.mono { font-family: ui-monospace, monospace; font-size: 13px }
.line { stroke: #59636e; stroke-width: 1.5; fill: none } .soft { stroke-dasharray: 4 4 }
.box { fill: #f6f8fa; stroke: #d1d9e0 }
.blue { fill: #0072b2 } .red { fill: #d55e00 } .green { fill: #009e73 } .yellow { fill: #e69f00 }
.pale { fill-opacity: 0.25 } .stroke { fill: none; stroke-width: 2.5 }
.blue.stroke { fill: none; stroke: #0072b2 } .red.stroke { fill: none; stroke: #d55e00 }
.green.stroke { fill: none; stroke: #009e73 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 } .line { stroke: #9198a1 }
  .box { fill: #151b23; stroke: #3d444d }
}
"""


class Drawing:
    """Collects the shapes of an SVG picture. Each shape may have CSS classes of the style above."""

    def __init__(self, width: int, height: int, title: str):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, tag: str, classes: str = "", text: str | None = None, **attributes) -> None:
        words = {"class": classes, **attributes} if classes else attributes
        inner = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in words.items())
        self.parts.append(f"<{tag} {inner}/>" if text is None else f"<{tag} {inner}>{escape(text)}</{tag}>")

    def text(self, x: float, y: float, text: str, classes: str = "", anchor: str = "start") -> None:
        self.add("text", classes, text, x=x, y=y, text_anchor=anchor)

    def box(self, x: float, y: float, width: float, height: float, classes: str = "box", round: int = 4) -> None:
        self.add("rect", classes, x=x, y=y, width=width, height=height, rx=round)

    def path(self, classes: str, data: str) -> None:
        self.add("path", classes, d=data)

    def arrow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        self.add("path", "line", d=f"M{x} {y}L{to_x} {to_y}", marker_end="url(#head)")

    def save(self, name: str) -> None:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img"><title>{escape(self.title)}</title><style>{STYLE}</style><defs>'
            '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path class="line" d="M1 1L7 4L1 7"/></marker></defs>\n'
        )
        (PICTURES / name).write_text(head + "\n".join(self.parts) + "\n</svg>\n")


# Colours of Okabe and Ito, each with a contrast of at least 3 on white and on #0d1117; dashes and markers
INK, GREY = "#24292f", "#7d8590"
SERIES = [
    ("#0072b2", "-", "o"),
    ("#d55e00", "--", "s"),
    ("#009e73", "-.", "^"),
    ("#cc79a7", ":", "D"),
    (INK, (0, (6, 2, 1, 2, 1, 2)), "v"),
    (GREY, (0, (1, 1)), "X"),
]
DARK = f"<style>:root {{ --ink: {INK} }} @media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6edf3 }} }}</style>"


def chart(rows: int, height: float):
    """Matplotlib axes below each other, as wide as a phone can show them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "retrograde", "font.size": 10, "font.family": "sans-serif"})
    for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"):
        pyplot.rcParams[name] = INK
    figure, axes = pyplot.subplots(rows, figsize=(5, height), squeeze=False, layout="constrained")
    for axis in axes[:, 0]:
        axis.grid(color=GREY, alpha=0.25)
        axis.set_facecolor("none")
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes[:, 0]


def draw_lines(axis, places: list[float], values: dict[str, list[float]]) -> None:
    """Draws lines from 0, each with its name at its end; names are at least a line of text apart."""
    top = 1.08 * max(max(line) for line in values.values())
    axis.set_ylim(0, top)
    label = -top
    for (colour, dashes, marker), name in zip(SERIES, values):
        axis.plot(places, values[name], color=colour, linestyle=dashes, marker=marker, markersize=5)
    for name in sorted(values, key=lambda name: values[name][-1]):
        colour = SERIES[list(values).index(name)][0]
        label = max(values[name][-1], label + 0.085 * top)
        axis.annotate(
            name, (places[-1], values[name][-1]), (1.06, label), textcoords=("axes fraction", "data"), va="center", fontsize=9,
            arrowprops={"arrowstyle": "-", "color": colour}, annotation_clip=False,
        )  # fmt: skip


def save_chart(figure, name: str) -> None:
    """Writes an SVG file whose text is light on dark pages."""
    target = PICTURES / name
    figure.savefig(target, transparent=True, metadata={"Date": None})
    text = target.read_text().replace(INK, f"var(--ink, {INK})")
    target.write_text(text.replace("<defs>", f"{DARK}<defs>", 1))
