# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the examples that run in real time: progress, live audio, playback.

import re
import subprocess

import numpy as np
import pytest
import wavfile
from support import ENVIRONMENT, MEDIA, ROOT, SAMPLE, decode, gst_launch, script


def test_progress_is_shown_while_collecting_and_sending(tmp_path):
    result = script(tmp_path, "show-progress.sh", "--sync=false", SAMPLE, "out.wav")
    percents = [int(number) for number in re.findall(r"Progress:.*?(\d+) ?%", result.stdout)]
    assert percents, result.stdout
    assert max(percents) == 100
    assert np.array_equal(wavfile.read(tmp_path / "out.wav").frames, decode(SAMPLE).frames[::-1])


@pytest.mark.long
def test_the_position_falls_while_the_reversed_file_is_sent(tmp_path):
    result = script(tmp_path, "show-progress.sh", MEDIA / "surround.flac", "out.wav")
    reports = re.findall(r"progressreport0 \([\d:]+\): (\d+) / (\d+) seconds", result.stdout)
    positions = [int(position) for position, _ in reports]
    assert len(positions) >= 3
    assert positions == sorted(positions, reverse=True)
    assert {duration for _, duration in reports} == {"3"}


@pytest.mark.long
@pytest.mark.parametrize("block", ["0.3"])
def test_a_live_source_is_reversed_block_by_block(tmp_path, block):
    script(tmp_path, "live-chunk-reverse.sh", "--seconds=1.4", f"--block={block}", "out.wav")
    gst_launch(
        "audiotestsrc wave=ticks apply-tick-ramp=true samplesperbuffer=480 num-buffers=140 !",
        "audio/x-raw,rate=48000 ! audioconvert ! wavenc ! filesink location=forward.wav",
        cwd=tmp_path,
    )
    forward, live = wavfile.read(tmp_path / "forward.wav"), wavfile.read(tmp_path / "out.wav")
    size = round(float(block) * 48000)
    blocks = [forward.frames[start : start + size][::-1] for start in range(0, len(forward.frames), size)]
    assert len(forward.frames) == 1.4 * 48000
    assert np.array_equal(live.frames, np.concatenate(blocks))


@pytest.mark.parametrize("name", ["sample.mp3", "surround.flac"])
def test_played_backwards_into_a_file_it_is_the_reversed_file(tmp_path, name):
    script(tmp_path, "reverse-playback.sh", "--sink=wav", MEDIA / name, "out.wav")
    assert np.array_equal(wavfile.read(tmp_path / "out.wav").frames, decode(MEDIA / name).frames[::-1])


def test_a_refused_seek_is_reported():
    command = [ROOT / "build/launch-examples/reverse-playback", "fd://0", "fakesink"]
    data = (MEDIA / "short.wav").read_bytes()
    result = subprocess.run(command, input=data, capture_output=True, env=ENVIRONMENT, timeout=60)
    assert result.returncode == 1
    assert result.stderr.count(b"\n") == 1
    assert b"refuse" in result.stderr
