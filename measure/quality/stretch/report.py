# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formats results as Markdown."""

from . import bars
from .bars import Results, Row


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def factors_of(results: Results) -> list[str]:
    return sorted({factor for figures in results.values() for factor in figures}, key=float)


def figures_table(results: Results, factor: str) -> str:
    """Returns a table with a row per program. The best figure of each column is bold; the oracle
    does not count."""
    programs = [program for program in results if factor in results[program]]
    best = {
        measure.title: bars.best_peer(measure, results, [p for p in programs if p != "oracle"], factor)[1]
        for measure in bars.MEASURES
    }
    rows = []
    for program in programs:
        cells = []
        for measure in bars.MEASURES:
            value = measure.of(results, program, factor)
            shown = measure.text(value)
            marked = value == best[measure.title] and program != "oracle" and measure is not bars.MODULATION
            cells.append(f"**{shown}**" if marked else shown)
        rows.append([program, *cells])
    return table(["", *(measure.title for measure in bars.MEASURES)], rows)


def verdicts(rows: list[Row]) -> str:
    shown = [[row.bar, row.factor, row.ours, row.wanted, row.verdict] for row in rows]
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ("met", "**missed**", "not measured")}
    summary = ", ".join(f"{count} {verdict.strip('*')}" for verdict, count in counts.items() if count)
    return table(["", "factor", "ours", "wanted", ""], shown) + f"\n{summary}\n"


def bars_report(results: Results, ours: str) -> str:
    factors = sorted(results.get(ours, {}), key=float)
    parts = [
        ("beside Rubber Band R3, Signalsmith and Bungee", bars.beside_best),
        ("beside WSOLA, SoundTouch, sonic and Rubber Band R2", bars.beside_others),
        ("where WSOLA copies its input by construction (listed only)", bars.excused),
    ]
    text = ""
    for title, part in parts:
        text += f"\n### {ours} {title}\n\n" + verdicts(
            [row for factor in factors for row in part(results, ours, factor)]
        )
    return text


def trips_table(results: Results, factor: str) -> str:
    """Returns a table with a row per program: `long` of every recording after the round trip, then
    `attack` of the recordings that have attacks."""
    programs = [program for program in results if factor in results[program] and program != "oracle"]
    names = sorted(
        {name for program in programs for name in results[program][factor] if name.startswith(("trip.", "onsets."))}
    )
    if not names:
        return ""
    rows = []
    for program in programs:
        figures = results[program][factor]
        values = [figures.get(name, {}).get("long" if name.startswith("trip") else "attack") for name in names]
        rows.append([program, *("–" if value is None else f"{value:.2f}" for value in values)])
    heads = [name.replace("trip.", "") if name.startswith("trip") else f"attacks of {name[7:]}, dB" for name in names]
    return table(["there and back, dB", *heads], rows)


def report(results: Results, ours: list[str]) -> str:
    text = ""
    for factor in factors_of(results):
        text += f"\n## Factor {factor}\n\n{figures_table(results, factor)}\n{trips_table(results, factor)}"
    return text + "".join(bars_report(results, name) for name in ours)
