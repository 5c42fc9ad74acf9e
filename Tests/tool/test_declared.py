# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that the output has every frame that container and codec declare, also where GStreamer seeks
# to other audio, reads a header in another way than FFmpeg, or decodes frames that are none.

import struct
import subprocess
import wave

import numpy as np
import pytest
from flacfile import flac
from toolrun import ENVIRONMENT, assert_nothing_left, events, ffmpeg, mostly_long, samples, tool

RATE = 44100
FRAMES = 57331
SOUND = f"aevalsrc=0.3*sin(2*PI*(200+70*t)*t)+0.02*random(0)|0.3*sin(2*PI*(270+40*t)*t)+0.02*random(1):s={RATE}:d=1.3"


@pytest.fixture(scope="module")
def wav(tmp_path_factory):
    path = tmp_path_factory.mktemp("declared") / "sound.wav"
    ffmpeg("-f", "lavfi", "-i", SOUND, "-af", f"apad=whole_len={FRAMES}", path)
    return path


def made(folder, name, wav, *options):
    ffmpeg("-i", wav, *options, folder / name)
    return folder / name


def turned(folder, path, *words):
    tool(folder, "reverse", *words, path, "-o", "new.wav")
    return samples(folder / "new.wav")


def wavfile_of(path, frames):
    with wave.open(str(path), "wb") as file:
        file.setparams((frames.shape[1], 2, RATE, 0, "NONE", ""))
        file.writeframes(frames.astype("<i2").tobytes())


def blocks(seed, channels, *sizes):
    random = np.random.default_rng(seed)
    return [random.integers(-9000, 9000, (size, channels)) for size in sizes]


def test_flac_with_blocks_of_different_sizes(tmp_path):
    parts = blocks(1, 2, *[4608, 16, 1152, 576, 4096, 192] * 6)
    whole = np.concatenate(parts) / 2**15
    (tmp_path / "old.flac").write_bytes(flac([(part, RATE) for part in parts], len(whole)))
    assert np.array_equal(turned(tmp_path, "old.flac"), whole[::-1])
    assert np.array_equal(turned(tmp_path, "old.flac", "--region", "0.5-1", "-f"), whole[RATE // 2 : RATE][::-1])
    assert_nothing_left(tmp_path, "old.flac", "new.wav")


def test_flac_whose_channels_change_is_decoded_to_its_end(tmp_path):
    first, second = blocks(2, 2, *[4096] * 8), blocks(3, 1, *[4096] * 8)
    (tmp_path / "old.flac").write_bytes(flac([(part, RATE) for part in first + second]))
    found = turned(tmp_path, "old.flac")[::-1]
    assert np.array_equal(found[: 8 * 4096], np.concatenate(first) / 2**15)
    assert np.array_equal(found[8 * 4096 :], np.repeat(np.concatenate(second) / 2**15, 2, axis=1))


def test_flac_of_which_only_a_part_is_read_is_an_error(tmp_path):
    parts = [(part, RATE if index < 8 else 24000) for index, part in enumerate(blocks(4, 2, *[4096] * 16))]
    # GStreamer skips blocks of another rate if the header limits their size
    (tmp_path / "old.flac").write_bytes(flac(parts, most_bytes=16500))
    told = tool(tmp_path, "reverse", "old.flac", "-o", "new.wav", status=1).stderr
    assert "old.flac: GStreamer reads only a part of it" in told
    assert_nothing_left(tmp_path, "old.flac")


@pytest.mark.parametrize("seconds", [1.3, 5])
def test_mp3_whose_rate_changes_is_decoded_to_its_end(tmp_path, seconds):
    bare = ["-ac", 2, "-c:a", "libmp3lame", "-write_xing", 0, "-id3v2_version", 0]
    parts = []
    for rate in (44100, 24000):
        ffmpeg("-f", "lavfi", "-i", f"sine=d={seconds}:r={rate}", *bare, tmp_path / "part.mp3")
        parts.append((tmp_path / "part.mp3").read_bytes())
    (tmp_path / "both.mp3").write_bytes(b"".join(parts))
    # each part has up to 3 packets of silence
    assert 2 * seconds * RATE < len(turned(tmp_path, "both.mp3")) < 2 * seconds * RATE + 6 * 1152
    # the length is known though no header declares it
    assert len(turned(tmp_path, "both.mp3", "--last", "0.5", "-f")) == pytest.approx(0.5 * RATE, abs=RATE / 200)


def test_mp3_that_lacks_half_of_its_packets_is_an_error(tmp_path, wav):
    content = bytearray(made(tmp_path, "whole.mp3", wav, "-c:a", "libmp3lame").read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    (tmp_path / "old.mp3").write_bytes(content)
    told = tool(tmp_path, "reverse", "old.mp3", "-o", "new.wav", status=1).stderr
    assert "old.mp3: the file is cut off: it should have 1.3 s, but has 0.68 s;" in told
    assert_nothing_left(tmp_path, "old.mp3", "whole.mp3")


@pytest.mark.parametrize("channels", [1, 2])
def test_au_of_24_bits(tmp_path, wav, channels):
    path = made(tmp_path, "old.au", wav, "-ac", channels, "-c:a", "pcm_s24be")
    whole = samples(path)
    assert np.array_equal(turned(tmp_path, path), whole[::-1])
    assert np.array_equal(turned(tmp_path, path, "--region", "0.3217-0.7", "-f"), whole[round(0.3217 * RATE) : round(0.7 * RATE)][::-1])


@pytest.mark.parametrize("byte_rate", [0, 88200, 352800])
def test_wav_with_a_wrong_byte_rate(tmp_path, wav, byte_rate):
    content = bytearray(wav.read_bytes())
    content[28:32] = struct.pack("<I", byte_rate)
    (tmp_path / "old.wav").write_bytes(content)
    whole = samples(wav)
    assert np.array_equal(turned(tmp_path, "old.wav"), whole[::-1])
    assert len(turned(tmp_path, "old.wav", "--last", "0.25", "-f")) == round(0.25 * RATE)
    assert np.array_equal(turned(tmp_path, "old.wav", "--region", "0.5-1", "-f"), whole[RATE // 2 : RATE][::-1])


@pytest.mark.parametrize("channels, mask", [(2, 1), (4, 7), (2, 0)])
def test_channels_are_kept_whatever_the_mask(tmp_path, channels, mask):
    frames = np.concatenate(blocks(5, channels, RATE)).astype("<i2")
    guid = bytes.fromhex("0100000000001000800000aa00389b71")
    form = struct.pack("<HHIIHHHHI", 0xFFFE, channels, RATE, 2 * channels * RATE, 2 * channels, 16, 22, 16, mask) + guid
    chunks = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", frames.nbytes) + frames.tobytes()
    (tmp_path / "old.wav").write_bytes(b"RIFF" + struct.pack("<I", len(chunks)) + chunks)
    assert np.array_equal(turned(tmp_path, "old.wav"), frames[::-1] / 2**15)


@pytest.mark.parametrize("channels", mostly_long([3, 7, 12, 63], 3, 12))
def test_wav_without_positions_of_its_channels(tmp_path, channels):
    """`wavparse` knows positions for 1, 2, 4, 5, 6 and 8 channels."""
    frames = np.concatenate(blocks(6, channels, 4410))
    wavfile_of(tmp_path / "old.wav", frames)
    assert np.array_equal(turned(tmp_path, "old.wav"), frames[::-1] / 2**15)


@pytest.mark.parametrize("codec, after", [("pcm_u8", b""), ("pcm_s24le", b""), ("pcm_s16le", b"x"), ("pcm_s16le", bytes(4097))])
def test_wav_of_an_odd_length_or_with_bytes_after_its_end(tmp_path, wav, codec, after):
    """`wavparse` gives no sound if 1 to 7 bytes follow the last chunk, and the pad byte is one."""
    path = made(tmp_path, "old.wav", wav, "-ac", 1, "-fflags", "+bitexact", "-c:a", codec)
    whole = samples(path)
    assert len(whole) % 2 == 1
    path.write_bytes(path.read_bytes() + after)
    assert np.array_equal(turned(tmp_path, path), whole[::-1])
    assert np.array_equal(turned(tmp_path, path, "--last", 0.1, "-f"), whole[-RATE // 10 :][::-1])


def test_aiff_has_no_frame_for_its_pad_byte(tmp_path, wav):
    path = made(tmp_path, "old.aiff", wav, "-ac", 1, "-c:a", "pcm_s8")
    assert len(turned(tmp_path, path)) == FRAMES


@pytest.mark.parametrize("bits, count", mostly_long([(24, 4), (20, 4), (16, 3), (8, 2)], (24, 4), (16, 3)))
def test_samples_in_more_bytes_than_their_bits_need(tmp_path, bits, count):
    frames = np.concatenate(blocks(7, 2, 4410)).astype("<i4") >> 16 - min(bits, 16) << 32 - min(bits, 16)
    content = frames.view("u1").reshape(-1, 4)[:, 4 - count :].tobytes()
    form = struct.pack("<HHIIHH", 1, 2, RATE, 2 * count * RATE, 2 * count, bits)
    chunks = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(content)) + content
    (tmp_path / "old.wav").write_bytes(b"RIFF" + struct.pack("<I", len(chunks)) + chunks)
    assert np.array_equal(turned(tmp_path, "old.wav"), frames[::-1] / 2**31)


@pytest.mark.parametrize("layout, count", [("6.1", 7), ("7.1", 8)])
def test_the_order_of_7_and_8_channels_in_flac(tmp_path, layout, count):
    tones = "|".join(f"0.1*sin(2*PI*{100 * channel}*t)" for channel in range(1, count + 1))
    ffmpeg("-f", "lavfi", "-i", f"aevalsrc={tones}:s={RATE}:d=0.5:channel_layout={layout}", "-c:a", "flac", tmp_path / "old.flac")
    whole = samples(tmp_path / "old.flac")
    assert np.array_equal(turned(tmp_path, "old.flac"), whole[::-1])
    # and back into FLAC
    tool(tmp_path, "reverse", "new.wav", "-o", "again.flac")
    assert np.array_equal(samples(tmp_path / "again.flac"), whole)


def test_mp3_of_ffmpeg_loses_the_silence_of_its_encoder(tmp_path, wav):
    path = made(tmp_path, "old.mp3", wav, "-c:a", "libmp3lame")
    found = turned(tmp_path, path)[::-1]
    assert len(found) == len(samples(path)) == FRAMES
    assert np.abs(found - samples(path)).max() <= 1 / 2**15


def test_opus_in_webm_is_as_ffmpeg_decodes_it(tmp_path, wav):
    """The channels are opposite, which Opus codes as an inversion of the phase."""
    path = made(tmp_path, "old.webm", wav, "-af", "pan=stereo|c0=c0|c1=-0.9*c0", "-c:a", "libopus")
    expected = samples(path)
    found = turned(tmp_path, path)[::-1]
    count = min(len(found), len(expected))
    assert np.abs(found[:count] - expected[:count]).max() < 0.02


def test_opus_that_begins_in_the_middle_of_a_recording_loses_its_pre_skip(tmp_path, wav):
    """The granule positions of Opus from WebM begin at 360 instead of 0."""
    made(tmp_path, "old.webm", wav, "-c:a", "libopus")
    ffmpeg("-i", tmp_path / "old.webm", "-c", "copy", tmp_path / "old.opus")
    expected = samples(tmp_path / "old.opus")
    assert np.array_equal(turned(tmp_path, "old.opus", "-j", "1")[::-1], expected)
    assert np.array_equal(turned(tmp_path, "old.opus", "-f")[::-1], expected)


@pytest.mark.parametrize(
    "codec, frames",
    mostly_long([("aac", 57331), ("aac", 57000), ("aac", 56321), ("aac", 441), ("libopus", 57331), ("libmp3lame", 57331), ("ac3", 57331)], ("aac", 57000)),
)
def test_mp4_with_silence_of_the_encoder_has_all_frames(tmp_path, codec, frames):
    """The demuxer leaves out a packet that begins after the duration of the movie, does not count the
    silence, and rounds both to milliseconds."""
    path = tmp_path / "old.mp4"
    # noise of the decoder would be different each time
    sound = ["-f", "lavfi", "-i", SOUND.replace("d=1.3", "d=2"), "-af", f"atrim=end_sample={frames}"]
    ffmpeg(*sound, "-c:a", codec, *(["-aac_pns", 0] if codec == "aac" else []), path)
    expected = samples(path)
    count = {"libopus": 62402, "ac3": len(expected)}.get(codec, frames)
    for words in (["-j", 1], ["-j", 2]):
        found = turned(tmp_path, path, *words, "-f")[::-1]
        assert len(found) == count
        # FFmpeg leaves out a packet of which only one frame is sound
        both = min(count, len(expected))
        # the decoders of AC-3 and Opus are others
        assert np.abs(found[:both] - expected[:both]).max() < {"ac3": 0.1, "libopus": 0.01}.get(codec, 1e-4)
    tool(tmp_path, "scale", "--factor", 2, path, "-o", "long.wav")
    assert len(samples(tmp_path / "long.wav")) == 2 * count


@pytest.mark.parametrize("name, codec", [("old.oga", "flac"), ("old.mka", "flac"), ("old.mka", "wavpack"), ("old.m4a", "aac")])
def test_short_sound_has_all_frames(tmp_path, wav, name, codec):
    """Of FFmpeg's FLAC in one page of Ogg, GStreamer clips a frame, and Matroska counts a last packet of
    lossless sound as a full one, also in its duration. An MP4 rounds short sound to nothing."""
    for frames in (1, 4609, 44101):
        path = made(tmp_path, name, wav, "-af", f"atrim=end_sample={frames}", "-c:a", codec)
        tool(tmp_path, "reverse", path, "-o", "new.wav", "-f")
        assert len(samples(tmp_path / "new.wav")) == frames
        if name == "old.mka":
            continue
        (told,) = events(tool(tmp_path, "info", "--json", path))
        assert told["duration"] == pytest.approx(frames / RATE, abs=1e-5)
        if codec != "aac":
            assert np.array_equal(samples(tmp_path / "new.wav"), samples(wav)[:frames][::-1])
            region = turned(tmp_path, path, "--last", 0.05, "-f")
            assert np.array_equal(region, samples(wav)[max(frames - 2205, 0) : frames][::-1])


def test_wma_ends_with_its_last_packet(tmp_path, wav):
    """ASF rounds its length to milliseconds, at which GStreamer clips."""
    path = made(tmp_path, "old.wma", wav, "-c:a", "wmav2")
    counted = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", path], check=True, capture_output=True, text=True)
    assert len(turned(tmp_path, path)) == 2048 * int(counted.stdout)
    assert len(turned(tmp_path, path, "--last", 0.25, "-f")) == pytest.approx(0.25 * RATE, abs=RATE / 500)


@pytest.mark.parametrize("name", mostly_long(["chapters.m4a", "film.mp4", "film.mov", "two.m4a"], "chapters.m4a", "film.mp4"))
def test_mp4_of_several_tracks_has_its_last_packet(tmp_path, wav, name):
    """The demuxer leaves out a packet that begins after the duration of the movie."""
    (tmp_path / "chapter.txt").write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle=one\n")
    other = {
        "chapters": ["-i", tmp_path / "chapter.txt", "-map_metadata", 1],
        "film": ["-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=1.3", "-map", 0, "-map", 1, "-c:v", "libx264"],
        "two": ["-i", wav, "-map", 0, "-map", 1],
    }[name.partition(".")[0]]
    path = made(tmp_path, name, wav, *other, "-c:a", "aac", "-aac_pns", 0)
    alone = made(tmp_path, "alone.m4a", wav, "-c:a", "aac", "-aac_pns", 0)
    found, expected = turned(tmp_path, path)[::-1], samples(alone)[:FRAMES]
    # the others round their length to a millisecond
    assert len(found) == pytest.approx(FRAMES, abs=0 if name == "chapters.m4a" else RATE // 1000)
    both = min(len(found), FRAMES)
    assert np.abs(found[:both] - expected[:both]).max() < 1e-4
    assert "missing" not in tool(tmp_path, "scale", "--factor", 2, path, "-o", "long.wav").stderr


def test_gapless_tag_after_two_id3_tags(tmp_path, wav):
    path = made(tmp_path, "old.mp3", wav, "-c:a", "libmp3lame")
    path.write_bytes(b"ID3\x04\x00\x00\x00\x00\x00\x14" + bytes(20) + path.read_bytes())
    assert len(turned(tmp_path, path)) == FRAMES


DAMAGED = [("ogg", "libvorbis"), ("opus", "libopus"), ("oga", "flac"), ("wv", "wavpack"), ("aac", "aac"), ("ac3", "ac3"), ("flv", "libmp3lame")]


@pytest.mark.parametrize("ending, codec", mostly_long(DAMAGED, DAMAGED[0], DAMAGED[4]))
def test_sound_that_is_missing_inside_is_an_error(tmp_path, ending, codec):
    """In Ogg and WavPack, the output would have silence there."""
    ffmpeg("-f", "lavfi", "-i", SOUND.replace("d=1.3", "d=12"), "-c:a", codec, tmp_path / f"whole.{ending}")
    content = bytearray((tmp_path / f"whole.{ending}").read_bytes())
    start, end = len(content) * 4 // 10, len(content) * 5 // 10
    content[start:end] = bytes(end - start)
    (tmp_path / f"old.{ending}").write_bytes(content)
    told = tool(tmp_path, "reverse", f"old.{ending}", "-o", "new.wav", status=1).stderr
    assert "damaged" in told and "missing inside" in told or "only 8" in told or "cannot be decoded" in told or "it should have 12.0 s" in told
    assert_nothing_left(tmp_path, f"old.{ending}", f"whole.{ending}")
    tool(tmp_path, "reverse", "--incomplete", f"old.{ending}", "-o", "new.wav")
    # FLV ends there
    assert (3 if ending == "flv" else 9) * RATE < len(samples(tmp_path / "new.wav")) < 11.5 * RATE


def test_a_region_after_a_gap_is_the_one_at_that_time(tmp_path):
    """The sound from 5 s on is 2 s later. Matroska rounds its times to milliseconds."""
    ffmpeg("-f", "lavfi", "-i", SOUND.replace("d=1.3", "d=10"), "-af", r"asetpts=PTS+gt(T\,5)*2/TB", "-c:a", "flac", tmp_path / "gap.mka")
    ffmpeg("-f", "lavfi", "-i", SOUND.replace("d=1.3", "d=10"), "-c:a", "flac", tmp_path / "whole.flac")
    assert "2.0 s are missing inside" in tool(tmp_path, "reverse", "gap.mka", "-o", "new.wav", status=1).stderr
    tool(tmp_path, "reverse", "--incomplete", "--region", "8-9", "gap.mka", "-o", "new.wav")
    found, whole = samples(tmp_path / "new.wav")[::-1], samples(tmp_path / "whole.flac")
    assert len(found) == RATE
    starts = range(6 * RATE - RATE // 1000, 6 * RATE + RATE // 1000 + 1)
    assert any(np.array_equal(found[100:-100], whole[start + 100 : start + RATE - 100]) for start in starts)
    tool(tmp_path, "reverse", "--incomplete", "--region", "8-9", "--keep-rest", "gap.mka", "-o", "all.wav")
    assert len(samples(tmp_path / "all.wav")) == len(whole)


def test_one_lost_block_of_flac_is_an_error(tmp_path):
    ffmpeg("-f", "lavfi", "-i", SOUND.replace("d=1.3", "d=12"), "-c:a", "flac", tmp_path / "whole.flac")
    content = bytearray((tmp_path / "whole.flac").read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    (tmp_path / "old.flac").write_bytes(content)
    assert "old.flac: 0.104 s of its sound cannot be decoded" in tool(tmp_path, "reverse", "old.flac", "-o", "new.wav", status=1).stderr
    assert_nothing_left(tmp_path, "old.flac", "whole.flac")
    assert len(turned(tmp_path, "old.flac", "--incomplete")) == 12 * RATE - 4608


def test_no_frame_follows_the_end(tmp_path, wav):
    path = made(tmp_path, "old.ogg", wav, "-c:a", "libvorbis")
    found = turned(tmp_path, path)[::-1]
    assert len(found) == len(samples(path))
    assert np.abs(found - samples(path)).max() < 1e-4
    tool(tmp_path, "scale", "--factor", 2, path, "-o", "long.wav")
    assert len(samples(tmp_path / "long.wav")) == 2 * len(found)


def starts(path):
    command = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_type,start_time", "-of", "csv=p=0", path]
    return dict(line.split(",")[:2] for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("name, codec", [("late.mkv", "flac"), ("late.mp4", "alac")])
def test_sound_that_begins_late_is_whole_and_stays_late(tmp_path, wav, name, codec):
    film = ["-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=2"]
    ffmpeg(*film, "-itsoffset", 0.5, "-i", wav, "-map", 0, "-map", 1, "-c:v", "libx264", "-c:a", codec, tmp_path / name)
    told = tool(tmp_path, "reverse", "--keep-video", name, "-o", f"new-{name}").stderr
    assert "missing" not in told
    assert float(starts(tmp_path / f"new-{name}")["audio"]) == pytest.approx(0.5, abs=0.001)
    assert np.array_equal(samples(tmp_path / f"new-{name}")[:FRAMES], samples(wav)[::-1])


def test_late_sound_alone_is_whole(tmp_path, wav):
    ffmpeg("-itsoffset", 0.5, "-i", wav, "-c:a", "flac", tmp_path / "late.mka")
    tool(tmp_path, "reverse", "late.mka", "-o", "new.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(wav)[::-1])


@pytest.mark.long
@pytest.mark.parametrize("frames", [883634, 883635, 883636, 883637])
def test_vorbis_ends_at_its_declared_frame(tmp_path, forward, frames):
    path = tmp_path / "noise.ogg"
    sound = f"anoisesrc=a=0.2:r=44100:d=21:seed=1,atrim=end_sample={frames}"
    ffmpeg("-f", "lavfi", "-i", sound, "-ac", 2, "-c:a", "libvorbis", path)
    assert np.array_equal(turned(tmp_path, path)[::-1], forward(path))


def test_noise_is_decoded_once(tmp_path, forward):
    """AAC of FFmpeg has noise that differs each time it is decoded."""
    path = tmp_path / "noise.m4a"
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=3:r=44100:a=0.3:seed=1", "-c:a", "aac", "-b:a", "48k", path)
    # GStreamer 1.22 decodes one frame before an M4A, and not its last packet
    decoded = forward(path)[1:]
    assert np.array_equal(turned(tmp_path, path)[::-1][: len(decoded)], decoded)


@pytest.mark.long
def test_a_loud_mp3_is_decoded_by_mpg123(tmp_path):
    """By default, decodebin prefers avdec_mp3, whose output for loud sound differs at each decode
    because of dither."""
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=r=44100:d=40:a=1:seed=1", "-ac", "2", "-c:a", "libmp3lame", "-b:a", "192k", tmp_path / "loud.mp3")
    command = "filesrc location=loud.mp3 ! mpegaudioparse ! mpg123audiodec ! audio/x-raw,format=S16LE ! wavenc ! filesink location=forward.wav"
    subprocess.run(["gst-launch-1.0", "-q", *command.split()], check=True, cwd=tmp_path, env=ENVIRONMENT, timeout=60)
    # mpegaudioparse keeps the silence of the encoder, which FFmpeg does not call LAME
    assert np.array_equal(turned(tmp_path, "loud.mp3"), samples(tmp_path / "forward.wav")[1105:][: 40 * 44100][::-1])
