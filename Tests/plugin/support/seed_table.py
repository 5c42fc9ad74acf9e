#!/usr/bin/env python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a C table of the numbers in seed_scaling.json, whose path is the argument."""
import json
import sys


def array(numbers):
    return "{ " + ", ".join(str(n) for n in numbers) + " }"


with open(sys.argv[1], encoding="utf-8") as file:
    figures = json.load(file)

print(f"#define SEED_N_SAMPLES {len(figures['samples'])}")
print(f"static const gint16 seed_samples[] = {array(figures['samples'])};")
print(f"#define SEED_N_CASES {len(figures['cases'])}")
longest = max(case["length"] for case in figures["cases"])
print("static const struct")
print("{")
print("  gsize length;")
print(f"  gint16 linear[{longest}], smooth[{longest}];")
print("} seed_cases[] = {")
for case in figures["cases"]:
    print(f"  {{ {case['length']}, {array(case['linear'])},")
    print(f"    {array(case['smooth'])} }},")
print("};")
