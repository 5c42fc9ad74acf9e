# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The functions of the module with numbers that no page sends.

from pathlib import Path

from support import run


def test_no_number_makes_the_module_trap(web):
    result = run("node", Path(__file__).parent / "hostile.mjs", web, 60, timeout=300)
    assert result.stdout.strip() == "18000 calls"
