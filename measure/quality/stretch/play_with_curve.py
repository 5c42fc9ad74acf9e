# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: play_with_curve.py IN.wav OUT.wav MAP

Runs `timescale keep-pitch=true` with a factor that a GstController changes. Each interval of the
time map MAP gives a value of its curve, the slope, at the middle of the interval; between these
values, the curve is linear."""

import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import Gst, GstController  # noqa: E402
from playing import play_to_end  # noqa: E402

RATE = 48000


def curve(path: str) -> GstController.InterpolationControlSource:
    inputs, outputs = np.loadtxt(path).T
    slopes = np.diff(outputs) / np.diff(inputs)
    source = GstController.InterpolationControlSource()
    source.set_property("mode", GstController.InterpolationMode.LINEAR)
    middles = (inputs[1:] + inputs[:-1]) / 2
    for frame, slope in zip([0, *middles, inputs[-1]], [slopes[0], *slopes, slopes[-1]]):
        source.set(int(frame * Gst.SECOND / RATE), float(slope))
    return source


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    Gst.init([])
    read = f"filesrc location={sys.argv[1]} ! wavparse ! audioconvert ! audio/x-raw,format=F32LE"
    pipeline = Gst.parse_launch(f"{read} ! timescale name=t keep-pitch=true ! wavenc ! filesink location={sys.argv[2]}")
    element = pipeline.get_by_name("t")
    element.add_control_binding(GstController.DirectControlBinding.new_absolute(element, "factor", curve(sys.argv[3])))
    play_to_end(pipeline)


if __name__ == "__main__":
    main()
