# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: play_at_rate.py ELEMENT IN.wav OUT.wav RATE

Plays a file with a seek at RATE, as playbin does, through an element that applies the rate of the
segment."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from playing import play_to_end  # noqa: E402


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    element, source, target, rate = sys.argv[1:]
    Gst.init([])
    read = f"filesrc location={source} ! wavparse ! audioconvert ! audio/x-raw,format=F32LE"
    write = f"audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location={target}"
    pipeline = Gst.parse_launch(f"{read} ! {element} ! {write}")
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
    if not pipeline.seek(float(rate), Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.NONE, -1):
        sys.exit("The seek was refused.")
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    play_to_end(pipeline)


if __name__ == "__main__":
    main()
