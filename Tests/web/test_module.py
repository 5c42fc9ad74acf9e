# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the player for web pages in Node.js: its checks of arguments, its worker and worklet, and the WebAssembly
# module, whose output must be bit-identical with that of the plugin.

import json
from pathlib import Path

import numpy as np
import pytest
from support import MEDIA, ROOT, gst_launch, interpolations, mostly_long, run

HERE = Path(__file__).parent
RATE = 44100
FACTORS = (0.25, 0.8, 1, 1.5, 4)
SOUNDS = {
    "music": MEDIA / "sample.flac",
    "applause": ROOT / "web/sounds/applause-15-original.opus",
    "castanets": ROOT / "web/sounds/castanets-15-original.opus",
    "speech": MEDIA / "speech.wav",
}


def node(script, *arguments, **options):
    return run("node", HERE / script, *arguments, **options).stdout


# ---- scripts ------------------------------------------------------------------


def test_odd_values_are_refused_with_a_sentence(web):
    assert int(node("checks.mjs", web / "checks.js").split()[0]) > 50


def test_the_worker_is_told_once_of_each_gap(web):
    # the quanta 2, 3 and 6 have no frames
    assert node("worklet.mjs", web).split() == ["late", "after", "2", "late", "after", "6", "underruns", "3"]


def test_a_seek_makes_no_step_in_what_is_heard(web):
    """A level of 0.5 fades out and in, each within a quantum of 128 frames."""
    assert float(node("seek.mjs", web)) <= 1.01 * 0.5 / 128


def test_what_is_sought_is_heard_though_the_page_speaks_first(web):
    # the two blocks after the seek have 2048 frames, of which the first quantum (128 frames) fades in
    assert node("again.mjs", web).split() == ["0", str(2048 - 128)]


def test_the_player_of_a_page_plays_every_frame_it_should_and_says_where_it_is(web):
    assert int(node("player.mjs", web)) > 200_000


def test_j_k_and_l_double_stop_and_are_slow(web):
    expected = ["1 1 2 2 4 8 8", "1 -1 -2 -4 -8 -8", "1 1 0 0 -1", "0 0.25 0 -0.25 0 0", "0 0.25 0 0 1", "1 0 0 0 1"]
    assert node("keys.mjs", web / "keys.js").splitlines() == expected


def test_a_sound_whose_pieces_come_late_plays_every_frame_once(web):
    assert int(node("pieces.mjs", web)) > 60_000


def mp3s(folder):
    """Makes files of every kind of MP3, and of others. Returns their names, and what must be found in
    each: the sample rate, the channels, and the frames that FFmpeg decodes."""
    for name, options in {
        "cbr.mp3": "-b:a 128k", "vbr.mp3": "-q:a 4 -ar 48000", "plain.mp3": "-b:a 64k -write_xing 0 -id3v2_version 0",
        "tagged.mp3": "-b:a 320k -metadata title=Song", "mpeg2.mp3": "-ar 22050 -ac 1 -q:a 5", "mpeg25.mp3": "-ar 8000 -b:a 8k -ac 1",
        "none.flac": "", "none.m4a": "-c:a aac", "none.mp2": "", "none.wav": "",
    }.items():
        run("ffmpeg", "-v", "error", "-stream_loop", 2, "-i", MEDIA / "sample.flac", *options.split(), folder / name)
        yield name, options
    whole = (folder / "cbr.mp3").read_bytes()
    (folder / "late.mp3").write_bytes(bytes(1000) + whole[10_000:] + b"TAG" + bytes(125))
    (folder / "none.bin").write_bytes(np.random.default_rng(1).bytes(200_000))
    yield "late.mp3", ""
    yield "none.bin", ""


def test_the_frames_of_an_mp3_are_found_and_each_piece_has_its_own(web, tmp_path):
    names = [name for name, _ in mp3s(tmp_path)]
    found = node("mp3.mjs", web, *(tmp_path / name for name in names)).splitlines()
    for name, words in zip(names, found, strict=True):
        if name.startswith("none"):
            assert words == "none"
            continue
        about = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-of", "json", tmp_path / name).stdout)["streams"][0]
        rate, channels = int(about["sample_rate"]), about["channels"]
        run("ffmpeg", "-v", "error", "-i", tmp_path / name, "-f", "s16le", tmp_path / "samples", "-y")
        frames = (tmp_path / "samples").stat().st_size // 2 // channels
        assert words == f"{rate} {channels} {frames}", name


def test_where_mp3s_were_joined_the_tag_of_the_second_is_no_sound(web, tmp_path):
    run("ffmpeg", "-v", "error", "-i", MEDIA / "sample.flac", "-b:a", "128k", tmp_path / "song.mp3")
    run("ffmpeg", "-v", "error", "-i", MEDIA / "sample.flac", "-b:a", "96k", "-write_xing", 0, tmp_path / "joined.mp3")
    packets = 0
    for name in ("song.mp3", "joined.mp3"):
        packets += int(run("ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", tmp_path / name).stdout)
    with (tmp_path / "joined.mp3").open("ab") as joined:
        joined.write((tmp_path / "song.mp3").read_bytes())
    assert node("mp3.mjs", web, tmp_path / "joined.mp3").split() == [str(RATE), "2", str(1152 * packets)]


def test_a_wav_file_is_read_in_pieces_as_ffmpeg_reads_it(web, tmp_path):
    """Six channels and 24 bits make FFmpeg write WAVE_FORMAT_EXTENSIBLE."""
    kinds = ["pcm_u8", "pcm_s16le -ac 1", "pcm_s24le -ac 6", "pcm_s32le -ar 8000", "pcm_f32le", "pcm_f64le -ar 96000"]
    files = [tmp_path / f"{index}.wav" for index in range(len(kinds))]
    for file, kind in zip(files, kinds):
        run("ffmpeg", "-v", "error", "-stream_loop", 2, "-i", MEDIA / "sample.flac", "-metadata", "title=odd", "-c:a", *kind.split(), file)
    cut = tmp_path / "cut.wav"
    cut.write_bytes(files[1].read_bytes()[:-1001])
    for file, words in zip([*files, cut], node("wav.mjs", web, *files, cut).splitlines(), strict=True):
        about = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-of", "json", file).stdout)["streams"][0]
        expected = tmp_path / "expected"
        run("ffmpeg", "-v", "error", "-y", "-i", file, "-f", "f32le", expected)
        assert words == f"{about['sample_rate']} {about['channels']} {expected.stat().st_size // 4 // about['channels']}"
        assert Path(f"{file}.f32").read_bytes() == expected.read_bytes()


def test_what_is_no_wav_file_with_pcm_is_left_to_the_browser(web, tmp_path):
    whole = tmp_path / "whole.wav"
    run("ffmpeg", "-v", "error", "-i", MEDIA / "sample.flac", "-bitexact", whole)
    header = whole.read_bytes()[:44]
    chunks = b"RIFF\0\0\0\0WAVE" + bytes(8) * 100_000
    law = header[:20] + b"\7" + header[21:] + bytes(100)
    contents = [b"", b"RIFF", header, header[:30], header[36:] + bytes(100), chunks, law, header[:22] + b"\0" + header[23:] + bytes(100)]
    files = [tmp_path / str(index) for index in range(len(contents))]
    for file, content in zip(files, contents):
        file.write_bytes(content)
    assert node("wav.mjs", web, *files).split() == ["none"] * len(files)


def test_times_are_written_and_read_and_markers_stay_in_order(web):
    node("times.mjs", web / "times.js")


def test_a_tape_plays_every_frame_at_its_position_in_closed_form(web):
    assert int(node("tape.mjs", web)) > 300_000


# ---- the module ---------------------------------------------------------------


def test_of_many_seeks_that_wait_the_last_is_done(web):
    assert node("seeks.mjs", web).split() == ["100", "10000"]


@pytest.mark.parametrize("seeds", mostly_long([5, 60], 5))
def test_no_number_makes_the_module_trap(web, seeds):
    assert node("hostile.mjs", web, seeds, timeout=300).strip() == f"{300 * seeds} calls"


def test_a_loop_that_is_shorter_than_a_window_keeps_its_position(web):
    for line in node("loops.mjs", web).splitlines():
        _, frames, first, last = line.split()
        assert 0 <= float(first) <= float(last) <= float(frames), line


def test_no_loop_and_no_turn_loses_a_frame_or_plays_one_twice(web):
    assert int(node("passes.mjs", web)) > 90_000


def cases():
    """Yields (name, elements of the plugin, settings of the module) for each case. If the last word
    of the name is the name of a sound, this sound is processed, otherwise "music"."""
    yield "reverse", "revbuf direction=reverse mode=collect", {"reverse": True}
    for factor in FACTORS:
        for kind in interpolations():
            yield f"{kind} {factor}", f"timescale factor={factor} interpolation={kind}", {"speed": 1 / factor, "interpolation": kind}
        yield f"kept {factor}", f"timescale factor={factor} keep-pitch=true", {"speed": 1 / factor, "keepPitch": True}
    for window in ("music", "speech", "low-latency"):
        asked = {"speed": 1 / 1.25, "keepPitch": True, "window": window}
        yield f"{window} 1.25", f"timescale factor=1.25 keep-pitch=true window={window}", asked
    for semitones in (-5, 3.5):
        asked = {"speed": 1.25, "keepPitch": True, "semitones": semitones}
        yield f"{semitones} semitones", f"timescale rate=1.25 keep-pitch=true semitones={semitones}", asked
    asked = {"speed": 1, "semitones": 5, "formants": "keep", "formantSemitones": -1}
    yield "formants", "timescale semitones=5 formants=keep formant-semitones=-1", asked
    # cases that run separate code: dense transients, transients in addition to sustained sound, and
    # the formants of a voice
    yield "kept 0.8 applause", "timescale factor=0.8 keep-pitch=true", {"speed": 1.25, "keepPitch": True}
    yield "kept 1.25 castanets", "timescale factor=1.25 keep-pitch=true", {"speed": 0.8, "keepPitch": True}
    yield "lower speech", "timescale semitones=-7 formants=keep", {"speed": 1, "semitones": -7, "formants": "keep"}


CASES = {name: (element, settings) for name, element, settings in cases()}
SHORT = ["reverse", "nearest 0.8", "linear 1.5", "cubic 4", "sinc 0.25", "kept 1.5", "low-latency 1.25", "3.5 semitones", "formants"]


@pytest.fixture(scope="module")
def planes(tmp_path_factory):
    """Two seconds of each sound, as interleaved floats in files. The number of frames is odd, and not
    a multiple of the block length."""
    folder = tmp_path_factory.mktemp("bits")

    def of(sound):
        source = folder / f"{sound}.f32"
        if not source.exists():
            gst_launch(
                f"filesrc location={SOUNDS[sound]} ! decodebin ! audioconvert ! audioresample",
                f"! audio/x-raw,format=F32LE,rate={RATE},channels=2,layout=interleaved ! filesink location={source}",
            )
            source.write_bytes(source.read_bytes()[: 8 * 88_211])
        return source

    return of


@pytest.mark.parametrize("name", mostly_long(CASES, *SHORT))
def test_the_module_and_the_plugin_output_the_same_bits(web, name, planes, tmp_path):
    element, settings = CASES[name]
    source = planes(name.split()[-1] if name.split()[-1] in SOUNDS else "music")
    node("render.mjs", web, source, RATE, 2, input=json.dumps({"output": str(tmp_path / "made.f32"), "settings": settings}))
    gst_launch(
        f"filesrc location={source} ! rawaudioparse use-sink-caps=false format=pcm pcm-format=f32le",
        f"sample-rate={RATE} num-channels=2 ! {element} ! filesink location={tmp_path / 'expected.f32'}",
    )
    plugin, module = (np.fromfile(tmp_path / f"{file}.f32", np.uint32) for file in ("expected", "made"))
    assert len(module) == len(plugin) > 0
    assert np.count_nonzero(module != plugin) == 0
