# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import functools
import subprocess
from pathlib import Path

import pytest
import toolrun
from conversions import Inputs


@pytest.fixture(scope="session", autouse=True)
def built(plugin):
    toolrun.build()


@pytest.fixture(scope="session")
def sounds(tmp_path_factory):
    """The inputs of conversions.py. Each is created when it is first needed."""
    return Inputs(tmp_path_factory.mktemp("sounds"))


@pytest.fixture(scope="session")
def noise(tmp_path_factory):
    """20 s of stereo noise."""
    path = tmp_path_factory.mktemp("noise") / "noise.wav"
    toolrun.ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=20:r=44100:a=0.3:seed=1", "-ac", "2", path)
    return path


def preloaded(tmp_path_factory, name):
    """Compiles a library of this folder. Returns an environment in which the tool loads it."""
    library = tmp_path_factory.mktemp(name) / f"{name}.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, Path(__file__).with_name(f"{name}.c"), "-ldl"], check=True)
    return {**toolrun.ENVIRONMENT, "LD_PRELOAD": str(library)}


@pytest.fixture(scope="session")
def full_disk(tmp_path_factory):
    """An environment in which writing fails when a new file has reached 64 KiB."""
    return preloaded(tmp_path_factory, "full-disk")


@pytest.fixture(scope="session")
def named(tmp_path_factory):
    """An environment in which no file system supports files without a name (O_TMPFILE)."""
    return preloaded(tmp_path_factory, "part-file")


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
        decoded = toolrun.samples(target)
        # GStreamer 1.22 keeps the silence of an encoder that does not call itself LAME (576 frames of
        # the encoder and 529 of each decoder), and may decode a frame after the end of Vorbis
        first = 1105 if path.suffix == ".mp3" else 0
        return decoded[first:][: len(toolrun.samples(path))] if path.suffix in (".mp3", ".ogg") else decoded

    return decode
