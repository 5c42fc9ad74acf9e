#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes files in several modes. Each line of the input is a JSON object
{"path": …, "chain": …, "modes": […]}, for which a line {mode: [outcome, text]} is printed.

The reference is the forward decode of the same file without our elements. The outcomes are:

  right      each frame is output once, at the right position
  upstream   not our fault: without our elements, the same seeks return other audio or less
             audio than the forward decode, or the same critical warning is logged
  refused    there is an error, and the forward decode fails, too
  error      an error explains what is wrong
  equal      the output has the right number of frames, but some of the frames are wrong
  differs    a part of the audio differs, is missing, or is additional
  silent     frames are missing, without an error
  hangs      the pipeline does not end
  critical   a critical warning is logged
"""

import functools
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("GST_PLUGIN_PATH_1_0", str(ROOT / "build/gst-plugin"))
os.environ.setdefault("GST_REGISTRY_1_0", str(ROOT / "build/gst-registry.bin"))

import gi  # noqa: E402
import numpy as np  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstAudio", "1.0")
from gi.repository import Gst, GstAudio  # noqa: E402

SECONDS_ALLOWED = 60
BLOCK_NS = 250_000_000
MODES = {
    "flip": "revbuf mode=collect",
    "seek": "revbuf name=effect direction=reverse mode=seek",
    "auto": "revbuf name=effect direction=reverse",
    "collect": "revbuf direction=reverse mode=collect",
    "chunk": f"revbuf direction=reverse mode=chunk block-time={BLOCK_NS}",
    "stream": "timescale factor=2 interpolation=linear",
    "endpoints": "timescale factor=2 interpolation=linear alignment=endpoints",
    "pitch": "timescale factor=2 keep-pitch=true",
}


class Decode:
    """Runs a pipeline once, and keeps its output. `parts` has an entry [(rate, channels), list of
    arrays of frames] for each stream and format. `seeks_ns` are the targets of the seeks that the
    element named "effect" has sent."""

    def __init__(self, path, chain, effect="identity", seek_rate=None, start_ns=0, fills=False):
        self.fills = fills
        self.parts, self.errors, self.warnings, self.seeks_ns = [], [], [], []
        self.end_ns = self.segment = None
        self.frame_bytes, self.begins = 1, True
        self.pipeline = Gst.parse_launch(
            f"filesrc name=file ! {chain} ! {effect} ! fakesink name=sink sync=false"
        )
        self.pipeline.get_by_name("file").set_property("location", str(path))
        if demuxer := self.pipeline.get_by_name("demuxer"):
            demuxer.connect("pad-added", self.on_pad_added)
        pad = self.pipeline.get_by_name("sink").get_static_pad("sink")
        items = Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH
        probe = pad.add_probe(items, self.on_item)
        if element := self.pipeline.get_by_name("effect"):
            element.get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_UPSTREAM, self.on_upstream)
        self.ended = self.play(seek_rate, start_ns)
        self.pipeline.set_state(Gst.State.NULL)
        # the probe would keep a reference to the pipeline, whose files would stay open
        pad.remove_probe(probe)
        self.pipeline = None

    def on_pad_added(self, demuxer, pad):
        """Links a stream of a chained file in place of the previous stream."""
        sinkpad = self.pipeline.get_by_name("next").get_static_pad("sink")
        if sinkpad.is_linked():
            sinkpad.get_peer().unlink(sinkpad)
        pad.link(sinkpad)

    def on_item(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            self.keep(info.get_buffer())
            return Gst.PadProbeReturn.OK
        event = info.get_event()
        if event.type == Gst.EventType.STREAM_START:
            self.begins = True
        elif event.type == Gst.EventType.CAPS:
            info = GstAudio.AudioInfo.new_from_caps(event.parse_caps())
            self.frame_bytes, self.name = info.bpf, (info.rate, info.channels)
        elif event.type == Gst.EventType.SEGMENT:
            self.segment = event.parse_segment()
        elif event.type == Gst.EventType.FLUSH_STOP:
            self.parts, self.begins = [], True
        return Gst.PadProbeReturn.OK

    def on_upstream(self, pad, info):
        if info.get_event().type == Gst.EventType.SEEK:
            self.seeks_ns.append(info.get_event().parse_seek().start)
        return Gst.PadProbeReturn.OK

    def keep(self, buffer):
        if self.begins or self.parts[-1][0] != self.name:
            self.parts.append([self.name, []])
            self.begins = False
        frames = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(-1, self.frame_bytes)
        if self.segment.rate < 0:  # a sink plays such a buffer backwards
            frames = frames[::-1]
        else:
            self.fill_hole(buffer, len(frames))
        self.parts[-1][1].append(frames)

    def fill_hole(self, buffer, n_frames):
        """If `fills` is set and audio is missing before the buffer, appends silence instead. A sink
        would play silence there, too."""
        rate = self.parts[-1][0][0]
        start_ns = buffer.pts if buffer.pts != Gst.CLOCK_TIME_NONE else self.end_ns
        if self.fills and self.end_ns is not None and start_ns is not None and self.parts[-1][1]:
            hole = (start_ns - self.end_ns) * rate / Gst.SECOND
            if rate / 32 < hole < rate * 3600:
                self.parts[-1][1].append(np.zeros((round(hole), self.frame_bytes), np.uint8))
        if start_ns is not None:
            self.end_ns = start_ns + n_frames * Gst.SECOND // rate

    def wait(self, wanted):
        bus = self.pipeline.get_bus()
        types = wanted | Gst.MessageType.ERROR | Gst.MessageType.WARNING
        while message := bus.timed_pop_filtered(SECONDS_ALLOWED * Gst.SECOND, types):
            if message.type == Gst.MessageType.WARNING:
                self.warnings.append(message.parse_warning()[0].message)
                continue
            if message.type == Gst.MessageType.ERROR:
                self.errors.append(message.parse_error()[0].message)
            return True
        return False

    def play(self, seek_rate, start_ns):
        """Runs the pipeline. Returns whether it has ended, at EOS or with an error."""
        if seek_rate:
            self.pipeline.set_state(Gst.State.PAUSED)
            if not self.wait(Gst.MessageType.ASYNC_DONE):
                return False
            if self.errors:
                return True
            known, end_ns = self.pipeline.query_duration(Gst.Format.TIME)
            stop = (Gst.SeekType.SET, end_ns) if known and end_ns > 0 else (Gst.SeekType.NONE, -1)
            flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
            if not self.pipeline.seek(seek_rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start_ns, *stop):
                self.errors.append("the seek was refused")
                return True
        self.pipeline.set_state(Gst.State.PLAYING)
        return self.wait(Gst.MessageType.EOS)

    def frames(self):
        """Returns [(rate and channels, all frames)] for each stream and format that has audio."""
        return [(name, np.concatenate(rows)) for name, rows in self.parts if rows]

    def count(self):
        return sum(len(frames) for _, frames in self.frames())


# ---- what is right ----


def reversed_parts(parts):
    """Returns the expected output: each part is reversed separately, because a new format or a new
    stream of a chain begins a new part."""
    return [(name, frames[::-1]) for name, frames in parts]


def same(one, other):
    return len(one) == len(other) and all(a[0] == b[0] and np.array_equal(a[1], b[1]) for a, b in zip(one, other))


def compare(found, expected):
    if same(found, expected):
        return "right", ""
    counts = [sum(len(frames) for _, frames in parts) for parts in (found, expected)]
    if counts[0] == counts[1]:
        return "equal", f"{sum(int((a[1] != b[1]).any(1).sum()) for a, b in zip(found, expected) if a[1].shape == b[1].shape)} of {counts[1]} frames differ"
    return ("silent" if counts[0] < counts[1] else "differs"), f"{counts[0]} frames instead of {counts[1]}"


def hashes(parts):
    return Counter(hash((name, row.tobytes())) for name, frames in parts for row in frames)


def judge_chunk(found, forward):
    """mode=chunk reverses the frames within blocks, so the output must have the same frames in a
    different order."""
    if hashes(found) == hashes(forward):
        return "right", ""
    return compare(found, forward)


def judge_stream(found, forward):
    """With factor 2 and linear interpolation, every second output frame must equal an input
    frame."""
    return compare([(name, frames[::2]) for name, frames in found], forward)


def judge_endpoints(found, forward):
    """The output must have twice as many frames as the input. The first and the last frame of the
    output must equal those of the input."""
    ends = [(name, np.stack([frames[0], frames[-1]])) for name, frames in forward]
    if [len(f) for _, f in found] == [2 * len(f) for _, f in forward] and same([(n, np.stack([f[0], f[-1]])) for n, f in found], ends):
        return "right", ""
    return compare(found, [(name, np.repeat(frames, 2, 0)) for name, frames in forward])


def judge_pitch(found, forward):
    """The output must have twice as many frames, and be silent only if the input is silent."""
    if [(n, len(f), f.any()) for n, f in found] == [(n, 2 * len(f), f.any()) for n, f in forward]:
        return "right", ""
    return compare(found, [(name, np.repeat(frames, 2, 0)) for name, frames in forward])


def judge(mode, run, forward, others):
    """Returns the outcome of `run` (a Decode), and a text. `others` is a function of a seek rate
    and a start time, which decodes the file without an effect."""
    if not run.ended:
        alone = forward if mode != "flip" else others(-1.0)
        return ("hangs" if alone.ended else "upstream"), f"after {run.count()} frames"
    if run.errors:
        return ("refused" if forward.errors else "error"), run.errors[0]
    if mode == "flip":
        return compare(run.frames(), others(-1.0).frames())
    judges = {"chunk": judge_chunk, "stream": judge_stream, "endpoints": judge_endpoints, "pitch": judge_pitch}
    if mode in judges:
        return judges[mode](run.frames(), forward.frames())
    outcome, text = compare(run.frames(), reversed_parts(forward.frames()))
    if outcome == "silent" and run.warnings:
        return "error", run.warnings[0]
    if outcome != "right" and mode in ("seek", "auto"):
        if same(run.frames(), reversed_parts(others(None, fills=True).frames())):
            return "right", "holes are silence"
        if not seeks_right(forward.frames(), run.seeks_ns, others):
            return "upstream", text
    return outcome, text


# After a seek, revbuf discards audio until the decoder has settled: at most for the longer of these
# two times. If frame numbers after a seek are wrong, it searches SEARCH_FRAMES to either side.
SETTLING_SECONDS = 0.7
SETTLING_FRAMES = 8192
SEARCH_FRAMES = 2048


def seeks_right(forward, seeks_ns, others):
    """Returns whether the decoder outputs the right audio after the same seeks without an effect.
    For each seek, the file is decoded from the target to the end. The output must have the right
    length. It must contain the audio of the forward decode, from the frame where the decoder has
    settled up to the frame where it had settled after the previous seek."""
    if len(forward) != 1:
        return all(same(others(1.0, start_ns).frames()[1:], forward[1:]) for start_ns in seeks_ns)
    (rate, _), frames = forward[0]
    end = len(frames)
    for start_ns in seeks_ns:
        place = round(start_ns * rate / Gst.SECOND)
        settled = place + max(int(rate * SETTLING_SECONDS), SETTLING_FRAMES) if place else 0
        wanted = frames[settled : end + SEARCH_FRAMES].tobytes()
        found = others(1.0, start_ns)
        if len(found.frames()) != 1 or abs(len(frames) - place - found.count()) > SEARCH_FRAMES:
            return False
        found = found.frames()[0][1].tobytes()
        if wanted not in found or (end == len(frames) and not found.endswith(wanted)):
            return False
        end = min(end, settled)
    return True


class Criticals:
    """Finds critical warnings that this process has written to stderr, which must be a file."""

    def new(self):
        sys.stderr.flush()
        at = os.lseek(2, 0, os.SEEK_CUR)
        text = os.pread(2, 1 << 20, self.at).decode(errors="replace")
        self.at = at
        return sorted({re.sub(r"\*\*: [\d:.]+: ", "", line.split(": ", 1)[-1]) for line in text.splitlines() if "CRITICAL" in line})

    at = 0


def examine(path, chain, modes, criticals):
    forward = Decode(path, chain)
    others = functools.cache(lambda rate, start_ns=0, fills=False: Decode(path, chain, seek_rate=rate, start_ns=start_ns, fills=fills))
    if "flip" in modes:
        others(-1.0)
    expected = set(criticals.new())  # critical warnings without our elements
    results = {"forward": ["hangs" if not forward.ended else "", f"{forward.count()} frames; {forward.errors}"]}
    for mode in modes:
        run = Decode(path, chain, MODES[mode], -1.0 if mode == "flip" else None)
        said = set(criticals.new()) - expected
        results[mode] = list(judge(mode, run, forward, others))
        for start_ns in run.seeks_ns if said else ():
            others(1.0, start_ns)
        expected |= set(criticals.new())
        if said:
            results[mode] = ["upstream" if said <= expected else "critical", min(said)]
    return results


def main():
    # by default, an exception in a callback of GStreamer would not end the process
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(1))
    Gst.init([])
    criticals = Criticals()
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(examine(Path(job["path"]), job["chain"], job["modes"], criticals)), flush=True)


if __name__ == "__main__":
    main()
