# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the tool on a system without /proc, as in some sandboxes.

import os
import subprocess

import pytest
from toolrun import ENVIRONMENT, MEDIA, TOOL, assert_nothing_left


@pytest.mark.parametrize("words", [["--help"], ["reverse", MEDIA / "short.wav", "-o", "new.wav"]], ids=lambda words: words[0])
def test_a_missing_proc_is_said(tmp_path, words):
    """Hides /proc in a mount namespace. Without root, this takes a user namespace as well."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        pytest.skip("a mount namespace cannot be made here, as in a container without privileges")
    command = [*unshare, "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", TOOL, *words]
    result = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    sentence = "retrograde: this program needs /proc, which is not mounted; mount it first: mount -t proc proc /proc.\n"
    assert (result.returncode, result.stdout, result.stderr) == (1, "", sentence)
    assert_nothing_left(tmp_path)
