# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests gapless playlists in playbin with revbuf as the audio filter. After a song that was played
# to its end, the next song must follow exactly as with `identity`, even if the direction has
# changed during the first song.

import json
from pathlib import Path

import numpy as np
import pytest
from fileserver import serve
from support import mostly_long, run, write_wav

CLIENT = Path(__file__).with_name("gapless.py")
RATE = 48000
# More sound than the queues of a playbin hold, so that the source does not reach its end
# immediately.
FRAMES = 40 * RATE
PLAYBINS = "playbin", "playbin3"
CODECS = {
    "flac": "flac",
    "wav": "pcm_s16le",
    "ogg": "libvorbis",
    "mp3": "libmp3lame",
    "m4a": "alac",
    "mka": "libopus",
    "aiff": "pcm_s16be",
}
# AIFF only with playbin3: the decodebin of playbin sometimes links aiffparse too late for the first
# buffer, and drops the error.
AIFF = "playbin3", "aiff"

every_playbin = pytest.mark.parametrize("playbin", mostly_long(PLAYBINS, "playbin3"))


@pytest.fixture(scope="module")
def songs(tmp_path_factory):
    """Two songs of noise, as a function from the file type to their paths."""
    folder = tmp_path_factory.mktemp("songs")
    for name, seed in ("first", 1), ("second", 2):
        write_wav(folder / f"{name}.wav", RATE, np.random.default_rng(seed).uniform(-0.5, 0.5, (FRAMES, 1)))

    def of_type(extension):
        made = [folder / f"{name}.{extension}" for name in ("first", "second")]
        for path in made:
            if not path.exists():
                run("ffmpeg", "-v", "error", "-i", path.with_suffix(".wav"), "-c:a", CODECS[extension], path)
        return made

    return of_type


@pytest.fixture(scope="module")
def plain(songs, tmp_path_factory):
    """The output of the two songs with `identity` as the filter, as a function from playbin and
    file type."""
    kept = {}

    def of_type(playbin, extension):
        if (playbin, extension) not in kept:
            kept[playbin, extension] = play(playbin, "identity name=r", tmp_path_factory.mktemp("plain"), songs(extension))
        return kept[playbin, extension]

    return of_type


def play(playbin, description, folder, paths, *steps):
    """Plays two songs with gapless.py. Returns its report, with the samples of each stream as
    "sound"."""
    seen = json.loads(run("/usr/bin/python3", CLIENT, playbin, description, folder, *paths, *steps, timeout=100).stdout)
    seen["sound"] = [np.fromfile(folder / f"{stream}.raw", "<i2") for stream in range(len(seen["streams"]))]
    return seen


def assert_second_song_follows(seen, identity):
    assert seen["ended"] == "eos"
    assert seen["segments"] == 0
    assert len(seen["signals"]) == len(identity["signals"]) == 2
    # The signal may be early only by the duration of the queues, as with identity.
    first_song = len(seen["sound"][0])
    assert first_song - 3 * RATE <= seen["signals"][0] <= first_song
    np.testing.assert_array_equal(seen["sound"][1], identity["sound"][1])
    (_, end), (start, _) = seen["streams"]
    assert abs(start - end) < 1e9 / RATE


def turns(sound, original):
    """Returns the frames of the output at which the direction changed. Asserts that the output
    consists of frames of the original without gaps, and ends at the original's start or end."""
    places, at, step = [], 0, 1
    start = 0
    while start < len(sound):
        left = len(sound) - start
        expected = original[at : at + left] if step > 0 else original[max(at - left + 1, 0) : at + 1][::-1]
        same = sound[start : start + len(expected)] == expected
        run_length = len(same) if same.all() else int(np.argmin(same))
        assert run_length > 100, f"frame {start} is none of the neighbours"
        start += run_length
        at += step * run_length
        if start < len(sound):
            places.append(start)
            at, step = at - 2 * step, -step
    assert at == (len(original) if step > 0 else -1), "not played to an end"
    return places


@every_playbin
@pytest.mark.parametrize(
    ("description", "steps", "count"),
    [
        ("revbuf name=r", ("6:direction=reverse", "8:direction=forward"), 2),
        ("revbuf name=r loop=ping-pong", ("85:loop=none",), 2),
        ("revbuf name=r", ("6:loop=repeat", "9:loop=none"), 0),
    ],
    ids=["turned and back", "ping-pong", "a loop"],
)
def test_the_next_song_follows_a_reversed_one(playbin, description, steps, count, songs, plain, tmp_path):
    seen = play(playbin, description, tmp_path, songs("flac"), *steps)
    identity = plain(playbin, "flac")
    assert_second_song_follows(seen, identity)
    assert len(turns(seen["sound"][0], identity["sound"][0])) == count


@pytest.mark.long
@every_playbin
def test_the_next_song_follows_an_end_in_reverse(playbin, songs, plain, tmp_path):
    seen = play(playbin, "revbuf name=r direction=reverse", tmp_path, songs("flac"), "2:direction=forward")
    identity = plain(playbin, "flac")
    assert_second_song_follows(seen, identity)
    heard, original = seen["sound"][0], identity["sound"][0]
    turn = (len(heard) + 1) // 2
    np.testing.assert_array_equal(heard[:turn], original[-turn:][::-1])
    np.testing.assert_array_equal(heard[turn:], original[len(original) - turn + 1 :])


@pytest.mark.long
@every_playbin
@pytest.mark.parametrize(
    ("description", "steps"),
    [
        ("revbuf name=r direction=reverse", ()),
        ("revbuf name=r", ("6:direction=reverse",)),
        ("revbuf name=r", ("6:rate=-1",)),
    ],
    ids=["from the end", "by direction", "by a rate"],
)
def test_reverse_play_ends_at_the_beginning(playbin, description, steps, songs, plain, tmp_path):
    seen = play(playbin, description, tmp_path, songs("flac"), *steps)
    original = plain(playbin, "flac")["sound"][0]
    assert (seen["ended"], seen["signals"], seen["segments"], len(seen["streams"])) == ("eos", [], 0, 1)
    heard = seen["sound"][0]
    np.testing.assert_array_equal(heard[-2 * RATE :], original[2 * RATE - 1 :: -1])
    if not steps:
        np.testing.assert_array_equal(heard, original[::-1])


@pytest.mark.long
@every_playbin
def test_no_song_is_skipped_after_reverse_playback_from_the_net(playbin, songs, plain, tmp_path):
    files = songs("flac")
    with serve(files[0].parent) as address:
        addresses = [f"{address}/{file.name}" for file in files]
        seen = play(playbin, "revbuf name=r", tmp_path, addresses, "6:direction=reverse")
    assert (seen["ended"], seen["signals"], len(seen["streams"])) == ("eos", [], 1)
    original = plain(playbin, "flac")["sound"][0]
    np.testing.assert_array_equal(seen["sound"][0][-2 * RATE :], original[2 * RATE - 1 :: -1])


@pytest.mark.long
@pytest.mark.parametrize(
    ("playbin", "extension"),
    [(playbin, extension) for playbin in PLAYBINS for extension in CODECS if extension not in ("flac", "aiff")] + [AIFF],
)
def test_the_next_song_follows_in_every_type(playbin, extension, songs, plain, tmp_path):
    steps = "6:direction=reverse", "8:direction=forward"
    seen = play(playbin, "revbuf name=r", tmp_path, songs(extension), *steps)
    assert_second_song_follows(seen, plain(playbin, extension))


@pytest.mark.long
@every_playbin
@pytest.mark.parametrize("extension", ["flac", "wav"])
def test_a_repeated_song_follows_itself(playbin, extension, songs, plain, tmp_path):
    song = songs(extension)[0]
    steps = "6:direction=reverse", "8:direction=forward"
    seen = play(playbin, "revbuf name=r", tmp_path, [song, song], *steps)
    identity = plain(playbin, extension)
    assert_second_song_follows(seen, identity | {"sound": 2 * identity["sound"][:1]})


# A change of direction so late that revbuf has already sent the whole song: the queue after the
# filter holds one second.
LATE = "39.2:wait=next", "39.2:direction=reverse"
every_late_turn = pytest.mark.parametrize(
    ("playbin", "extension"),
    [(playbin, extension) for playbin in PLAYBINS for extension in ("flac", "wav")] + [AIFF],
)


@pytest.mark.long
@every_late_turn
def test_the_next_song_follows_a_late_turn_and_back(playbin, extension, songs, plain, tmp_path):
    files = songs("flac")[0], songs(extension)[1]
    seen = play(playbin, "revbuf name=r", tmp_path, files, *LATE, "39.6:direction=forward")
    identity = plain(playbin, "flac")
    assert_second_song_follows(seen, identity)
    np.testing.assert_array_equal(seen["sound"][0], identity["sound"][0])


@pytest.mark.long
@every_late_turn
def test_a_late_turn_turns_the_next_song(playbin, extension, songs, plain, tmp_path):
    files = songs("flac")[0], songs(extension)[1]
    seen = play(playbin, "revbuf name=r", tmp_path, files, *LATE)
    first, second = plain(playbin, "flac")["sound"]
    assert (seen["ended"], len(seen["signals"]), len(seen["streams"])) == ("eos", 1, 2)
    np.testing.assert_array_equal(seen["sound"][0], first)
    np.testing.assert_array_equal(seen["sound"][1], second[::-1])
