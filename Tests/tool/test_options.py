# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import re
import subprocess
import wave

import numpy as np
import pytest
from toolrun import ENVIRONMENT, assert_nothing_left, events, ffmpeg, mostly_long, probe, samples, tool


SAME = {
    "s16.wav": ("s16-reversed.wav", "pcm_s16le"),
    "s24.aif": ("s24-reversed.aif", "pcm_s24be"),
    "lame.mp3": ("lame-reversed.mp3", "mp3"),
    "raw.aac": ("raw-reversed.m4a", "aac"),
    "bare.ac3": ("bare-reversed.flac", "flac"),
    "alac.m4a": ("alac-reversed.m4a", "alac"),
    "film.mp4": ("film-reversed.mp4", "aac"),
    "vorbis.ogg": ("vorbis-reversed.ogg", "vorbis"),
    "flac.ogg": ("flac-reversed.ogg", "flac"),
    "opus.opus": ("opus-reversed.opus", "opus"),
    "flac.mka": ("flac-reversed.mka", "flac"),
}


@pytest.mark.parametrize("file", mostly_long(SAME, "s16.wav", "s24.aif", "raw.aac", "film.mp4", "flac.ogg", "opus.opus"))
def test_the_name_the_type_and_the_codec_are_the_inputs(tmp_path, sounds, file):
    made, codec = SAME[file]
    result = tool(tmp_path, "reverse", sounds[file])
    assert result.stdout == f"wrote {made}\n"
    assert "Critical" not in result.stderr.title() and "Warning" not in result.stderr.title()
    assert_nothing_left(tmp_path, made)
    assert probe(tmp_path / made)["codec"] == codec


def test_a_name_without_an_extension_has_the_type_of_its_content(tmp_path, sounds):
    (tmp_path / "song").symlink_to(sounds["vorbis.ogg"])
    assert tool(tmp_path, "reverse", "song").stdout == "wrote song-reversed.ogg\n"


NOISE = ["-f", "lavfi", "-i", "anoisesrc=d=5:r=44100:a=0.3:seed=1"]


def bit_rate(path):
    """Returns the bit rate in kbit/s of a file of 5 s, calculated from its size, because not every
    container declares the bit rate."""
    return path.stat().st_size * 8 / 5 / 1000


BIT_RATES = ["-c:a libmp3lame -b:a 128k", "-c:a libvorbis -q:a 9", "-c:a libopus -b:a 64k", "-c:a libmp3lame -b:a 320k", "-c:a libmp3lame -q:a 0", "-c:a aac -b:a 96k"]


@pytest.mark.parametrize("options", mostly_long(BIT_RATES, BIT_RATES[0]))
def test_the_bit_rate_is_near_the_inputs(tmp_path, options):
    name = {"libmp3lame": "mp3", "libvorbis": "ogg", "libopus": "opus", "aac": "m4a"}[options.split()[1]]
    source = tmp_path / f"a.{name}"
    ffmpeg(*NOISE, "-ac", "2", *options.split(), source)
    tool(tmp_path, "reverse", source)
    assert bit_rate(tmp_path / f"a-reversed.{name}") == pytest.approx(bit_rate(source), rel=0.12)


def test_another_type_has_the_bit_rate_of_the_input_if_that_is_asked_for(tmp_path):
    ffmpeg(*NOISE, "-ac", "2", "-c:a", "libopus", "-b:a", "64k", tmp_path / "a.opus")
    tool(tmp_path, "reverse", "a.opus", "-o", "a.m4a", "--bitrate", "same")
    assert bit_rate(tmp_path / "a.m4a") == pytest.approx(bit_rate(tmp_path / "a.opus"), rel=0.1)


def test_a_quiet_mp3_keeps_its_rate(tmp_path, sounds):
    """The input's bit rate is so low that LAME would lower the sample rate if the tool kept the bit
    rate."""
    assert bit_rate(sounds["lame.mp3"]) < 30
    assert "became" not in tool(tmp_path, "reverse", sounds["lame.mp3"]).stderr
    assert probe(tmp_path / "lame-reversed.mp3")["rate"] == 44100


def test_a_folder_for_the_output(tmp_path, sounds):
    (tmp_path / "new").mkdir()
    for output in ("new", "new/"):
        result = tool(tmp_path, "scale", "--factor", "2", "--force", "--type", "flac", sounds["s16.wav"], "-o", output)
        assert result.stdout == "wrote new/s16-scaled.flac\n"


def test_force_replaces_and_keeps_nothing_else(tmp_path, sounds):
    (tmp_path / "new.wav").write_text("old")
    tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "new.wav", "--force")
    assert len(samples(tmp_path / "new.wav")) == len(samples(sounds["s16.wav"]))
    assert_nothing_left(tmp_path, "new.wav")


@pytest.mark.parametrize("mode", mostly_long([0o600, 0o755], 0o600))
def test_force_keeps_the_permissions(tmp_path, sounds, mode):
    (tmp_path / "new.wav").touch(mode=0o666)
    (tmp_path / "new.wav").chmod(mode)
    tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "new.wav", "--force")
    assert (tmp_path / "new.wav").stat().st_mode & 0o777 == mode
    assert len(samples(tmp_path / "new.wav")) == len(samples(sounds["s16.wav"]))


def test_force_replaces_a_link_itself(tmp_path, sounds):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.wav").symlink_to("folder/song.wav")
    (tmp_path / "folder/song.wav").write_text("old")
    tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "link.wav", "--force")
    assert np.array_equal(samples(tmp_path / "link.wav"), samples(sounds["s16.wav"])[::-1])
    assert not (tmp_path / "link.wav").is_symlink() and (tmp_path / "folder/song.wav").read_text() == "old"


def test_the_number_of_jobs_may_follow_its_letter(tmp_path, sounds):
    for number, words in enumerate((["-j1"], ["--jobs=1"])):
        assert tool(tmp_path, "reverse", *words, sounds["s16.wav"], "-o", f"{number}.wav").stdout == f"wrote {number}.wav\n"


def test_help_names_json_and_the_manual(tmp_path):
    for command in ("reverse", "scale"):
        help = tool(tmp_path, command, "--help").stdout
        assert "JSON" in help and "man retrograde" in help


def words_of_help(folder, command):
    """Returns the titles of the help's groups, and its options, as they come."""
    help = tool(folder, command, "--help").stdout
    return re.findall(r"^[A-Z][A-Z ,]+(?=:$)", help, re.MULTILINE), re.findall(r"^  (?:-., )?(--[a-z-]+)", help, re.MULTILINE)


def test_help_has_one_order_in_all_commands(tmp_path):
    titles, options = words_of_help(tmp_path, "reverse")
    assert titles == ["ARGUMENTS", "SPEED AND PITCH", "PART", "VOLUME, FADES, CHANNELS AND EFFECTS", "OUTPUT", "RUN", "OPTIONS"]
    assert words_of_help(tmp_path, "scale") == (titles, options)
    played = words_of_help(tmp_path, "play")[1]
    both = [option for option in options if option in played]
    assert both == [option for option in played if option in options] and {"--tempo", "--semitones", "--channels"} <= set(both)


@pytest.mark.parametrize("command", ["", "reverse", "scale", "info", "play"])
def test_help_begins_with_what_it_does(tmp_path, command):
    assert re.match(r"OVERVIEW: (Reverses|Changes|Shows|Plays) ", tool(tmp_path, *command.split(), "--help").stdout)


COMPLETED = {"--type": ["wav", "flac"], "--codec": ["pcm", "opus"], "--sink": ["auto", "silent"]}


@pytest.mark.parametrize("option", COMPLETED)
def test_shells_complete_values(tmp_path, option):
    command = "play" if option == "--sink" else "scale"
    scripts = {shell: tool(tmp_path, "--generate-completion-script", shell).stdout for shell in ("bash", "zsh", "fish")}
    assert set(COMPLETED[option]) <= completions(tmp_path, scripts["bash"], "retrograde", command, option, "")
    for shell in ("zsh", "fish"):
        lists = re.findall(r"'([a-z0-9:. ]+)'" if shell == "fish" else r"\(([a-z0-9:.' ]+)\)", scripts[shell])
        assert any(set(COMPLETED[option]) <= set(words.replace("'", "").split()) for words in lists), shell


def test_bash_completes_names_of_maps(tmp_path):
    script = tool(tmp_path, "--generate-completion-script", "bash").stdout
    (tmp_path / "beats.txt").touch()
    assert completions(tmp_path, script, "retrograde", "scale", "--map", "be") == {"beats.txt"}


def completions(folder, script, *words):
    """Returns the completions that bash offers for the last of the words."""
    call = f"""{script}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${{#COMP_LINE}} COMP_TYPE=9 COMP_KEY=9
        COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}
        $(complete -p retrograde | sed 's/.*-F \\([^ ]*\\).*/\\1/') retrograde "${{@: -1}}" "${{@: -2:1}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(["bash", "-c", call, "bash", *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    return {line.strip() for line in result.stdout.splitlines()}


@pytest.mark.parametrize("words", [["info"], ["reverse"], ["reverse", "--json"]])
def test_output_that_cannot_be_written_is_an_error(tmp_path, sounds, words):
    inputs = [sounds["s16.wav"]]
    with open("/dev/full", "w") as full:
        result = tool(tmp_path, *words, *inputs, status=1, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    sentence = "retrograde: standard output cannot be written to (No space left on device); redirect it somewhere else."
    assert result.stderr.splitlines() == [sentence]


def test_the_first_channel_is_exact(tmp_path, sounds):
    for file in ("s16.wav", "surround.flac"):
        tool(tmp_path, "reverse", "--channels", "first", sounds[file], "-o", "new.wav", "--force")
        probe.cache_clear()
        assert np.array_equal(samples(tmp_path / "new.wav"), samples(sounds[file])[::-1, :1])


def test_merged_channels_are_their_mean(tmp_path, sounds):
    tool(tmp_path, "reverse", "--channels", "merged", sounds["f32.wav"], "-o", "new.wav")
    mean = samples(sounds["f32.wav"])[::-1].mean(axis=1, keepdims=True)
    assert np.abs(samples(tmp_path / "new.wav") - mean).max() < 1e-6


@pytest.mark.parametrize("name", mostly_long(["new.mp3", "new.m4a", "new.opus"], "new.mp3"))
def test_the_bit_rate_is_the_one_asked_for(tmp_path, name):
    ffmpeg(*NOISE, "-ac", "2", tmp_path / "noise.wav")
    tool(tmp_path, "reverse", "noise.wav", "-o", name, "--bitrate", 64)
    assert abs(probe(tmp_path / name)["bit rate"] / 1000 / 64 - 1) < 0.1


def test_an_encoder_that_refuses_says_so(tmp_path, sounds):
    result = tool(tmp_path, "reverse", sounds["surround.flac"], "-o", "new.ogg", "--bitrate", 16, status=1)
    assert "the encoder refuses these settings; choose another bit rate" in result.stderr
    assert_nothing_left(tmp_path)


@pytest.fixture(scope="session")
def covered(tmp_path_factory, sounds):
    """An MP3 with a cover picture."""
    folder = tmp_path_factory.mktemp("cover")
    ffmpeg("-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", folder / "cover.jpg")
    maps = ["-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"]
    ffmpeg("-i", sounds["s16.wav"], "-i", folder / "cover.jpg", *maps, "-c:a", "libmp3lame", folder / "song.mp3")
    return folder / "song.mp3"


@pytest.mark.parametrize("name", mostly_long(["new.mp3", "new.m4a", "new.flac", "new.ogg", "new.opus"], "new.mp3", "new.opus"))
def test_the_picture_is_kept(tmp_path, covered, name):
    result = tool(tmp_path, "reverse", covered, "-o", name)
    assert probe(tmp_path / name)["pictures"] >= 1
    assert "image" not in result.stderr


@pytest.mark.parametrize("name", mostly_long(["new.wav", "new.aiff"], "new.wav"))
def test_lost_tags_are_reported(tmp_path, covered, name):
    lines = tool(tmp_path, "reverse", covered, "-o", name).stderr.splitlines()
    (line,) = [line for line in lines if line.startswith(f"{name}: These tags were not kept: ")]
    assert "image" in line
    assert probe(tmp_path / name)["pictures"] == 0


# The matroskamux of GStreamer 1.22 renames the tag of a picture; the one of GStreamer 1.28 does
# not.
@pytest.mark.parametrize("name", mostly_long(["new.flac", "new.mp3", "new.opus"], "new.flac"))
def test_a_picture_of_another_kind_stays_one(tmp_path, name):
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 2, 44100, 0, "NONE", ""))
        file.writeframes(bytes(2 * 44100))
    ffmpeg("-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-frames:v", "1", tmp_path / "back.png")
    ffmpeg("-i", tmp_path / "a.wav", "-i", tmp_path / "back.png", "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic", "-metadata:s:v", "comment=Cover (back)", tmp_path / "a.flac")
    tool(tmp_path, "reverse", "a.flac", "-o", name)
    assert "back-cover" in tool(tmp_path, "info", name).stdout


LOSSES = [
    ("s16.wav", "new.opus", "The sample rate of 44100 Hz became 48000 Hz."),
    ("s16.wav", "new.mp3", "mp3 is lossy, and the input is lossless."),
    ("surround.flac", "new.mp3", "6 channels became 2."),
    ("f32.wav", "new.flac", "Samples of F32LE became S24_32LE."),
    ("f64.wav", "new.aiff", "Samples of F64LE became S32BE."),
    ("s32.wav", "new.alac.m4a", "Samples of S32LE became S32LE with 24 bits."),
    ("s24.flac", "new.mp3", "The sample rate of 96000 Hz became 48000 Hz."),
]


@pytest.mark.parametrize("file, name, loss", mostly_long(LOSSES, LOSSES[0], LOSSES[2], LOSSES[3]))
def test_losses_are_reported(tmp_path, sounds, file, name, loss):
    codec = ["--codec", "alac"] if "alac" in name else []
    if loss == LOSSES[0][2]:
        assert f"{name}: {loss}\n" in tool(tmp_path, "reverse", sounds[file], "-o", name, *codec).stderr
    assert loss in events(tool(tmp_path, "reverse", sounds[file], "-o", name, *codec, "--json", "--force"))[-1]["losses"]


def test_nothing_is_said_where_nothing_is_lost(tmp_path, sounds):
    for file, name in (("s24.flac", "new.flac"), ("vorbis.ogg", "new.ogg"), ("alac.m4a", "new.flac")):
        # Not compared with an empty standard error: a slow machine prints progress there.
        assert events(tool(tmp_path, "reverse", sounds[file], "-o", name, "--force", "--json"))[-1]["losses"] == []


def test_a_link_to_an_input_is_followed(tmp_path, sounds):
    (tmp_path / "link.wav").symlink_to(sounds["s16.wav"])
    tool(tmp_path, "reverse", "link.wav", "-o", "new.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(sounds["s16.wav"])[::-1])


@pytest.mark.parametrize("type", mostly_long(["wav", "m4a", "flac", "mp3", "ogg", "mka"], "wav"))
def test_a_dash_is_standard_output(tmp_path, sounds, type):
    tool(tmp_path, "reverse", sounds["s16.wav"], "-o", f"file.{type}")
    with open(tmp_path / f"pipe.{type}", "wb") as pipe:
        told = tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "-", "--type", type, capture_output=False, stdout=pipe, stderr=subprocess.PIPE).stderr
    assert "wrote" not in told
    assert np.array_equal(samples(tmp_path / f"pipe.{type}"), samples(tmp_path / f"file.{type}"))
    assert_nothing_left(tmp_path, f"file.{type}", f"pipe.{type}")


def test_a_failed_standard_output_is_reported(tmp_path, sounds):
    for words, sentence in (
        (["-o", "-", "--type", "wav", "--json"], "--json goes to standard output as well"),
        (["-o", "-", "--type", "wav", sounds["s16.flac"]], "Standard output can take only one file"),
    ):
        result = tool(tmp_path, "reverse", sounds["s16.wav"], *words, status=64)
        assert sentence in result.stderr + result.stdout
    with open("/dev/full", "w") as full:
        result = tool(tmp_path, "reverse", sounds["s16.wav"], "-o", "-", "--type", "wav", status=1, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert "standard output cannot be written to (No space left on device)" in result.stderr
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("command", ["reverse", "scale", "info", "play"])
def test_help_has_room_in_80_columns(tmp_path, command):
    for line in tool(tmp_path, command, "--help", env=ENVIRONMENT | {"COLUMNS": "80"}).stdout.splitlines():
        assert len(line) <= 80
