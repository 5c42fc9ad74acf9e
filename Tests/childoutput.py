# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds the output of a failed child process to pytest's report. Each conftest.py imports the hook.

Without it, the report of a failed subprocess.run(…, check=True, capture_output=True) contains only
the exit status."""

import subprocess

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, (subprocess.CalledProcessError, subprocess.TimeoutExpired)):
        sections = result.get_result().sections
        for name in ("stdout", "stderr"):
            if output := getattr(error, name):
                text = output if isinstance(output, str) else output.decode(errors="replace")
                sections.append((f"{name} of {error.cmd}", text))
