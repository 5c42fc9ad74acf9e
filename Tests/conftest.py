# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""For all tests in Python: adds the output of a failed child process to pytest's report, lets the
programs under test receive signals, and builds the plugin if there is none.

Without the hook, the report of a failed subprocess.run(…, check=True, capture_output=True) contains
only the exit status."""

import signal
import subprocess

import pytest
from support import PLUGIN, ROOT

# A shell lets what it starts in the background ignore these signals, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


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


@pytest.fixture(scope="session", autouse=True)
def plugin():
    if not PLUGIN.exists():
        subprocess.run(["make", "-s", "-C", ROOT, "build"], check=True)
