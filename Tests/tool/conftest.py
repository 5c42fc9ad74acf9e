# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import subprocess

import subprocess

import pytest
import toolrun


@pytest.fixture(scope="session", autouse=True)
def built():
    toolrun.build()


@pytest.fixture(scope="session")
def sounds(tmp_path_factory):
    """Makes the inputs of conversions.py as they are asked for."""
    from conversions import Inputs

    return Inputs(tmp_path_factory.mktemp("sounds"))


@pytest.fixture
def forward(tmp_path):
    """The samples of a file as stock GStreamer decodes it."""

    def decode(path):
        target = tmp_path / "forward.wav"
        pipeline = f"decodebin caps=audio/x-raw expose-all-streams=false ! audioconvert ! wavenc ! filesink location={target}"
        command = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", *pipeline.split()]
        subprocess.run(command, check=True, env=toolrun.ENVIRONMENT, timeout=60)
        return toolrun.samples(target)

    return decode
