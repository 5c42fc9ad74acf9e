# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records mode=seek in a pipeline, with random changes of direction, seeks and loops, and replays
the record without the pipeline. The pipeline and the replay must have the same actions and
results."""

import random
import subprocess

import pytest
from support import ENVIRONMENT, MEDIA, ROOT

pytestmark = pytest.mark.long

# A process for each pipeline, because GStreamer reads GST_DEBUG only when it starts.
PLAYER = """
import random, sys
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init([])
chance = random.Random(int(sys.argv[2]))
pipeline = Gst.parse_launch(f"filesrc location={sys.argv[1]} ! decodebin ! audioconvert "
    "! audio/x-raw,format=S16LE ! revbuf name=r ! fakesink name=sink sync=false signal-handoffs=true")
revbuf = pipeline.get_by_name("r")
heard = 0

def seek(of_what):
    rate = chance.choice([1, -1, 1.5])
    place = chance.randrange(4_000_000_000)
    flags = Gst.SeekFlags.FLUSH if chance.random() < 0.8 else Gst.SeekFlags.NONE
    start, stop = (0, place) if rate < 0 else (place, -1)
    of_what.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start, Gst.SeekType.SET, stop)

def act(*_):
    global heard
    heard += 1
    if heard % 7:
        return
    what = chance.randrange(5)
    if what < 3:
        revbuf.set_property("direction", chance.randrange(2))
    elif what == 3:
        revbuf.set_property("loop-start", chance.randrange(2_000_000_000))
        revbuf.set_property("loop-stop", chance.randrange(4_000_000_000))
    else:
        revbuf.set_property("loop", chance.randrange(3))

pipeline.get_by_name("sink").connect("handoff", act)
revbuf.set_property("direction", 1)
pipeline.set_state(Gst.State.PLAYING)
bus = pipeline.get_bus()
for n in range(12):
    message = bus.timed_pop_filtered(chance.randrange(1, 60_000_000), Gst.MessageType.ERROR)
    if message:
        sys.exit(str(message.parse_error()))
    seek(pipeline)
revbuf.set_property("loop", 0)
bus.timed_pop_filtered(200_000_000, Gst.MessageType.EOS | Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
"""


def record(tmp_path, name, seed):
    log = tmp_path / "log"
    debug = {"GST_DEBUG": "revbuf:7", "GST_DEBUG_NO_COLOR": "1", "GST_DEBUG_FILE": str(log)}
    command = ["/usr/bin/python3", "-c", PLAYER, MEDIA / name, str(seed)]
    subprocess.run(command, env=ENVIRONMENT | debug, check=True, timeout=60)
    return log


def replay(log):
    return subprocess.run([ROOT / "scripts" / "replay", log], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["sample.flac", "short.wav"])
def test_a_record_of_a_pipeline_plays_again(tmp_path, name, seed):
    result = replay(record(tmp_path, name, seed))
    assert result.returncode == 0, result.stdout[-2000:]
    assert result.stdout.endswith("the same.\n")
    assert int(result.stdout.split()[2]) > 50


def test_an_action_that_differs_is_shown(tmp_path):
    log = record(tmp_path, "sample.flac", 9)
    lines = log.read_text().splitlines(keepends=True)
    frames = [n for n, line in enumerate(lines) if "play next kind=5 " in line]
    place = random.Random(1).choice(frames)
    lines[place] = lines[place].replace(" frames=", " frames=1")
    log.write_text("".join(lines))
    result = replay(log)
    assert result.returncode == 1
    assert "frames was 1" in result.stdout
