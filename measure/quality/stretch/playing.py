# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions for the programs that play a file through an element."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

SECONDS = 300  # time limit; the files have a few seconds


def play_to_end(pipeline: Gst.Pipeline) -> None:
    """Plays to the end. If there is an error, exits with its message."""
    pipeline.set_state(Gst.State.PLAYING)
    ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
    message = pipeline.get_bus().timed_pop_filtered(SECONDS * Gst.SECOND, ends)
    pipeline.set_state(Gst.State.NULL)
    if message is None:
        sys.exit(f"It did not end within {SECONDS} s.")
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error().gerror.message)
