# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares the WebAssembly module with the plugin. For the same input, their output must be
# bit-identical.

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from support import MEDIA, gst_launch, interpolations, run

RATE = 44100
FACTORS = (0.25, 0.8, 1, 1.5, 4)
INTERPOLATIONS = interpolations()


SOUNDS = {
    "music": MEDIA / "sample.flac",
    "applause": ROOT / "web/sounds/applause-15-original.opus",
    "castanets": ROOT / "web/sounds/castanets-15-original.opus",
    "speech": MEDIA / "speech.wav",
}


def cases():
    """Yields (name, elements of the plugin, settings of the module) for each case. If the last word
    of the name is the name of a sound, this sound is processed, otherwise "music"."""
    yield "reverse", "revbuf direction=reverse mode=collect", {"reverse": True}
    for factor in FACTORS:
        for kind in INTERPOLATIONS:
            yield f"{kind} {factor}", f"timescale factor={factor} interpolation={kind}", {"speed": 1 / factor, "interpolation": kind}
    for factor in FACTORS:
        kept = {"speed": 1 / factor, "keepPitch": True}
        yield f"kept {factor}", f"timescale factor={factor} keep-pitch=true", kept
    for window in ("music", "speech", "low-latency"):
        asked = {"speed": 1 / 1.25, "keepPitch": True, "window": window}
        yield f"{window} 1.25", f"timescale factor=1.25 keep-pitch=true window={window}", asked
    for semitones in (-5, 3.5):
        asked = {"speed": 1.25, "keepPitch": True, "semitones": semitones}
        yield f"{semitones} semitones", f"timescale rate=1.25 keep-pitch=true semitones={semitones}", asked
    asked = {"speed": 1, "semitones": 5, "formants": "keep", "formantSemitones": -1}
    yield "formants", "timescale semitones=5 formants=keep formant-semitones=-1", asked
    # cases that run separate code: dense transients, transients in addition to sustained sound, and
    # the formants of a voice
    yield "kept 0.8 applause", "timescale factor=0.8 keep-pitch=true", {"speed": 1.25, "keepPitch": True}
    yield "kept 1.25 castanets", "timescale factor=1.25 keep-pitch=true", {"speed": 0.8, "keepPitch": True}
    yield "lower speech", "timescale semitones=-7 formants=keep", {"speed": 1, "semitones": -7, "formants": "keep"}


CASES = {name: (element, settings) for name, element, settings in cases()}


def sound_of(name):
    return name.split()[-1] if name.split()[-1] in SOUNDS else "music"


@pytest.fixture(scope="module")
def sounds(web, plugin, tmp_path_factory):
    """Renders each case with the module. Returns the names of the input and the output file."""
    folder = tmp_path_factory.mktemp("bits")
    made = {name: (folder / f"{sound_of(name)}.f32", folder / f"{index}.f32") for index, name in enumerate(CASES)}
    for sound, path in SOUNDS.items():
        source = folder / f"{sound}.f32"
        gst_launch(
            f"filesrc location={path} ! decodebin ! audioconvert ! audioresample",
            f"! audio/x-raw,format=F32LE,rate={RATE},channels=2,layout=interleaved ! filesink location={source}",
        )
        # Two seconds are enough. The number of frames is odd, and not a multiple of the block
        # length.
        source.write_bytes(source.read_bytes()[: 8 * 88_211])
        asked = [{"output": str(made[name][1]), "settings": CASES[name][1]} for name in CASES if sound_of(name) == sound]
        lines = "\n".join(map(json.dumps, asked))
        run("node", Path(__file__).parent / "render.mjs", web, source, RATE, 2, input=lines, timeout=300)
    return made


@pytest.mark.parametrize("name", CASES)
def test_the_module_and_the_plugin_output_the_same_bits(name, sounds, tmp_path):
    source, output = sounds[name]
    expected = tmp_path / "expected.f32"
    gst_launch(
        f"filesrc location={source} ! rawaudioparse use-sink-caps=false format=pcm pcm-format=f32le",
        f"sample-rate={RATE} num-channels=2 ! {CASES[name][0]} ! filesink location={expected}",
    )
    plugin, module = (np.fromfile(path, np.uint32) for path in (expected, output))
    assert len(module) == len(plugin) > 0
    assert np.count_nonzero(module != plugin) == 0
