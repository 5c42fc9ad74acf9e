# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Calls the functions of the module with numbers that no page would send.

from pathlib import Path

from support import run


def test_no_number_makes_the_module_trap(web):
    result = run("node", Path(__file__).parent / "hostile.mjs", web, 60, timeout=300)
    assert result.stdout.strip() == "18000 calls"


def test_a_loop_that_is_shorter_than_a_window_keeps_its_position(web):
    for line in run("node", Path(__file__).parent / "loops.mjs", web).stdout.splitlines():
        _, frames, first, last = line.split()
        assert 0 <= float(first) <= float(last) <= float(frames), line
