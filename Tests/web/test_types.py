# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the declarations for TypeScript: a program uses all declarations, and the declared names are
# compared with the names in the scripts.

import subprocess
from pathlib import Path

import pytest
from support import ROOT, run

pytestmark = pytest.mark.long

TYPES = Path(__file__).parent / "types"
# The program imports web/retrograde.js by a relative path, so the compiled program must be in a
# folder of the same depth.
COMPILED = ROOT / "build/web-types/program"


def test_a_program_in_typescript_can_use_all_that_is_declared():
    result = subprocess.run(["tsc", "-p", TYPES, "--outDir", COMPILED], capture_output=True, text=True, timeout=120)
    assert result.stdout == "" and result.returncode == 0


def test_what_is_declared_is_there_and_what_is_there_is_declared():
    subprocess.run(["tsc", "-p", TYPES, "--outDir", COMPILED], check=True, timeout=120)
    assert run("node", TYPES / "names.mjs", COMPILED / "program.js", ROOT / "web/retrograde.js").stdout == ""
