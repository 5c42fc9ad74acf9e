#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a gapless playlist: sets the next URI at each about-to-finish signal.

Usage: gapless.py PLAYBIN FILTER FOLDER FIRST SECOND [SECONDS:STEP …]

FIRST and SECOND are songs, as files or URIs. FILTER is the audio-filter of playbin and contains an
element named r. A STEP is performed when SECONDS of sound have been output:

  PROPERTY=VALUE  sets a property of r, from the streaming thread at the sink
  rate=-1         seeks with a negative rate, to play backwards from the current position
  wait=next       blocks the sink until the next song has reached r

Writes the samples of each stream (S16LE) to FOLDER/0.raw, 1.raw, … Prints JSON:

  ended     "eos", "error: …" or "timeout"
  streams   for each stream: [running time of its start, running time of its end], in ns
  signals   for each about-to-finish signal: the number of frames output before it
  segments  number of SEGMENT_DONE messages on the bus
"""

import json
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

RATE = 48000
SECONDS_ALLOWED = 60
NO_VIDEO_NOR_TEXT = ~5
FORMAT = f"audioconvert dithering=none ! audioresample ! audio/x-raw,format=S16LE,rate={RATE},channels=1"


class Player:
    def __init__(self, playbin, description, folder, songs, steps):
        self.folder, self.songs = folder, songs
        self.steps = [(round(float(at) * RATE), what) for at, what in (step.split(":") for step in steps)]
        self.frames, self.signals, self.streams, self.file, self.segment = 0, [], [], None, None
        self.seek_thread = None
        self.element = Gst.ElementFactory.make(playbin)
        self.element.set_property("flags", self.element.get_property("flags") & NO_VIDEO_NOR_TEXT)
        audio_filter = Gst.parse_bin_from_description(description, True)
        self.revbuf = audio_filter.get_by_name("r")
        kinds = Gst.PadProbeType.DATA_DOWNSTREAM | Gst.PadProbeType.QUERY_DOWNSTREAM
        self.revbuf.get_static_pad("src").add_probe(kinds, self.on_passing)
        self.songs_begun, self.next_goes = 0, threading.Event()
        self.element.set_property("audio-filter", audio_filter)
        sink = Gst.parse_bin_from_description(f"{FORMAT} ! fakesink name=sink sync=false", True)
        kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM
        sink.get_by_name("sink").get_static_pad("sink").add_probe(kinds, self.on_data)
        self.element.set_property("audio-sink", sink)
        self.element.connect("about-to-finish", self.on_about_to_finish)
        self.set_next()

    def set_next(self):
        if self.songs:
            song = self.songs.pop(0)
            self.element.set_property("uri", song if Gst.uri_is_valid(song) else Gst.filename_to_uri(song))

    def on_about_to_finish(self, _playbin):
        self.signals.append(self.frames)
        self.set_next()

    def on_passing(self, _pad, info):
        """Detects that the next song has reached r: one of its buffers leaves r, or a serialized
        query does and waits for downstream."""
        if info.type & Gst.PadProbeType.EVENT_DOWNSTREAM:
            self.songs_begun += info.get_event().type == Gst.EventType.STREAM_START
        elif self.songs_begun > 1 and (
            info.type & Gst.PadProbeType.BUFFER or info.get_query().type not in (Gst.QueryType.CAPS, Gst.QueryType.ACCEPT_CAPS)
        ):
            self.next_goes.set()
        return Gst.PadProbeReturn.OK

    def on_data(self, _pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            self.output(info.get_buffer())
        elif info.get_event().type == Gst.EventType.SEGMENT:
            self.segment = info.get_event().parse_segment()
        elif info.get_event().type == Gst.EventType.STREAM_START:
            self.file = None
        return Gst.PadProbeReturn.OK

    def output(self, buffer):
        running = self.segment.to_running_time(Gst.Format.TIME, buffer.pts)
        if self.file is None:
            self.file = open(f"{self.folder}/{len(self.streams)}.raw", "wb", buffering=0)
            self.streams.append([running, running])
        self.streams[-1][1] = running + buffer.duration
        self.file.write(buffer.extract_dup(0, buffer.get_size()))
        self.frames += buffer.get_size() // 2
        while self.steps and self.frames >= self.steps[0][0]:
            name, value = self.steps.pop(0)[1].split("=")
            # seek from another thread: a flushing seek waits for this one, the streaming thread
            if name == "rate":
                self.seek_thread = threading.Thread(target=self.seek, args=(float(value),))
                self.seek_thread.start()
            elif name == "wait":
                self.next_goes.wait(SECONDS_ALLOWED)
            else:
                Gst.util_set_object_arg(self.revbuf, name, value)

    def seek(self, rate):
        position = self.element.query_position(Gst.Format.TIME)[1]
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        self.element.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, position)

    def play(self):
        wanted = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.SEGMENT_DONE
        bus, ended, segments = self.element.get_bus(), "timeout", 0
        deadline = time.monotonic() + SECONDS_ALLOWED
        self.element.set_state(Gst.State.PLAYING)
        while ended == "timeout" and time.monotonic() < deadline:
            message = bus.timed_pop_filtered(Gst.SECOND, wanted)
            if message is None:
                continue
            if message.type == Gst.MessageType.SEGMENT_DONE:
                segments += 1
            else:
                ended = "eos" if message.type == Gst.MessageType.EOS else f"error: {message.parse_error()[0].message}"
        self.element.set_state(Gst.State.NULL)
        if self.seek_thread is not None:
            self.seek_thread.join()
        return {"ended": ended, "streams": self.streams, "signals": self.signals, "segments": segments}


def main():
    Gst.init(None)
    playbin, description, folder, first, second, *steps = sys.argv[1:]
    print(json.dumps(Player(playbin, description, folder, [first, second], steps).play()))


main()
