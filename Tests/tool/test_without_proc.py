# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tool in a system without /proc, as in some sandboxes.

import os
import subprocess

import numpy as np
from toolrun import ENVIRONMENT, MEDIA, TOOL, assert_nothing_left, samples


def without_proc(folder, *words):
    """In a mount namespace of its own, which takes no privilege in a user namespace."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    script = 'mount -t tmpfs none /proc && exec "$@"'
    command = [*unshare, "sh", "-c", script, "sh", TOOL, *words]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def test_files_are_written_without_proc(tmp_path):
    """The plugin is found beside the program, and the new file has a temporary name."""
    for words in ([], ["--force"]):
        result = without_proc(tmp_path, "reverse", *words, MEDIA / "short.wav", "-o", "new.wav")
        assert (result.returncode, result.stdout) == (0, "wrote new.wav\n"), result.stderr
        assert np.array_equal(samples(tmp_path / "new.wav"), samples(MEDIA / "short.wav")[::-1])
        assert_nothing_left(tmp_path, "new.wav")
