# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: play_backwards.py IN OUT.wav

Plays a file with a seek at rate -1 in stock GStreamer, and writes the output to OUT.wav."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from playing import play_to_end  # noqa: E402


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    Gst.init([])
    write = f"audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location={target}"
    pipeline = Gst.parse_launch(f"filesrc location={source} ! decodebin ! {write}")
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    found, duration = pipeline.query_duration(Gst.Format.TIME)
    flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
    if not found or not pipeline.seek(-1, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, duration):
        sys.exit("The seek was refused.")
    play_to_end(pipeline)


if __name__ == "__main__":
    main()
