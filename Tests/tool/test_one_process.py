# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A debug build of the tool uses the full Swift runtime as shared libraries; the plugin contains the
# small runtime of Embedded Swift. Both must work in one process.

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
BINDING = re.compile(r"binding file (.+) \[\d+\] to (.+) \[\d+\]: \w+ symbol `([^']+)'")


def bindings(folder, *command):
    """Runs a command and returns (using library, defining library, symbol) for all symbols that the
    dynamic linker binds."""
    trace = {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(folder / "trace"), "LD_BIND_NOW": "1"}
    subprocess.run(command, env=os.environ | trace, check=True, capture_output=True, timeout=120)
    return {found for path in folder.glob("trace*") for found in BINDING.findall(path.read_text(errors="replace"))}


def test_no_symbol_of_swift_is_bound_between_the_plugin_and_anything(tmp_path):
    build = ["swift", "build", "--package-path", ROOT, "--product", "retrograde"]
    subprocess.run([*build, "--quiet"], check=True, timeout=600)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    sound = ROOT / "launch-examples/media/speech.wav"
    bound = bindings(tmp_path, f"{folder}/retrograde", "scale", "--factor", "2", sound, "-o", tmp_path / "new.wav")
    swift = {(user, owner, symbol) for user, owner, symbol in bound if re.match(r"_?swift_|_?\$[se]", symbol)}
    of_plugin = {binding for binding in bound if "libgstretrograde" in binding[0] + binding[1]}
    # both runtimes are in the process, and neither runtime uses a Swift symbol of the other one
    assert any("libswiftCore" in owner for _, owner, _ in swift)
    assert any(symbol == "gst_element_register" for _, _, symbol in of_plugin)
    assert not swift & of_plugin
