# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares the output of the examples that scale files in time with the element in double precision,
# SoX and FFmpeg.

import numpy as np
import pytest
import wavfile
from support import MEDIA, SAMPLE, SOUNDS, decode, ffmpeg_samples, ffprobe, gst_launch, mostly_long, pitch, run, scaled_length, script

SHORT = [MEDIA / name for name in ("surround.flac", "sample.m4a")]
every_sound = pytest.mark.parametrize("path", mostly_long(SOUNDS, *SHORT), ids=lambda path: getattr(path, "name", None))


@every_sound
@pytest.mark.parametrize("factor", ["0.7"])
def test_n_frames_become_n_times_the_factor(tmp_path, path, factor):
    script(tmp_path, "scale-file.sh", f"--factor={factor}", path, "out.wav")
    scaled, forward = wavfile.read(tmp_path / "out.wav"), decode(path)
    assert (scaled.rate, scaled.channels) == (forward.rate, forward.channels)
    assert len(scaled.frames) == scaled_length(len(forward.frames), factor)


SPEEX_SECONDS = 3
SPEEX_RATE = 16000


@pytest.fixture(scope="module", params=["FFmpeg", "speexenc"])
def speex(request, tmp_path_factory):
    """A Speex file. If FFmpeg has made it, the first page ends 143 frames after the timestamp of
    the second page."""
    path = tmp_path_factory.mktemp("speex") / "noise.ogg"
    if request.param == "FFmpeg":
        noise = ["-f", "lavfi", "-i", f"anoisesrc=d={SPEEX_SECONDS}:r={SPEEX_RATE}:c=pink:seed=1:a=0.3"]
        run("ffmpeg", "-v", "error", *noise, "-c:a", "libspeex", path)
    else:
        noise = f"audiotestsrc wave=pink-noise num-buffers={SPEEX_SECONDS} samplesperbuffer={SPEEX_RATE}"
        gst_launch(f"{noise} ! audio/x-raw,rate={SPEEX_RATE} ! speexenc ! oggmux ! filesink location={path}")
    return path


def played(path, filters: str) -> np.ndarray:
    """Decodes a mono file and returns its samples after the filters. The final audioconvert clips
    buffers to the segment, as sinks do."""
    target = path.with_suffix(".f32")
    convert = "audioconvert ! audio/x-raw,format=F32LE"
    gst_launch(f"filesrc location={path} ! decodebin ! {filters} ! {convert} ! filesink location={target}")
    return np.fromfile(target, "<f4")


@pytest.mark.long
@pytest.mark.parametrize("filters", ["audioconvert", "revbuf direction=reverse", "revbuf direction=reverse mode=collect"])
@pytest.mark.parametrize("factor", ["1", "1.5", "0.8"])
def test_timestamps_that_run_back_a_little_cost_no_frame(speex, filters, factor):
    count = len(played(speex, "identity"))
    assert count >= SPEEX_SECONDS * SPEEX_RATE
    for options in ("", "keep-pitch=true"):
        scaled = played(speex, f"{filters} ! timescale factor={factor} {options}")
        assert len(scaled) == scaled_length(count, factor)


def test_a_factor_of_one_changes_nothing(tmp_path):
    source = MEDIA / "short.wav"
    script(tmp_path, "scale-file.sh", "--factor=1", source, "out.wav")
    assert np.array_equal(wavfile.read(tmp_path / "out.wav").frames, decode(source).frames)


TYPES = [("m4a", "aac", "mov"), ("opus", "opus", "ogg"), ("wav", "pcm_s16le", "wav"), ("aiff", "pcm_s16be", "aiff"), ("flac", "flac", "flac"), ("mp3", "mp3", "mp3"), ("ogg", "vorbis", "ogg")]


@pytest.mark.parametrize("kind, codec, container", mostly_long(TYPES, *TYPES[:2]))
def test_the_name_of_the_output_decides_its_type(tmp_path, tone, kind, codec, container):
    output = tmp_path / f"out.{kind}"
    script(tmp_path, "scale-keep-type.sh", "--factor=1.25", tone, output)
    found = ffprobe(output)
    assert (found["codec"], found["channels"]) == (codec, 2)
    assert container in found["container"]
    # the tolerance is one or two packets of the codec
    assert found["seconds"] == pytest.approx(1.25 * 88211 / 44100, abs=0.08)
    samples = ffmpeg_samples(output)
    assert pitch(samples[:, 0], found["rate"]) == pytest.approx(800, abs=2)
    assert pitch(samples[:, 1], found["rate"]) == pytest.approx(1200, abs=2)


@every_sound
def test_the_type_is_kept(tmp_path, path):
    result = script(tmp_path, "scale-keep-type.sh", "--factor=0.8", path)
    output = tmp_path / "out" / f"{path.stem}-scaled{path.suffix}"
    assert str(output) in result.stdout
    old, new = ffprobe(path), ffprobe(output)
    assert (new["codec"], new["channels"]) == (old["codec"], old["channels"])
    assert new["seconds"] == pytest.approx(0.8 * old["seconds"], abs=0.08)


def test_reversed_and_scaled_in_one_go_equals_one_after_the_other(tmp_path):
    script(tmp_path, "reverse-and-scale.sh", "--factor=1.3", SAMPLE, "both.wav")
    script(tmp_path, "reverse-file.sh", SAMPLE, "reversed.wav")
    script(tmp_path, "scale-file.sh", "--factor=1.3", "reversed.wav", "scaled.wav")
    both, expected = (wavfile.read(tmp_path / name) for name in ("both.wav", "scaled.wav"))
    assert len(both.frames) == scaled_length(len(decode(SAMPLE).frames), "1.3")
    assert np.array_equal(both.frames, expected.frames)


def test_varispeed_into_an_encoder(tmp_path, tone):
    script(tmp_path, "scale-into-encoder.sh", "--rate=2", tone, "fast.opus")
    found = ffprobe(tmp_path / "fast.opus")
    assert found["codec"] == "opus"
    assert found["seconds"] == pytest.approx(1, abs=0.03)
    samples = ffmpeg_samples(tmp_path / "fast.opus")
    assert pitch(samples[:, 0], 48000) == pytest.approx(2000, abs=3)
    assert pitch(samples[:, 1], 48000) == pytest.approx(3000, abs=3)
