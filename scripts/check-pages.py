#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: check-pages.py [FOLDER]

Checks the figures of the pages in FOLDER (default: this repository) against the tables they come from.

A figure is followed by a comment that names its cell, as in `38<!-- quality:chord@1.5 --> dB`: a table of
TABLES, the column, and after the @ what the row begins with, with / between its cells. `* 0.001` after that
converts the unit. The figure must be the cell's, rounded to as many digits as the page shows. A column and a
cell are found by their beginning. The name of a table (its first heading) counts as a cell of each row.

Also, README and the page about the sound may name no dB without such a comment, and every measured table has
a line below it that says where it comes from."""

import re
import sys
from pathlib import Path

STRETCH, MEASURED, BENCH = "docs/internals/stretch.md", "docs/internals/measurements.md", "measure/bench/results.md"
# name: the page, and the heading above the table
TABLES = {
    "quality": (STRETCH, "Figures"),
    "cost": (STRETCH, "CPU time"),
    "formants": (STRETCH, "Formants"),
    "bench": (BENCH, "An hour turned around"),
    "growth": (BENCH, "How cost grows"),
    "speed": (MEASURED, "Any speed"),
    "resampling": (MEASURED, "Resampling"),
    "instruments": (MEASURED, "Instruments and voices"),
    "tool": (MEASURED, "One file"),
}
OURS = "timescale"  # the row of a table with several programs, if a reference names none
WITHOUT_OTHER_DB = ("README.md", "docs/sound.md")

REFERENCE = re.compile(r"([−-]?\d[\d,]*(?:\.\d+)?)?<!--\s*([a-z]+):(.+?)@(.+?)(?:\s\*\s*(\S+))?\s*-->")
NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def cells_of(line: str) -> list[str]:
    return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]


def section(text: str, heading: str) -> str:
    """Returns what stands below a heading, up to the next one of its level or above."""
    found = re.search(rf"^(#+) {re.escape(heading)}.*?$(.*?)(?=^#{{1,2}} |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[2] if found else ""


def tables(text: str) -> list[list[list[str]]]:
    """Returns the tables of a text as lists of rows, the headings first."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    return [[cells_of(line) for line in block.splitlines() if not re.match(r"\|[\s:|-]+$", line)] for block in blocks]


def place_of(name: str, heads: list[str]) -> int | None:
    """Returns the column of this name, or the only one that begins with it."""
    exact = [place for place, head in enumerate(heads) if head == name]
    begun = [place for place, head in enumerate(heads) if head.startswith(name)]
    found = exact or begun
    return found[0] if len(found) == 1 else None


def cell(folder: Path, table: str, column: str, row: str) -> str:
    """Returns the text of the cell that a reference names. Raises LookupError if there isn't exactly one."""
    if table not in TABLES:
        raise LookupError(f"no table is named {table}")
    page, heading = TABLES[table]
    wanted = [part.strip() for part in row.split("/")]
    found, exact = [], []
    for heads, *rows in tables(section((folder / page).read_text(), heading)):
        place = place_of(column, heads)
        for cells in rows if place is not None else []:
            keys = [heads[0], *cells[:2]]
            if all(any(key.startswith(part) for key in keys) for part in wanted):
                found.append((cells, cells[place]))
            if all(part in keys for part in wanted):
                exact.append((cells, cells[place]))
    found = exact or found
    if len(found) > 1:
        found = [(cells, text) for cells, text in found if OURS in cells[:2]] or found
    if len(found) != 1:
        raise LookupError(f"{len(found)} cells of {page} match it")
    return found[0][1]


def fault_of(folder: Path, reference: re.Match) -> str | None:
    """Returns what is wrong with a reference, or None."""
    claim, table, column, row, factor = reference.groups()
    if claim is None:
        return "there is no figure before it"
    try:
        text = cell(folder, table, column, row)
    except LookupError as error:
        return str(error)
    shown = NUMBER.search(text)
    if not shown:
        return f"the cell has no figure: {text}"
    value = number(shown[0]) * float(factor or 1)
    digits = len(claim.partition(".")[2])
    if abs(number(claim) - value) > 0.5 * 10**-digits + 1e-9:
        return f"the page says {claim}, the table {value:g}"
    return None


def faults(folder: Path) -> list[str]:
    pages = [folder / "README.md", *sorted((folder / "docs").rglob("*.md")), *sorted((folder / "web").glob("*.md"))]
    found, count = [], 0
    for page in pages:
        name = page.relative_to(folder).as_posix()
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for reference in REFERENCE.finditer(text):
            count += 1
            fault = fault_of(folder, reference)
            if fault:
                found.append(f"{name}: {reference[0]}: {fault}")
        if name in WITHOUT_OTHER_DB:
            found += [f"{name}: {bare}: it has no reference" for bare in re.findall(r"\S*\d dB", text)]
    for name in sorted({page for page, _ in TABLES.values()}):
        for title, text in re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", (folder / name).read_text(), re.MULTILINE | re.DOTALL):
            if "\n|" in text and "<sub>" not in text:
                found.append(f"{name}: {title}: no line says where the table comes from")
    if not count:
        found.append("no page has a reference")
    return found


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    found = faults(folder)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
