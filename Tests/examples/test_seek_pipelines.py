# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests block seeks of revbuf in pipelines that applications build: with encoders, in playbin, and
# with timescale.

import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
import wavfile
from support import MEDIA, ffmpeg_samples, gst_launch, mostly_long, run, scaled_length

ENCODERS = {
    "flac": "flacenc",
    "mp3": "lamemp3enc target=bitrate bitrate=192 cbr=true",
    "ogg": "vorbisenc quality=0.7 ! oggmux",
    "opus": "audioresample ! opusenc bitrate=192000 ! oggmux",
    "m4a": "avenc_aac bitrate=192000 ! mp4mux",
}
SOURCE = MEDIA / "short.wav"
BACKWARD_FROM = Path(__file__).with_name("backward_from.py")


@pytest.fixture(scope="module")
def reversed_beforehand(tmp_path_factory):
    path = tmp_path_factory.mktemp("reversed") / "reversed.wav"
    run("sox", SOURCE, path, "reverse")
    return path


# Ogg is not tested in mode=collect, because that mode outputs larger buffers, which libvorbis
# encodes differently.
CASES = [(suffix, mode) for suffix in ENCODERS for mode in ("seek", "collect") if (suffix, mode) != ("ogg", "collect")]


@pytest.mark.parametrize(("suffix", "mode"), mostly_long(CASES, ("flac", "seek"), ("mp3", "seek")))
def test_an_encoder_gets_the_samples_of_a_reversed_file(tmp_path, suffix, mode, reversed_beforehand):
    ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
    encode = f"audioconvert ! {ENCODERS[suffix]} ! filesink location="
    gst_launch(f"filesrc location={SOURCE} ! wavparse ! revbuf direction=reverse mode={mode} ! {encode}{ours}")
    gst_launch(f"filesrc location={reversed_beforehand} ! wavparse ! {encode}{theirs}")
    decoded = ffmpeg_samples(ours, "-ar", "44100")
    assert np.array_equal(decoded, ffmpeg_samples(theirs, "-ar", "44100"))


DECODE_OGG = "oggdemux ! vorbisdec ! audioconvert dithering=none ! audio/x-raw,format=S16LE"
OFF = {"counts fewer frames": (-128, -128), "ends too early": (0, -700), "ends too late": (0, 300)}


def ogg_checksum(page):
    """Returns the CRC-32 of RFC 3533: polynomial 0x04c11db7, no inversion, no reflection."""
    crc = 0
    for byte in page:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x104C11DB7 if crc & 1 << 31 else 0)) & (1 << 33) - 1
    return crc


def move_granules(ogg, frames, frames_of_last):
    """Adds `frames` to the granule positions of all pages with sound except for the last page, and
    `frames_of_last` to the granule position of the last page."""
    pages = [b"OggS" + page for page in ogg.split(b"OggS")[1:]]
    for index, page in enumerate(pages):
        (granule,) = struct.unpack_from("<q", page, 6)
        if granule > 0:
            granule += frames_of_last if index == len(pages) - 1 else frames
            changed = bytearray(page[:6] + struct.pack("<q", granule) + page[14:22] + bytes(4) + page[26:])
            struct.pack_into("<I", changed, 22, ogg_checksum(changed))
            pages[index] = bytes(changed)
    return b"".join(pages)


@pytest.fixture(scope="module", params=mostly_long(OFF, "ends too early"))
def ogg_that_is_off(request, tmp_path_factory):
    """An Ogg Vorbis file whose times do not match its frames, and a WAV with all its frames
    reversed."""
    folder = tmp_path_factory.mktemp("off")
    path, truth = folder / f"{request.param}.ogg".replace(" ", "-"), folder / "reversed.wav"
    path.write_bytes(move_granules((MEDIA / "sample.ogg").read_bytes(), *OFF[request.param]))
    forward = folder / "forward.wav"
    gst_launch(f"filesrc location={path} ! {DECODE_OGG} ! wavenc ! filesink location={forward}")
    run("sox", forward, truth, "reverse")
    return path, truth


@pytest.mark.parametrize("suffix", mostly_long(ENCODERS, "flac"))
def test_an_encoder_gets_every_frame_where_the_times_are_off(tmp_path, suffix, ogg_that_is_off):
    path, reversed_wav = ogg_that_is_off
    ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
    encode = f"audioconvert ! {ENCODERS[suffix]} ! filesink location="
    gst_launch(f"filesrc location={path} ! {DECODE_OGG} ! revbuf direction=reverse ! {encode}{ours}")
    gst_launch(f"filesrc location={reversed_wav} ! wavparse ! {encode}{theirs}")
    assert np.array_equal(ffmpeg_samples(ours), ffmpeg_samples(theirs))


def test_the_scaled_reverse_has_every_frame_where_the_times_are_off(tmp_path, ogg_that_is_off):
    path, reversed_wav = ogg_that_is_off
    ours = tmp_path / "ours.flac"
    gst_launch(f"filesrc location={path} ! {DECODE_OGG} ! revbuf direction=reverse ! timescale factor=0.5 ! flacenc ! filesink location={ours}")
    frames = len(wavfile.read(reversed_wav).frames)
    assert len(ffmpeg_samples(ours)) == scaled_length(frames, "0.5")


def test_the_last_packet_of_scaled_sound_is_kept(tmp_path):
    """The encoder outputs its last packet after the end that the Ogg file declares; the segment
    must not cut the packet off."""
    ours, theirs = tmp_path / "ours.mp3", tmp_path / "theirs.mp3"
    scale = f"filesrc location={MEDIA / 'sample.ogg'} ! {DECODE_OGG} ! timescale factor=0.5"
    encode = f"{ENCODERS['mp3']} ! filesink location="
    gst_launch(f"{scale} ! {encode}{ours}")
    gst_launch(f"{scale} ! identity single-segment=true ! {encode}{theirs}")
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("codec", mostly_long(["pcm_s16be", "pcm_s32be", "pcm_f32be", "pcm_mulaw"], "pcm_s16be"))
def test_au_is_played_backwards(tmp_path, codec):
    """Tests a quirk: auparse answers a seek without a stop with a segment that stops at 0 and has
    another sequence number."""
    source, forward, backward = tmp_path / "in.au", tmp_path / "forward", tmp_path / "backward"
    loop = ["-stream_loop", "3", "-i", SOURCE]
    subprocess.run(["ffmpeg", "-v", "error", *loop, "-c:a", codec, source], check=True)
    decode = f"filesrc location={source} ! decodebin ! audioconvert ! audio/x-raw,format=F32LE ! "
    gst_launch(f"{decode} filesink location={forward}")
    gst_launch(f"{decode} revbuf direction=reverse ! filesink location={backward}")
    frames = np.fromfile(forward, "<f4").reshape(-1, 2)
    assert len(frames) > 4 * 44100
    assert np.array_equal(np.fromfile(backward, "<f4").reshape(-1, 2), frames[::-1])


@pytest.mark.parametrize("place", mostly_long(["end", "1000", "0.5", "0"], "end", "0.5"))
@pytest.mark.parametrize("mode", mostly_long(["seek", "auto"], "auto"))
@pytest.mark.parametrize("name", mostly_long(["short.wav", "sample.flac", "sample.mp3", "sample.ogg"], "sample.ogg"))
def test_a_file_plays_backwards_from_a_seek_in_paused(tmp_path, name, mode, place):
    """Until the seek, revbuf is in passthrough."""
    forward, backward = tmp_path / "forward", tmp_path / "backward"
    decode = f"filesrc location={MEDIA / name} ! decodebin ! audioconvert dithering=none ! audio/x-raw,format=S16LE"
    gst_launch(f"{decode} ! filesink location={forward}")
    run("/usr/bin/python3", BACKWARD_FROM, MEDIA / name, f"revbuf mode={mode}", place, backward)
    frames, heard = (np.fromfile(path, "<i2").reshape(-1, 2) for path in (forward, backward))
    if place != "end":
        frames = frames[: round(float(place) * 44100)]
    assert np.array_equal(heard, frames[::-1])
