#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the results of the parts of Tests/run-all.sh.

Usage: totals.py RESULTS TAPS

RESULTS is a folder with a file PART.status for each part, xunit files of the tests in Swift and in
Python, and a TAP file of the fuzzers. TAPS is a folder with the TAP files of the plugin's tests.
The last line of the output is `N passed, N failed`. The exit status is 0 if no test has failed. """
import pathlib
import re
import sys
import xml.etree.ElementTree


def count_xunit(path):
    """Returns (passed, failed) from an xunit file."""
    passed = failed = 0
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None
        if case.find("skipped") is None:
            passed, failed = passed + (not bad), failed + bad
    return passed, failed


def count_tap(path):
    """Returns (passed, failed) from a TAP file. Results that are missing from the plan count as
    failed."""
    text = path.read_text()
    failed = len(re.findall(r"^not ok ", text, re.M))
    passed = len(re.findall(r"^ok ", text, re.M))
    plan = re.search(r"^1\.\.(\d+)", text, re.M)
    missing = int(plan.group(1)) - passed - failed if plan else 1
    return passed, failed + max(missing, 0)


def part_counts(results, taps, part):
    if part == "plugin":
        return [count_tap(p) for p in taps.glob("*tap")]
    if part == "fuzz":
        return [count_tap(p) for p in results.glob("fuzz.tap")]
    if part in ("builds", "examples", "measure", "swift", "tool", "web"):
        return [count_xunit(p) for p in results.glob(f"{part}.xml")]
    # lint, the tests under valgrind and the pages have only one result each
    ok = (results / f"{part}.status").read_text().strip() == "0"
    return [(1, 0) if ok else (0, 1)]


def main():
    results, taps = map(pathlib.Path, sys.argv[1:3])
    total_passed = total_failed = 0
    for status in sorted(results.glob("*.status")):
        part = status.stem
        counts = part_counts(results, taps, part)
        passed, failed = (sum(c[i] for c in counts) for i in (0, 1))
        # a part that crashed, or that ran no test, has failed
        if passed + failed == 0 or (status.read_text().strip() != "0" and not failed):
            failed += 1
        print(f"{part}: {passed} passed, {failed} failed")
        total_passed += passed
        total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())
