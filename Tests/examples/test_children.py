# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that the report of a failed test contains the output of the child process.

import os
import shutil
import sys

from support import MEDIA, ROOT, run

sys.path.insert(0, str(ROOT / "measure/reverse-table"))
import reverse_run  # noqa: E402

CHAIN = "wavparse"
FAILING_TEST = """
import subprocess

def test_child():
    subprocess.run(["sh", "-c", "echo why >&2; exit 3"], check=True, capture_output=True)
"""


def test_a_child_that_fails_is_quoted():
    report = reverse_run.run("forward", MEDIA / "short.wav", "nosuchelement")
    assert report["error"] == "ended with status 1"
    assert 'no element "nosuchelement"' in report["log"]


def test_a_callback_that_raises_ends_the_child():
    """The callback raises because it writes to a file that is open for reading only."""
    file = os.open(MEDIA / "short.wav", os.O_RDONLY)
    report = reverse_run.run("forward", MEDIA / "short.wav", CHAIN, frames_fd=file)
    os.close(file)
    assert report["error"] == "ended with status 1"
    assert "in on_buffer" in report["log"]


def test_a_child_reads_the_caps():
    """Newer versions of gst-python return another type from caps.get_structure()."""
    report = reverse_run.run("forward", MEDIA / "short.wav", CHAIN)
    assert report["error"] is None, report
    assert (report["format"], report["frame_bytes"]) == ("S16LE", 4)


def test_pytest_shows_what_a_child_has_written(tmp_path):
    shutil.copy(ROOT / "Tests/conftest.py", tmp_path)
    (tmp_path / "test_child.py").write_text(FAILING_TEST)
    environment = os.environ | {"PYTHONPATH": f"{ROOT}/Tests:{ROOT}/launch-examples"}
    said = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", tmp_path, env=environment, status=1).stdout
    assert "stderr of ['sh', '-c'," in said
    assert "\nwhy\n" in said
