# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that TimeDSP, the signal processing, works without GStreamer and outside of Linux.

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from toolrun import ENVIRONMENT, MEDIA, ROOT, ffmpeg, probe, samples

pytestmark = pytest.mark.long

# The only C functions that TimeDSP may need from a system.
HEADERS = {
    "stdlib.h": "void *malloc (size_t); void free (void *); void *aligned_alloc (size_t, size_t);",
    "string.h": "void *memmove (void *, const void *, size_t); void *memset (void *, int, size_t);"
    "int memcmp (const void *, const void *, size_t);",
}


SOURCES = ROOT / "Sources/TimeDSP"
API = set((SOURCES / "API").rglob("*.swift"))
MODEL = set((ROOT / "Sources/AudioModel").rglob("*.swift"))
CORE = set(SOURCES.rglob("*.swift")) - API


def swiftc(tmp_path, target, module, files, *options):
    """Compiles a module with Embedded Swift, for a system that provides only the functions of
    HEADERS."""
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(f"#include <stddef.h>\n{text}\n")
    embedded = ["-target", target, "-enable-experimental-feature", "Embedded", "-suppress-warnings", "-wmo", "-parse-as-library"]
    headers = ["-Xcc", f"-isystem{tmp_path}", "-I", ROOT / "Sources/CTimeDSP/include", "-I", tmp_path, "-module-cache-path", tmp_path / "modules"]
    names = ["-module-name", module, "-package-name", "retrograde"]
    subprocess.run(["swiftc", *embedded, *headers, *names, *options, *sorted(files)], check=True, timeout=600)


def test_the_sources_know_nothing_of_a_system(tmp_path):
    # The target has 32 bits and no operating system; untyped errors would not compile there.
    for module, files in {"AudioModel": MODEL, "TimeDSPCore": CORE, "TimeDSP": API}.items():
        swiftc(tmp_path, "wasm32-unknown-none-wasm", module, files, "-emit-module", "-o", tmp_path / f"{module}.swiftmodule")


def test_no_other_type_is_a_sample(tmp_path):
    """Memory of a type that claims to be `Double` would be read beyond its end."""
    target = "wasm32-unknown-none-wasm"
    for module, files in {"AudioModel": MODEL, "TimeDSPCore": CORE, "TimeDSP": API}.items():
        swiftc(tmp_path, target, module, files, "-emit-module", "-o", tmp_path / f"{module}.swiftmodule")
    program = tmp_path / "program.swift"
    program.write_text("import TimeDSP\nlet scaler = try? TimeScaler<Double>(factor: 2, sampleRate: 48_000)\n")
    swiftc(tmp_path, target, "Good", [program], "-typecheck")
    program.write_text("import TimeDSP\nstruct Byte: AudioSample { var byte: UInt8 = 1; static var coding: AudioSampleCoding<Double> { Double.coding } }\n")
    with pytest.raises(subprocess.CalledProcessError):
        swiftc(tmp_path, target, "Evil", [program], "-typecheck")


def test_the_core_compiles_for_apple_systems(tmp_path):
    swiftc(tmp_path, "arm64-apple-none-macho", "TimeDSPCore", CORE, "-c", "-O", "-o", tmp_path / "core.o")
    tools = Path(shutil.which("swiftc")).resolve().parent
    listed = subprocess.run([tools / "llvm-nm", "-u", tmp_path / "core.o"], check=True, capture_output=True, text=True).stdout.split()
    memory = {"_malloc", "_free", "_aligned_alloc", "_posix_memalign", "_memcmp", "_memcpy", "_memmove", "_memset"}
    assert set(listed) - memory <= {"___stack_chk_fail", "___stack_chk_guard", "___multi3", "___udivti3", "___umodti3"}


@pytest.fixture(scope="module")
def program():
    """Builds the example with pkg-config finding neither GStreamer nor GLib."""
    build = ["swift", "build", "--package-path", ROOT / "launch-examples/timedsp-wav", "--scratch-path", ROOT / "build/timedsp-wav"]
    environment = {**ENVIRONMENT, "PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""}
    subprocess.run([*build, "--quiet"], check=True, env=environment, timeout=600)
    folder = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{folder}/timedsp-wav"


def reversed_by_ffmpeg(path):
    other = path.with_name(f"ffmpeg-{path.name}")
    ffmpeg("-i", path, "-af", "areverse", "-c:a", probe(path)["codec"], other)
    return samples(other)


@pytest.mark.parametrize("codec", ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_a_file_of_any_samples_is_reversed_as_ffmpeg_does(program, tmp_path, codec, channels):
    source, target = tmp_path / "source.wav", tmp_path / "reversed.wav"
    ffmpeg("-i", MEDIA / "short.wav", "-ac", channels, "-c:a", codec, source)
    subprocess.run([program, "reverse", source, target], check=True)
    assert np.array_equal(samples(target), reversed_by_ffmpeg(source))


@pytest.mark.parametrize("channels", [1, 2])
def test_a_file_is_stretched_as_the_element_does(program, tmp_path, channels):
    source, target, element = (tmp_path / name for name in ("source.wav", "stretched.wav", "element.wav"))
    ffmpeg("-i", MEDIA / "sample.flac", "-ac", channels, "-c:a", "pcm_s16le", "-bitexact", source)
    subprocess.run([program, "stretch", source, target], check=True)
    chain = ["filesrc", f"location={source}", "!", "wavparse", "!", "timescale", "factor=1.5", "keep-pitch=true"]
    subprocess.run(["gst-launch-1.0", "-q", *chain, "!", "wavenc", "!", "filesink", f"location={element}"], check=True, env={**ENVIRONMENT, "GST_PLUGIN_PATH_1_0": str(ROOT / "build/gst-plugin")})
    assert len(samples(target)) == len(samples(source)) * 3 // 2
    assert np.array_equal(samples(target), samples(element))


def test_what_is_no_wave_is_told(program, tmp_path):
    told = subprocess.run([program, "reverse", MEDIA / "sample.mp3", tmp_path / "new.wav"], capture_output=True, text=True)
    assert told.returncode == 1 and "not a WAV file" in told.stdout
    assert not list(tmp_path.iterdir())
