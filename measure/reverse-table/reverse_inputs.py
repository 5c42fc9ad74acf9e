# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""All combinations of format and decoder with which revbuf is measured and tested, and their files.

FFmpeg makes the files from a signal that is the same in every run: tones and noise in the rhythm of
speech, with one second of digital silence in every ten. Apart from the silence, the signal never
repeats itself, so that no frame can be mistaken for another.

HE-AAC is missing, because neither Debian's FFmpeg nor GStreamer has an encoder for it, and
avdec_adpcm_ima_wav, because that of GStreamer 1.22 does not even play forward.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 44100
BLOCK_SECONDS = 10
SILENCE_SECOND = 4  # the digitally silent second of every block of BLOCK_SECONDS


@dataclass(frozen=True)
class Format:
    """A file type and the elements that decode it.

    encode: options of FFmpeg. chain: the elements after filesrc, as for gst-launch-1.0. repeats:
    whether every decode returns the same bits. rate: sample rate of the signal in Hz. cut: after a
    seek, the demuxer ends at the declared duration, up to this many frames before the end of the
    audio. off: the time stamps may be wrong by this many frames.
    """

    name: str
    suffix: str
    encode: str
    chain: str
    channels: tuple = (2,)
    repeats: bool = True
    rate: int = RATE
    cut: int = 0
    off: int = 0

    def is_exact(self, channels: int) -> bool:
        """Whether the reversed output must be exact. Not for mono with mpg123, which may round a
        few frames differently after a seek."""
        return self.repeats and self.off == 0 and not ("mpg123" in self.chain and channels == 1)

    def options(self, channels: int) -> list[str]:
        """Returns FFmpeg's options for encoding this number of channels."""
        family, kbps = (1 if channels > 2 else 0), min(64 * channels, 256)
        return self.encode.format(family=family, opus_kbps=kbps).split()

    def file_name(self, channels: int) -> str:
        return f"{channels}{self.suffix}"


EVERY = (1, 2, 6)
MPG123 = "mpegaudioparse ! mpg123audiodec ! audio/x-raw,format=S16LE"
MP3_BARE = "-c:a libmp3lame -write_xing 0 -id3v2_version 0"
AAC = "-c:a aac -b:a 128k -aac_pns 0"
# With its own bit rate, because opusdec of GStreamer 1.22 loses packets of 5.1 at FFmpeg's default.
OPUS = "-c:a libopus -mapping_family {family} -b:a {opus_kbps}k"

# more than 16 bits per sample
DEEP_FLAC = "-af volume=0.7:precision=double -c:a flac -sample_fmt s32 -bits_per_raw_sample 24"
FRAGMENTS = "-movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 1000000"

FORMATS = [
    Format("WAV", "ch.wav", "-c:a pcm_s16le", "wavparse", EVERY),
    Format("AIFF", "ch.aiff", "-c:a pcm_s16be", "aiffparse", EVERY),
    Format("FLAC", "ch.flac", "-c:a flac", "flacparse ! flacdec", EVERY),
    Format("FLAC in Ogg", "ch.oga", "-c:a flac", "oggdemux ! flacparse ! flacdec", EVERY),
    Format("FLAC in Matroska", "ch-flac.mka", "-c:a flac", "matroskademux ! flacparse ! flacdec", EVERY, cut=45),
    Format("MP3 CBR", "ch-cbr.mp3", "-c:a libmp3lame -b:a 128k", MPG123, (1, 2)),
    Format("MP3 VBR", "ch-vbr.mp3", "-c:a libmp3lame -q:a 4", MPG123, (1, 2)),
    Format("MP3 CBR, no header", "ch-cbr-bare.mp3", f"{MP3_BARE} -b:a 128k", MPG123, (1, 2)),
    Format("MP3 VBR, no header", "ch-vbr-bare.mp3", f"{MP3_BARE} -q:a 4", MPG123, (1, 2)),
    Format("MP3 VBR", "ch-vbr.mp3", "-c:a libmp3lame -q:a 4", "mpegaudioparse ! avdec_mp3", (1, 2), False),
    Format("Vorbis in Ogg", "ch.ogg", "-c:a libvorbis -q:a 4", "oggdemux ! vorbisdec", EVERY),
    Format("Opus in Ogg", "ch.opus", OPUS, "oggdemux ! opusparse ! opusdec", EVERY),
    Format("Opus in Matroska", "ch-opus.mka", OPUS, "matroskademux ! opusparse ! opusdec", EVERY),
    Format("ALAC in MP4", "ch-alac.m4a", "-c:a alac", "qtdemux ! avdec_alac", EVERY),
    Format("AAC in ADTS", "ch.aac", AAC, "aacparse ! avdec_aac", EVERY),
    Format("AAC in ADTS", "ch.aac", AAC, "aacparse ! faad", EVERY),
    Format("AAC in MP4", "ch.m4a", AAC, "qtdemux ! aacparse ! avdec_aac", EVERY),
    Format("AAC in MP4", "ch.m4a", AAC, "qtdemux ! aacparse ! faad", EVERY),
    Format("AAC with noise, MP4", "ch-noise.m4a", "-c:a aac -b:a 48k -aac_pns 1", "qtdemux ! aacparse ! avdec_aac", (2,), False),
    Format("PCM in Matroska", "ch-pcm.mka", "-c:a pcm_s16le", "matroskademux", EVERY, cut=45),
    # other containers of PCM and of similar formats
    Format("AU", "ch.au", "-c:a pcm_s16be", "auparse"),
    Format("A-law in WAV", "ch-alaw.wav", "-c:a pcm_alaw", "wavparse ! alawdec"),
    Format("µ-law in AU", "ch-mulaw.au", "-c:a pcm_mulaw", "auparse ! mulawdec"),
    Format("IMA ADPCM in WAV", "ch-ima.wav", "-c:a adpcm_ima_wav", "wavparse ! adpcmdec", off=16),
    Format("MS ADPCM in WAV", "ch-ms.wav", "-c:a adpcm_ms", "wavparse ! avdec_adpcm_ms", off=16),
    Format("PCM in MOV", "ch.mov", "-c:a pcm_s16le", "qtdemux"),
    Format("PCM in AVI", "ch.avi", "-c:a pcm_s16le", "avidemux"),
    Format("WavPack", "ch.wv", "-c:a wavpack", "wavpackparse ! wavpackdec"),
    Format("TTA", "ch.tta", "-c:a tta", "avdemux_tta ! avdec_tta"),
    Format("FLAC, 96 kHz", "ch-96k.flac", "-c:a flac", "flacparse ! flacdec", rate=96000),
    Format("FLAC, 24 bits", "ch-24.flac", DEEP_FLAC, "flacparse ! flacdec"),
    Format("WAV, 7.1", "ch.wav", "-c:a pcm_s16le", "wavparse", (8,)),
    Format("FLAC, 7.1", "ch.flac", "-c:a flac", "flacparse ! flacdec", (8,)),
    # MP3 and similar formats
    Format("MP3, 8 kHz", "ch-8k.mp3", "-c:a libmp3lame -b:a 32k", MPG123, repeats=False, rate=8000),
    Format("MP3, 22 kHz", "ch-22k.mp3", "-c:a libmp3lame -b:a 64k", MPG123, repeats=False, rate=22050),
    Format("MP3 in Matroska", "ch-mp3.mka", "-c:a libmp3lame -b:a 128k", f"matroskademux ! {MPG123}", cut=1152),
    Format("MP3 in AVI", "ch-mp3.avi", "-c:a libmp3lame -b:a 128k", f"avidemux ! {MPG123}"),
    Format("MP3 in FLV", "ch-mp3.flv", "-c:a libmp3lame -b:a 128k", f"flvdemux ! {MPG123}"),
    Format("MP2", "ch.mp2", "-c:a mp2 -b:a 192k", MPG123),
    Format("MP2 in MPEG-PS", "ch.mpg", "-c:a mp2 -b:a 192k", f"mpegpsdemux ! {MPG123}"),
    Format("MP2 in MPEG-TS", "ch-mp2.ts", "-c:a mp2 -b:a 192k", f"tsdemux ! {MPG123}"),
    # AAC in other containers
    Format("AAC in MOV", "ch-aac.mov", AAC, "qtdemux ! aacparse ! avdec_aac"),
    Format("AAC in MP4, fragmented", "ch-frag.mp4", f"{AAC} {FRAGMENTS}", "qtdemux ! aacparse ! avdec_aac"),
    Format("AAC in Matroska", "ch-aac.mka", AAC, "matroskademux ! aacparse ! avdec_aac", cut=1024),
    Format("AAC in FLV", "ch-aac.flv", AAC, "flvdemux ! aacparse ! avdec_aac"),
    Format("AAC in MPEG-TS", "ch-aac.ts", AAC, "tsdemux ! aacparse ! avdec_aac"),
    # Vorbis, Opus, Speex
    Format("Vorbis in Matroska", "ch-vorbis.mka", "-c:a libvorbis -q:a 4", "matroskademux ! vorbisdec", cut=1024),
    Format("Vorbis in WebM", "ch-vorbis.webm", "-c:a libvorbis -q:a 4", "matroskademux ! vorbisdec", cut=1024),
    Format("Opus in WebM", "ch-opus.webm", OPUS, "matroskademux ! opusparse ! opusdec"),
    Format("Opus, packets of 2.5 ms", "ch-2.5.opus", f"{OPUS} -frame_duration 2.5", "oggdemux ! opusparse ! opusdec"),
    Format("Opus, packets of 60 ms", "ch-60.opus", f"{OPUS} -frame_duration 60", "oggdemux ! opusparse ! opusdec"),
    Format("Opus, 7.1", "ch.opus", OPUS, "oggdemux ! opusparse ! opusdec", (8,)),
    Format("Speex", "ch.spx", "-c:a libspeex", "oggdemux ! speexdec", repeats=False, rate=16000),
    # Dolby, DTS, Windows Media
    Format("AC-3", "ch.ac3", "-c:a ac3 -b:a 384k", "ac3parse ! a52dec", (2, 6), repeats=False),
    Format("AC-3", "ch.ac3", "-c:a ac3 -b:a 384k", "ac3parse ! avdec_ac3", (2, 6), repeats=False),
    Format("AC-3 in MPEG-TS", "ch-ac3.ts", "-c:a ac3 -b:a 192k", "tsdemux ! ac3parse ! avdec_ac3", repeats=False),
    Format("AC-3 in MPEG-PS", "ch-ac3.vob", "-c:a ac3 -b:a 192k", "mpegpsdemux ! ac3parse ! avdec_ac3", repeats=False),
    Format("E-AC-3", "ch.eac3", "-c:a eac3 -b:a 384k", "ac3parse ! avdec_eac3", (2, 6), repeats=False),
    Format("DTS", "ch.dts", "-strict -2 -c:a dca -b:a 768k", "dcaparse ! avdec_dca"),
    Format("DTS", "ch.dts", "-strict -2 -c:a dca -b:a 768k", "dcaparse ! dtsdec"),
    Format("WMA 2", "ch.wma", "-c:a wmav2 -b:a 128k", "asfdemux ! avdec_wmav2"),
]


def signal_block(index: int, channels: int, rate: int = RATE) -> np.ndarray:
    """Returns a block of the signal, from second 10 × index to 10 × index + 10, as S16 of shape
    (frames, channels)."""
    frames = BLOCK_SECONDS * rate
    random = np.random.default_rng([index, channels])
    time_s = (np.arange(frames) / rate)[:, np.newaxis]
    tones_hz = random.uniform(100, 4000, (3, channels))
    tones = sum(np.sin(2 * np.pi * hz * time_s) for hz in tones_hz) / 3
    noise = random.standard_normal((frames, channels)) / 4
    # words: a new level every 0.25 s, with ramps of 20 ms
    places = np.linspace(0, BLOCK_SECONDS, 41)
    loudness = np.where(random.random(41) < 0.3, 0.01, random.uniform(0.2, 1, 41))
    words = np.interp(time_s[:, 0], np.sort(np.r_[places, places[1:-1] + 0.02]), np.repeat(loudness, 2)[1:-1])
    block = np.round(0.4 * 32767 * np.clip((tones + noise) * words[:, np.newaxis], -2, 2))
    block[SILENCE_SECOND * rate : (SILENCE_SECOND + 1) * rate] = 0
    return block.astype("<i2")


def make_file(folder: Path, form: Format, channels: int, seconds: float) -> Path:
    """Makes the file if it does not exist. Returns its path."""
    path = folder / f"{seconds:g}s-{form.file_name(channels)}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name("part-" + path.name)
    layout = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}[channels]
    source = ["-f", "s16le", "-ar", str(form.rate), "-ac", str(channels), "-channel_layout", layout, "-i", "-"]
    command = ["ffmpeg", "-v", "error", "-y", *source, "-bitexact", "-ac", str(channels), *form.options(channels), part]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ffmpeg:
        left = round(seconds * form.rate)
        for index in range(-(-left // (BLOCK_SECONDS * form.rate))):
            ffmpeg.stdin.write(signal_block(index, channels, form.rate)[:left].tobytes())
            left -= BLOCK_SECONDS * form.rate
        ffmpeg.stdin.close()
    if ffmpeg.returncode != 0:
        raise RuntimeError(f"ffmpeg could not make {path}")
    part.rename(path)
    return path
