# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The WebAssembly module beside the plugin: the same input has to give the same bits.

import json
from pathlib import Path

import numpy as np
import pytest
from support import MEDIA, gst_launch, run

RATE = 44100
FACTORS = (0.25, 0.8, 1, 1.5, 4)
INTERPOLATIONS = ("nearest", "linear", "smooth", "cubic", "sinc")


def cases():
    """Name → what the plugin does, and what the module is asked for."""
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


CASES = {name: (element, settings) for name, element, settings in cases()}


@pytest.fixture(scope="module")
def sounds(web, plugin, tmp_path_factory):
    """The input, and what the module makes of it for each case."""
    folder = tmp_path_factory.mktemp("bits")
    source = folder / "in.f32"
    gst_launch(
        f"filesrc location={MEDIA}/sample.flac ! decodebin ! audioconvert ! audioresample",
        f"! audio/x-raw,format=F32LE,rate={RATE},channels=2,layout=interleaved ! filesink location={source}",
    )
    # two seconds are enough, and an odd number of frames that no block divides
    source.write_bytes(source.read_bytes()[: 8 * 88_211])
    outputs = {name: folder / f"{index}.f32" for index, name in enumerate(CASES)}
    lines = [json.dumps({"output": str(outputs[name]), "settings": settings}) for name, (_, settings) in CASES.items()]
    run("node", Path(__file__).parent / "render.mjs", web, source, RATE, 2, input="\n".join(lines), timeout=300)
    return source, outputs


@pytest.mark.parametrize("name", CASES)
def test_the_module_and_the_plugin_output_the_same_bits(name, sounds, tmp_path):
    source, outputs = sounds
    expected = tmp_path / "expected.f32"
    gst_launch(
        f"filesrc location={source} ! rawaudioparse use-sink-caps=false format=pcm pcm-format=f32le",
        f"sample-rate={RATE} num-channels=2 ! {CASES[name][0]} ! filesink location={expected}",
    )
    plugin, module = (np.fromfile(path, np.uint32) for path in (expected, outputs[name]))
    assert len(module) == len(plugin) > 0
    assert np.count_nonzero(module != plugin) == 0
