# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: window_position.py FILE FACTOR

Plays FILE with the window's player. During two seconds, compares the position that the window would
show with that of the sink. Prints the differences as JSON, in seconds of the file; they are
positive if the window is ahead."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "launch-examples/window"))
import gi  # noqa: E402

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init([])
import sound  # noqa: E402

STEP_MS, STEPS = 20, 100


def main(path, factor):
    loop, ahead = GLib.MainLoop(), []
    player = sound.Player("fakeaudiosink sync=true")
    player.on_end, player.on_error = lambda _: loop.quit(), sys.exit
    player.open(Path(path), 2)
    player["timescale"].set_properties(factor=factor, keep_pitch=True, semitones=3)
    player.play(True)

    def look():
        shown, (is_known, heard) = player.position(), player.bin.query_position(Gst.Format.TIME)
        # not in the first second, while queues fill up
        if is_known and heard > Gst.SECOND:
            ahead.append(shown - heard / Gst.SECOND / factor)
        if len(ahead) == STEPS:
            loop.quit()
        return GLib.SOURCE_CONTINUE

    GLib.timeout_add(STEP_MS, look)
    loop.run()
    player.bin.set_state(Gst.State.NULL)
    print(json.dumps(ahead))


main(sys.argv[1], float(sys.argv[2]))
