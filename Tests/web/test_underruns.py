# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks that playback with the pitch kept has no underrun while another process keeps a processor
# busy. Each speed is played for RETROGRADE_PLAY_SECONDS seconds.

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from pages import chromium
from support import write_wav
from visitor import RATE, Page

pytestmark = pytest.mark.long

SECONDS = float(os.environ.get("RETROGRADE_PLAY_SECONDS", 10))
TRIES = 3
# The fraction of a processor that the busy process must get. If it gets less, other processes are
# busy, too.
OWN_SHARE = 0.8


class Busy:
    """Keeps one processor busy. At the end, `share` is the fraction of a processor that the busy
    process got."""

    def __enter__(self):
        self.begun = time.monotonic()
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        return self

    def __exit__(self, *_):
        self.process.kill()
        _, _, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        self.share = (usage.ru_utime + usage.ru_stime) / (time.monotonic() - self.begun)


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Twenty seconds of stereo noise, so that the vocoder never receives silence."""
    samples = 0.2 * np.random.default_rng(1).standard_normal((20 * RATE, 2))
    return write_wav(tmp_path_factory.mktemp("noise") / "noise.wav", RATE, np.clip(samples, -1, 1))


def played(server, noise, speed):
    """Plays the noise. Returns the number of underruns, and the fraction of a processor that the
    busy process got."""
    with chromium() as driver:
        page = Page(driver, f"{server}/index.html")
        page.open(noise)
        page.set(f"settings = {{ speed: {speed}, keepPitch: true }}")
        page.set("loop = { mode: 'repeat', start: null, stop: null }")
        with Busy() as busy:
            page.find(".play").click()
            page.until(lambda: page.player("quanta") * 128 >= SECONDS * RATE, 60 + 2 * SECONDS)
            quanta, underruns = page.player("quanta"), page.player("underruns")
    print(f"speed {speed:g}: {quanta} quanta, {underruns} underruns; the busy process got {busy.share:.0%}")
    return underruns, busy.share


@pytest.mark.parametrize("speed", [0.5, 2])
def test_the_kept_pitch_has_no_underrun_beside_one_busy_process(speed, server, noise):
    for _ in range(TRIES):
        underruns, share = played(server, noise, speed)
        if underruns == 0:
            return
        assert share < OWN_SHARE, f"{underruns} underruns"
    pytest.skip(f"More than one process was busy: that one got {share:.0%} of a processor.")


def test_a_worker_that_comes_too_late_is_counted(server, noise):
    with chromium() as driver:
        page = Page(driver, f"{server}/index.html")
        driver.execute_script("const Real = Worker; window.Worker = class extends Real { constructor(...all) { super(...all); window.worker = this } }")
        page.open(noise)
        page.find(".play").click()
        page.until(lambda: page.player("quanta") > 0)
        driver.execute_script("window.worker.terminate()")
        page.until(lambda: page.player("underruns") > 0)
