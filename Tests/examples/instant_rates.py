#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays the scenarios of GStreamer's example for instant rate changes, and one for playbin. Unlike
the example, this program waits for seconds of output instead of real time and, except in playbin,
has no queue after the filter. So the result does not depend on how busy the machine is.

usage: instant_rates.py URI AUDIO-FILTER SCENARIO

SCENARIO is a number from 0 to 5. Prints four numbers, in seconds: the output before the pause, the
output after it, the stream time at which the output ended, and the duration of the stream."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401

RATE = 44100
CAPS = f"audio/x-raw,format=F32LE,layout=interleaved,rate={RATE},channels=2"
FRAME_BYTES = 8
SLOW, FAST = 0.25, 2.0
# in output frames
TOGGLE_FRAMES = RATE // 4
PAUSE_FRAMES = 4 * RATE
SOUGHT_NS = 12 * Gst.SECOND
# (stream time in seconds, new rate). In playbin, the queue after the filter holds one second.
COURSE = [(1, 2.0), (3, 4.0), (7, 0.5), (8, 4.0), (10, 2.0), (13, 1.0)]


class Client:
    def __init__(self, uri, audio_filter, in_playbin):
        sink = f"appsink name=sink sync=false max-buffers=1 caps={CAPS}"
        if in_playbin:
            self.player = Gst.ElementFactory.make("playbin")
            self.player.props.uri, self.player.props.flags = uri, 2  # audio only
            self.player.props.audio_filter = Gst.parse_bin_from_description(audio_filter, True)
            tail = self.player.props.audio_sink = Gst.parse_bin_from_description(sink, True)
        else:
            tail = self.player = Gst.parse_launch(f"uridecodebin uri={uri} ! audioconvert ! {audio_filter} ! audioconvert ! {sink}")
        self.sink = tail.get_by_name("sink")
        self.frames = 0
        self.end_ns = 0
        self.rate = 1.0
        self.set_state(Gst.State.PLAYING)

    def set_state(self, state):
        self.player.set_state(state)
        if self.player.get_state(Gst.CLOCK_TIME_NONE)[0] == Gst.StateChangeReturn.FAILURE:
            sys.exit("the state was refused")

    def change(self, rate):
        self.rate = rate
        keep = (Gst.SeekType.NONE, -1)
        if not self.player.seek(rate, Gst.Format.TIME, Gst.SeekFlags.INSTANT_RATE_CHANGE, *keep, *keep):
            sys.exit(f"rate {rate} was refused")

    def seek(self, place_ns):
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT
        if not self.player.seek(self.rate, Gst.Format.TIME, flags, Gst.SeekType.SET, place_ns, Gst.SeekType.NONE, -1):
            sys.exit("the seek was refused")
        self.player.get_state(Gst.CLOCK_TIME_NONE)

    def toggle(self):
        self.change(SLOW if self.rate == FAST else FAST)

    def pull(self):
        """Waits for a buffer. Returns False at the end of the stream."""
        sample = self.sink.emit("pull-sample")
        if sample is not None:
            buffer = sample.get_buffer()
            self.frames += buffer.get_size() // FRAME_BYTES
            self.end_ns = sample.get_segment().to_stream_time(Gst.Format.TIME, buffer.pts + buffer.duration)
        return sample is not None

    def pull_until(self, frames):
        while self.frames < frames and self.pull():
            pass

    def pull_all(self):
        while self.pull():
            pass


def toggle_quickly(client):
    """Scenario 0: the rate changes with each buffer for two seconds."""
    while client.frames < 2 * RATE and client.pull():
        client.toggle()
    client.pull_all()
    return 0


def pause(client, rate=None, place_ns=None):
    """Scenarios 1, 2 and 3: plays at rate 2 and pauses. During the pause, scenario 2 changes the
    rate, and scenario 3 the position. Returns the frames of output before the pause."""
    client.change(FAST)
    client.pull_until(PAUSE_FRAMES)
    client.set_state(Gst.State.PAUSED)
    before = client.frames
    if rate is not None:
        client.change(rate)
    if place_ns is not None:
        client.seek(place_ns)
    client.set_state(Gst.State.PLAYING)
    client.pull_all()
    return before


def toggle(client):
    """Scenario 4: the rate changes every quarter of a second."""
    due = TOGGLE_FRAMES
    while client.pull():
        if client.frames >= due:
            client.toggle()
            due += TOGGLE_FRAMES
    return 0


def follow_course(client):
    """Scenario 5, in playbin: the rate changes at the stream times of COURSE."""
    for place, rate in COURSE:
        while client.end_ns < place * Gst.SECOND and client.pull():
            pass
        client.change(rate)
    client.pull_all()
    return 0


SCENARIOS = [
    toggle_quickly,
    pause,
    lambda client: pause(client, rate=1.0),
    lambda client: pause(client, place_ns=SOUGHT_NS),
    toggle,
    follow_course,
]


def main(uri, audio_filter, scenario):
    Gst.init([])
    run = SCENARIOS[int(scenario)]
    client = Client(uri, audio_filter, in_playbin=run is follow_course)
    before = run(client)
    end = client.end_ns, client.player.query_duration(Gst.Format.TIME)[1]
    error = client.player.get_bus().pop_filtered(Gst.MessageType.ERROR)
    client.player.set_state(Gst.State.NULL)
    if error:
        sys.exit(error.parse_error()[0].message)
    print(before / RATE, (client.frames - before) / RATE, *[time / Gst.SECOND for time in end])


if __name__ == "__main__":
    main(*sys.argv[1:])
