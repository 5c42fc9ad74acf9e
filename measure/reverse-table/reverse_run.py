#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a file once, forward or backward, and prints what it cost.

Usage: reverse_run.py {forward|revbuf|seeked|stock} FILE CHAIN
         [--wait] [--properties "…"] [--frames-fd N]

  forward   from the beginning
  revbuf    from the end, by revbuf direction=reverse
  seeked    from the end, by revbuf and a seek with rate -1
  stock     from the end, by a seek with rate -1 without revbuf

CHAIN are the elements that decode the file, as for gst-launch-1.0. --wait, for seeked and
stock: the pipeline first waits in PAUSED at the beginning of the file, as in a player; times
are measured from the seek on, and the process ends at the first buffer. --frames-fd: the
frames are written to this open file, in the order in which an audio sink plays them.

Prints a JSON object: error (null if there is none), format, rate, frame_bytes, first_ms
(time until the first buffer; null if there is none), total_s, peak_mb (the highest
resident memory), stats (of revbuf), warnings (of all elements).

Other programs import run(), which starts this program in a process of its own.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"
HOWS = ("forward", "revbuf", "seeked", "stock")
SECONDS_ALLOWED = 600
FAILED = dict(format=None, rate=0, frame_bytes=0, first_ms=None, total_s=None, peak_mb=None, stats={}, warnings=[])


class Run:
    """One pipeline, from its start to its end."""

    def __init__(self, how, path, chain, properties, frames_file):
        filters = f"revbuf name=revbuf {properties} ! " if how in ("revbuf", "seeked") else ""
        self.how, self.file = how, frames_file
        self.error = self.first_s = self.segment = self.format = None
        self.rate = self.frame_bytes = 0
        self.warnings = []
        self.pipeline = Gst.parse_launch(
            f"filesrc name=source ! {chain} ! {filters}audioconvert dithering=none ! "
            "audio/x-raw,layout=interleaved ! fakesink name=sink sync=false"
        )
        self.pipeline.get_by_name("source").set_property("location", path)
        self.revbuf = self.pipeline.get_by_name("revbuf")
        self.pad = self.pipeline.get_by_name("sink").get_static_pad("sink")
        self.pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.on_event)

    def on_event(self, pad, info):
        event = info.get_event()
        if event.type == Gst.EventType.SEGMENT:
            self.segment = event.parse_segment()
        elif event.type == Gst.EventType.CAPS:
            info = GstAudio.AudioInfo.new_from_caps(event.parse_caps())
            self.format = info.finfo.name
            self.rate, self.frame_bytes = info.rate, info.bpf
        return Gst.PadProbeReturn.OK

    def on_buffer(self, pad, info):
        if self.first_s is None:
            self.first_s = time.monotonic()
            self.pipeline.post_message(Gst.Message.new_application(None, Gst.Structure.new_empty("first")))
        if self.file is None:
            return Gst.PadProbeReturn.REMOVE  # only the first buffer counts
        self.file.write(self.heard(info.get_buffer()))
        return Gst.PadProbeReturn.OK

    def heard(self, buffer):
        """Returns the frames of a buffer as an audio sink plays them: clipped to the segment and,
        at a negative rate, reversed."""
        import numpy as np  # only if needed, because it adds to peak_mb

        frames = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
        frames = frames.reshape(-1, self.frame_bytes)
        if buffer.pts != Gst.CLOCK_TIME_NONE:
            first = self.frame_at(self.segment.start, buffer.pts, len(frames))
            frames = frames[first : len(frames) - self.frames_behind_stop(buffer, len(frames))]
        return (frames[::-1] if self.segment.rate < 0 else frames).tobytes()

    def frame_at(self, time_ns, pts_ns, most):
        return min(max(round((time_ns - pts_ns) * self.rate / Gst.SECOND), 0), most)

    def frames_behind_stop(self, buffer, most):
        """Returns the number of frames after the segment's stop. As in GStreamer, the buffer ends
        after its duration, even if it has more frames (the last buffer of Ogg Vorbis)."""
        if Gst.CLOCK_TIME_NONE in (self.segment.stop, buffer.duration):
            return 0
        behind_ns = max(buffer.pts + buffer.duration - self.segment.stop, 0)
        return min(behind_ns * self.rate // Gst.SECOND, most)

    def wait_for(self, message_type):
        types = message_type | Gst.MessageType.ERROR | Gst.MessageType.WARNING
        pop = self.pipeline.get_bus().timed_pop_filtered
        while (message := pop(SECONDS_ALLOWED * Gst.SECOND, types)) and message.type == Gst.MessageType.WARNING:
            self.warnings.append(message.parse_warning()[0].message)
        if message is None:
            self.error = "timeout"
        elif message.type == Gst.MessageType.ERROR:
            self.error = message.parse_error()[0].message
        return self.error is None

    def count(self):
        self.pad.add_probe(Gst.PadProbeType.BUFFER, self.on_buffer)

    def preroll(self):
        self.pipeline.set_state(Gst.State.PAUSED)
        return self.wait_for(Gst.MessageType.ASYNC_DONE)

    def seek_backwards(self):
        known, end_ns = self.pipeline.query_duration(Gst.Format.TIME)
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        start = (Gst.SeekType.SET, 0)
        stop = (Gst.SeekType.SET, end_ns) if known else (Gst.SeekType.NONE, -1)
        if not self.pipeline.seek(-1.0, Gst.Format.TIME, flags, *start, *stop):
            self.error = "seek refused"

    def play(self, wait):
        """Plays to the end. Returns the seconds until the end and until the first buffer (or
        `None`)."""
        if self.how == "revbuf":
            Gst.util_set_object_arg(self.revbuf, "direction", "reverse")
        started = time.monotonic()
        by_seek = self.how in ("seeked", "stock")
        if by_seek:
            if not self.preroll():
                return time.monotonic() - started, None
            if wait:
                started = time.monotonic()
        self.count()
        if by_seek:
            self.seek_backwards()
        if self.error is None:
            self.pipeline.set_state(Gst.State.PLAYING)
            first_only = Gst.MessageType.APPLICATION if wait else Gst.MessageType.EOS
            self.wait_for(Gst.MessageType.EOS | first_only)
        ended = time.monotonic()
        return ended - started, self.first_s and self.first_s - started

    def report(self, wait):
        total_s, first_s = self.play(wait)
        stats = {}
        if self.revbuf is not None:
            structure = self.revbuf.get_property("stats")
            names = (structure.nth_field_name(i) for i in range(structure.n_fields()))
            stats = {name: structure.get_value(name) for name in names}
        self.pipeline.set_state(Gst.State.NULL)
        if self.file is not None:
            self.file.close()
        return {
            "error": self.error,
            "format": self.format,
            "rate": self.rate,
            "frame_bytes": self.frame_bytes,
            "first_ms": first_s and first_s * 1000,
            "total_s": total_s,
            "peak_mb": peak_mb(),
            "stats": stats,
            "warnings": self.warnings,
        }


def peak_mb():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) / 1024


def run(how, path, chain, *, wait=False, properties="", frames_fd=None, debug=""):
    """Runs this program in a process of its own, and returns its report. If the process dies,
    "error" says so. "log" is the standard error of the process; with `debug`, a value for
    GST_DEBUG, it contains GStreamer's log, too."""
    command = [sys.executable, __file__, how, str(path), chain, "--properties", properties]
    command += ["--wait"] if wait else []
    passed = [] if frames_fd is None else [frames_fd]
    command += ["--frames-fd", str(frames_fd)] if passed else []
    environment = os.environ | {"GST_DEBUG": debug, "GST_DEBUG_NO_COLOR": "1"}
    allowed = {"timeout": SECONDS_ALLOWED + 10, "pass_fds": passed, "env": environment}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", **allowed)
    except subprocess.TimeoutExpired as expired:
        return failed("hangs", (expired.stderr or b"").decode(errors="replace"))
    if done.returncode != 0:
        return failed(f"ended with status {done.returncode}", done.stderr)
    return json.loads(done.stdout) | {"log": done.stderr}


def failed(error, log):
    print(f"reverse_run.py {error}:\n{log}", file=sys.stderr)
    return FAILED | {"error": error, "log": log}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("how", choices=HOWS)
    options.add_argument("path")
    options.add_argument("chain")
    options.add_argument("--wait", action="store_true")
    options.add_argument("--properties", default="")
    options.add_argument("--frames-fd", type=int)
    given = options.parse_args()
    frames_file = None if given.frames_fd is None else open(given.frames_fd, "wb")
    one = Run(given.how, given.path, given.chain, given.properties, frames_file)
    print(json.dumps(one.report(given.wait)))


if __name__ == "__main__":
    os.environ["GST_PLUGIN_PATH_1_0"] = str(BUILD / "gst-plugin")
    os.environ["GST_REGISTRY_1_0"] = str(BUILD / "gst-registry.bin")
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstAudio", "1.0")
    from gi.repository import Gst, GstAudio

    # an exception in a callback from a GStreamer thread would not end the process otherwise
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(1))
    Gst.init([])
    main()
