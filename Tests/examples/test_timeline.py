# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests timescale as a rate effect in GStreamer Editing Services (GES), and revbuf as the effect of
# a clip.

import shutil
import subprocess

import numpy as np
import pytest
from support import EXAMPLES, MEDIA, ffmpeg_samples, ffprobe, mostly_long, pitch, run, write_wav

RATE = 48000
SECONDS = 4


def rising(times: np.ndarray) -> np.ndarray:
    """Returns a tone of 300 Hz in the first second, 600 Hz in the next, and so on, so that the
    pitch tells the position."""
    return 0.5 * np.sin(2 * np.pi * 300 * (np.floor(times) + 1) * times)


@pytest.mark.parametrize("rate", mostly_long(["2", "0.5", "1.25", "0.8"], "2"))
def test_a_clip_lasts_as_long_as_its_rate_says(tmp_path, rate):
    wave = rising(np.arange(SECONDS * RATE) / RATE)
    source = write_wav(tmp_path / "in.wav", RATE, np.stack([wave, wave], axis=1))
    result = run(EXAMPLES / "edit-timeline.py", source, "out.wav", rate, cwd=tmp_path)
    speed, total = float(rate), 2 + 2 / float(rate)
    # GES must know the scaled duration of the clip
    assert f"the whole file takes {SECONDS / speed:.3f} s" in result.stdout
    assert f"the timeline lasts {total:.3f} s" in result.stdout
    assert ffprobe(tmp_path / "out.wav")["seconds"] == pytest.approx(total, abs=1 / RATE)

    samples = ffmpeg_samples(tmp_path / "out.wav")[:, 0]
    clip = samples[2 * RATE :]
    second = int(RATE / speed)
    # both clips begin at the start of the file
    for place in range(2):
        assert pitch(samples[place * RATE :][:RATE], RATE) == pytest.approx(300 * (place + 1), abs=3)
        assert pitch(clip[place * second :][:second], RATE) == pytest.approx(300 * (place + 1) * speed, abs=6)


def test_a_clip_keeps_its_pitch(tmp_path):
    wave = 0.5 * np.sin(2 * np.pi * 440 * np.arange(SECONDS * RATE) / RATE)
    source = write_wav(tmp_path / "in.wav", RATE, np.stack([wave, wave], axis=1))
    result = run(EXAMPLES / "edit-timeline.py", source, "out.wav", "1.25", "--keep-pitch", cwd=tmp_path)
    assert "the timeline lasts 3.600 s" in result.stdout
    clip = ffmpeg_samples(tmp_path / "out.wav")[2 * RATE :, 0]
    assert len(clip) == pytest.approx(1.6 * RATE, abs=1)
    assert pitch(clip, RATE) == pytest.approx(440, abs=1.5)
    # the clip contains sound from its first to its last frames
    heard = np.flatnonzero(np.abs(clip) > 0.02)
    assert heard[0] < 24 and len(clip) - heard[-1] < 24


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    result = run(EXAMPLES / "edit-timeline.py", "none.wav", "out.wav", "2", cwd=tmp_path, status=1)
    assert result.stderr == "edit-timeline.py: there is no file none.wav\n"


def test_the_input_is_not_overwritten(tmp_path):
    source = tmp_path / "in.wav"
    shutil.copy(MEDIA / "speech.wav", source)
    (tmp_path / "link.wav").symlink_to(source)
    for target in ("in.wav", "link.wav"):
        result = run(EXAMPLES / "edit-timeline.py", source, target, "2", cwd=tmp_path, status=1)
        assert result.stderr == f"edit-timeline.py: {target} is the input, which must not be overwritten\n"
    assert source.read_bytes() == (MEDIA / "speech.wav").read_bytes()


# ---- clips backwards: in-points and out-points ------------------------------

# The sample rate at which GES mixes and renders, so that samples are not changed.
NUMBERED_RATE = 44100
# (in-point, duration), in seconds of the file
CLIPS = [(10.0, 3.0), (10.0, 0.6), (0.2, 1.5), (0.0, 2.0), (17.5, 2.5)]
MIXING = {"mixed": [], "alone": ["--disable-mixing"]}


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """A FLAC file of 20 s in which each frame contains its own number: the low 16 bits in the left
    channel, the high 16 bits in the right channel."""
    path = tmp_path_factory.mktemp("numbered") / "numbered.flac"
    frames = np.arange(20 * NUMBERED_RATE)
    samples = np.stack([frames % 65536 - 32768, frames // 65536], axis=1).astype("<i2")
    command = ["ffmpeg", "-v", "error", "-f", "s16le", "-ar", str(NUMBERED_RATE), "-ac", "2", "-i", "-", path]
    subprocess.run(command, input=samples.tobytes(), check=True)
    return path


def frames_heard(path):
    samples = np.round(ffmpeg_samples(path) * 32768).astype(int)
    return samples[:, 0] + 32768 + 65536 * samples[:, 1]


def render(folder, source, clips, *options):
    """Renders clips of `source`, each a tuple (in-point, duration, effect, …). Returns the numbers
    in the frames of the output."""
    target = folder / "out.ogg"
    timeline = []
    for inpoint, duration, *effects in clips:
        timeline += ["+clip", source, f"inpoint={inpoint}", f"duration={duration}"]
        for effect in effects:
            timeline += ["+effect", effect]
    # 24 bits, because GStreamer 1.28 would choose 32, which the FFmpeg of Debian 12 cannot read.
    encode = ["-o", target.as_uri(), "-f", "application/ogg:audio/x-raw,format=S24_32LE->audio/x-flac"]
    run("ges-launch-1.0", *options, "--track-types=audio", *encode, *timeline)
    return frames_heard(target)


def render_backwards(folder, source, clips, *options):
    return render(folder, source, [(*clip, "revbuf direction=reverse") for clip in clips], *options)


def downwards(inpoint, duration):
    start, count = round(inpoint * NUMBERED_RATE), round(duration * NUMBERED_RATE)
    return np.arange(start + count - 1, start - 1, -1)


@pytest.mark.long
@pytest.mark.parametrize("mixing", MIXING)
@pytest.mark.parametrize(("inpoint", "duration"), CLIPS)
def test_a_reversed_clip_lies_between_its_in_and_out_points(tmp_path, numbered, inpoint, duration, mixing):
    # twice: without mixing, the composition may seek before or after the first audio
    for _ in range(2 if mixing == "alone" else 1):
        heard = render_backwards(tmp_path, numbered, [(inpoint, duration)], *MIXING[mixing])
        assert np.array_equal(heard, downwards(inpoint, duration))


@pytest.mark.parametrize("mixing", mostly_long(MIXING, "mixed"))
def test_reversed_clips_in_a_row_are_played_exactly(tmp_path, numbered, mixing):
    heard = render_backwards(tmp_path, numbered, CLIPS, *MIXING[mixing])
    assert np.array_equal(heard, np.concatenate([downwards(*clip) for clip in CLIPS]))


REVERSE = "revbuf direction=reverse"


@pytest.mark.long
@pytest.mark.parametrize(
    "effects",
    [
        [REVERSE],
        [f"{REVERSE} mode=collect"],
        ["timescale rate=2"],
        [REVERSE, "timescale rate=2"],
        ["timescale rate=2", REVERSE],
    ],
    ids=" ".join,
)
def test_a_clip_after_a_reversed_one_is_played_to_its_end(tmp_path, numbered, effects):
    # without mixing, the start of the next clip depends on the end of this clip's output
    first, second = (10.0, 2.0), (17.0, 1.5)
    alone = render(tmp_path, numbered, [second], "--disable-mixing")
    heard = render(tmp_path, numbered, [(*first, *effects), second], "--disable-mixing")
    # GES may play one frame more of a clip, because its out-point is inclusive
    assert len(heard) - len(alone) - first[1] * NUMBERED_RATE in (0, 1)
    assert np.array_equal(heard[-len(alone) :], alone)
    assert len(alone) - second[1] * NUMBERED_RATE in (0, 1)


# ---- clips backwards at another speed, with both effects ------------------------

KEPT = "timescale rate={} keep-pitch=true window=low-latency"


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    path = tmp_path_factory.mktemp("noise") / "noise.flac"
    sound = f"anoisesrc=d=12:c=pink:r={NUMBERED_RATE}:seed=3:a=0.4"
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", sound, "-ac", "2", "-c:a", "flac", path)
    return path


def render_samples(folder, source, clips, *options):
    render(folder, source, clips, *options)
    return ffmpeg_samples(folder / "out.ogg")


RATES = [("1.25", "mixed"), ("0.8", "alone"), ("0.5", "mixed")]


@pytest.mark.long
@pytest.mark.parametrize(("rate", "mixing"), RATES)
def test_a_clip_that_is_scaled_first_is_the_reverse_of_the_scaled_clip(tmp_path, noise, rate, mixing):
    """GES places the effect that is added last next to the source, so the clip is scaled first."""
    place, seconds = 3.0, 2.0
    frames = round(seconds * NUMBERED_RATE)
    scale = KEPT.format(rate)
    forward = render_samples(tmp_path, noise, [(place, seconds, scale)], *MIXING[mixing])
    backward = render_samples(tmp_path, noise, [(place, seconds, REVERSE, scale)], *MIXING[mixing])
    assert len(forward) - frames in (0, 1)
    assert np.array_equal(backward, forward[:frames][::-1])


@pytest.mark.long
@pytest.mark.parametrize(("rate", "mixing"), RATES)
def test_a_clip_that_is_reversed_first_lasts_as_long_as_it_is_said_to(tmp_path, noise, rate, mixing):
    backward = render_samples(tmp_path, noise, [(3.0, 2.0, KEPT.format(rate), REVERSE)], *MIXING[mixing])
    assert len(backward) == 2 * NUMBERED_RATE


@pytest.mark.long
def test_a_clip_after_a_collected_one_begins_in_its_place(tmp_path, noise):
    effects = [REVERSE, KEPT.format("0.8")]
    alone = render_samples(tmp_path, noise, [(8.0, 1.0)], "--disable-mixing")
    both = render_samples(tmp_path, noise, [(3.0, 2.0, *effects), (8.0, 1.0)], "--disable-mixing")
    assert np.array_equal(both[2 * NUMBERED_RATE :], alone)
