#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Renders a timeline of GStreamer Editing Services (GES) with two clips: the first seconds of a file
# at the original speed, and the same seconds at another rate. GES can work out the duration of the
# second clip, because timescale's "rate" is registered as a rate property (see
# register_rate_property below).
"""usage: edit-timeline.py IN OUT.wav RATE [SECONDS] [--keep-pitch]

The output contains the first SECONDS of IN (default: 2), and then the same part at RATE, from 0.01
to 100; with --keep-pitch, at the original pitch."""

import os
import sys
import tempfile
from pathlib import Path

import beside

try:
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GES", "1.0")
    gi.require_version("GstPbutils", "1.0")
    from gi.repository import Gst

    beside.prepare()
    # must come before the import of GES, which uses GStreamer's types when it's loaded
    Gst.init([])
    from gi.repository import GES, GstPbutils
except (ImportError, ValueError) as error:
    sys.exit(f"edit-timeline.py: {error}: install python3-gi and gir1.2-ges-1.0")


def wav_profile() -> GstPbutils.EncodingContainerProfile:
    wav = GstPbutils.EncodingContainerProfile.new("wav", None, Gst.Caps.from_string("audio/x-wav"), None)
    raw = Gst.Caps.from_string("audio/x-raw,format=F32LE,rate=48000,channels=2")
    wav.add_profile(GstPbutils.EncodingAudioProfile.new(raw, None, None, 0))
    return wav


def timeline_of(source: Path, rate: float, seconds: float, keep_pitch: bool) -> GES.Timeline:
    timeline = GES.Timeline.new()
    track = GES.AudioTrack.new()
    track.set_restriction_caps(Gst.Caps.from_string("audio/x-raw,rate=48000,channels=2"))
    timeline.add_track(track)
    layer = timeline.append_layer()
    asset = GES.UriClipAsset.request_sync(source.resolve().as_uri())
    length = int(seconds * Gst.SECOND)

    layer.add_asset(asset, 0, 0, length, GES.TrackType.AUDIO)
    fast = layer.add_asset(asset, length, 0, round(length / rate), GES.TrackType.AUDIO)
    if not fast.add(GES.Effect.new(f"timescale rate={rate} keep-pitch={keep_pitch}")):
        sys.exit("edit-timeline.py: the clip does not accept timescale")
    timeline.commit_sync()
    limit = fast.get_duration_limit()
    if limit != Gst.CLOCK_TIME_NONE:
        print(f"at rate {rate:g} the whole file takes {limit / Gst.SECOND:.3f} s")
    print(f"the timeline lasts {timeline.get_duration() / Gst.SECOND:.3f} s")
    return timeline


def render(timeline: GES.Timeline, target: Path) -> None:
    """Renders to a temporary file, in a folder that no other user can access. The complete file
    then replaces the target."""
    with tempfile.TemporaryDirectory(prefix=".retrograde-", dir=target.parent) as folder:
        part = Path(folder, "part.wav")
        render_to(timeline, part)
        os.replace(part, target)


def render_to(timeline: GES.Timeline, target: Path) -> None:
    pipeline = GES.Pipeline.new()
    pipeline.set_timeline(timeline)
    pipeline.set_render_settings(target.resolve().as_uri(), wav_profile())
    pipeline.set_mode(GES.PipelineFlags.RENDER)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(f"edit-timeline.py: {message.parse_error()[0].message}")


def main() -> None:
    keep_pitch = "--keep-pitch" in sys.argv
    if keep_pitch:
        sys.argv.remove("--keep-pitch")
    if len(sys.argv) not in (4, 5) or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    source, target, rate = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    seconds = float(sys.argv[4]) if len(sys.argv) == 5 else 2.0
    if not source.is_file():
        sys.exit(f"edit-timeline.py: there is no file {source}")
    if target.exists() and target.samefile(source):
        sys.exit(f"edit-timeline.py: {target} is the input, which must not be overwritten")
    if not Gst.ElementFactory.find("timescale"):
        sys.exit(f"edit-timeline.py: {beside.missing()}")
    GES.init()
    # From here on, GES knows that a clip with a timescale lasts 1 / rate times as long as its
    # source.
    GES.Effect.register_rate_property("timescale", "rate")
    render(timeline_of(source, rate, seconds, keep_pitch), target)


if __name__ == "__main__":
    main()
