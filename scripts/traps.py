#!/usr/bin/env python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Finds the instructions in the built plugin with which Swift ends the process (traps, ud2 on
# x86-64), and compares their numbers with scripts/traps.txt, which says for each function why no
# input can reach them.

import platform
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = ROOT / "build/gst-plugin/libgstretrograde.so"
ALLOWED = ROOT / "scripts/traps.txt"


def output_of(*command, **options) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def short(name: str) -> str:
    """Shortens a demangled name, for example `generic specialization <Int32> of
    TimeDSPCore.(SincRun in _89…).interpolate<A where …>(…)` to `SincRun.interpolate`."""
    name = name.split(" of ", 1)[-1] if name.startswith(("generic", "function")) else name
    name = re.sub(r"\((\w+) in _\w+\)", r"\1", name)
    return re.split(r"[(<]", name)[0].removeprefix("TimeDSPCore.").strip()


def found() -> Counter:
    """Returns the number of traps in each of our functions: the maximum, if a function is compiled
    several times."""
    function, counts = "", Counter()
    for line in output_of("objdump", "-d", "--no-show-raw-insn", PLUGIN).splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = head[1]
        elif "\tud2" in line:
            counts[function] += 1
    ours = [name for name in counts if "TimeDSPCore" in name]
    names = "\n".join(re.sub(r"^\$e", "$s", name) for name in ours)
    plain = output_of("swift", "demangle", "-compact", input=names).splitlines()
    most = Counter()
    for name, words in zip(ours, plain):
        most[short(words)] = max(most[short(words)], counts[name])
    return most


def allowed() -> dict[str, int]:
    lines = [line.split(maxsplit=2) for line in ALLOWED.read_text().splitlines() if line and line[0] != "#"]
    return {name: int(count) for count, name, _ in lines}


def main() -> int:
    if platform.machine() != "x86_64" or not PLUGIN.exists():
        print("The plugin's traps can be searched for only on x86-64, after make build.")
        return 0
    there, known = found(), allowed()
    new = {name: count for name, count in there.items() if count > known.get(name, 0)}
    gone = sorted(set(known) - set(there))
    for name, count in sorted(new.items()):
        print(f"{name} may end the process in {count} places; scripts/traps.txt has {known.get(name, 0)}.", file=sys.stderr)
    for name in gone:
        print(f"{name} has no trap any more; remove it from scripts/traps.txt.", file=sys.stderr)
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
