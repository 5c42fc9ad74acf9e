# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The kept pitch played without a gap, beside a process that keeps a processor busy. RETROGRADE_PLAY_SECONDS
# in the environment: how long, at each speed.

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import chromium
from support import write_wav
from visitor import RATE, Page

SECONDS = float(os.environ.get("RETROGRADE_PLAY_SECONDS", 10))


@pytest.fixture
def busy():
    """One processor is busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Twenty seconds in stereo, never silent: all of it goes through the vocoder."""
    samples = 0.2 * np.random.default_rng(1).standard_normal((20 * RATE, 2))
    return write_wav(tmp_path_factory.mktemp("noise") / "noise.wav", RATE, np.clip(samples, -1, 1))


@pytest.mark.parametrize("speed", [0.5, 2])
def test_the_kept_pitch_has_no_underrun_beside_a_busy_process(speed, server, noise, busy):
    with chromium() as driver:
        page = Page(driver, f"{server}/index.html")
        page.open(noise)
        page.set(f"settings = {{ speed: {speed}, keepPitch: true }}")
        page.set("loop = { mode: 'repeat', start: null, stop: null }")
        page.find(".play").click()
        page.until(lambda: page.player("quanta") * 128 >= SECONDS * RATE, 60 + 2 * SECONDS)
        print(f"speed {speed:g}: {page.player('quanta')} quanta, {page.player('underruns')} underruns")
        assert page.player("underruns") == 0


def test_a_worker_that_comes_too_late_is_counted(server, noise):
    with chromium() as driver:
        page = Page(driver, f"{server}/index.html")
        driver.execute_script("const Real = Worker; window.Worker = class extends Real { constructor(...all) { super(...all); window.worker = this } }")
        page.open(noise)
        page.find(".play").click()
        page.until(lambda: page.player("quanta") > 0)
        driver.execute_script("window.worker.terminate()")
        page.until(lambda: page.player("underruns") > 0)
