#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names the public symbols that have no documentation comment.

Usage: check-symbols.py GRAPH.symbols.json …

The status is 1 where there are any. Symbols that the compiler makes by itself
(`==`, `hash(into:)`, `init(from:)`) have no place in the sources, and need none.
"""

import json
import sys


def is_written(symbol):
    """Whether somebody has written it, and not the compiler."""
    return "location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]


def place(symbol):
    location = symbol["location"]
    return f"{location['uri'].removeprefix('file://')}:{location['position']['line'] + 1}"


def main():
    symbols = [symbol for path in sys.argv[1:] for symbol in json.load(open(path))["symbols"] if is_written(symbol)]
    if not symbols:
        print("No symbols were found; the library has to be built first.")
        return 1
    bare = [symbol for symbol in symbols if not symbol.get("docComment", {}).get("lines")]
    for symbol in bare:
        print(f"{place(symbol)}: {'.'.join(symbol['pathComponents'])} has no documentation comment.")
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
