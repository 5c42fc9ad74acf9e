# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import functools
import subprocess
import sys
from pathlib import Path

import pytest
import toolrun

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from childoutput import pytest_runtest_makereport  # noqa: E402, F401


@pytest.fixture(scope="session", autouse=True)
def built():
    toolrun.build()


@pytest.fixture(scope="session")
def sounds(tmp_path_factory):
    """The inputs of conversions.py. Each is created when it is first needed."""
    from conversions import Inputs

    return Inputs(tmp_path_factory.mktemp("sounds"))


@pytest.fixture(scope="session")
def forward(tmp_path_factory):
    """A function that returns the samples of a file, decoded by GStreamer without the plugin."""
    folder = tmp_path_factory.mktemp("forward")

    @functools.cache
    def decode(path):
        target = folder / f"{path.name}.wav"
        # decodebin of GStreamer 1.22 sometimes hangs on AIFF
        is_aiff = path.suffix in (".aif", ".aiff")
        decoder = "aiffparse" if is_aiff else "decodebin caps=audio/x-raw expose-all-streams=false"
        command = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", *decoder.split()]
        command += ["!", "audioconvert", "!", "wavenc", "!", "filesink", f"location={target}"]
        # By default, decodebin would use avdec_mp3, whose output for loud files differs each time,
        # and opusdec, which rounds to 16 bits.
        rank = {"GST_PLUGIN_FEATURE_RANK": "mpg123audiodec:PRIMARY,avdec_opus:MAX"}
        subprocess.run(command, check=True, env=toolrun.ENVIRONMENT | rank, timeout=60)
        return toolrun.samples(target)

    return decode
