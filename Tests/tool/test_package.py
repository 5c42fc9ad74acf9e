# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library in a package of somebody else, who names ours by its path.

import shutil
import subprocess

import numpy as np
from toolrun import ENVIRONMENT, MEDIA, ROOT, samples

SHORT = MEDIA / "short.wav"


def test_a_package_that_uses_ours_finds_the_plugin_wherever_its_program_lies(tmp_path):
    build = ["swift", "build", "--package-path", ROOT / "launch-examples/swift-package", "--scratch-path", ROOT / "build/swift-package"]
    subprocess.run([*build, "--quiet"], check=True, timeout=600)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    program = shutil.copy(f"{folder}/backwards", tmp_path)  # no folder above it has the plugin
    subprocess.run([program, SHORT, "reversed.wav"], check=True, cwd=tmp_path, env=ENVIRONMENT, timeout=60)
    assert np.array_equal(samples(tmp_path / "reversed.wav"), samples(SHORT)[::-1])
    failed = subprocess.run([program, "missing.wav", "new.wav"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert failed.returncode == 1 and "there is no such file" in failed.stdout
