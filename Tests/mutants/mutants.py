# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The mutants: small faults that a user would notice, each with the part of `make check` that has to
see it. If the code of a mutant goes, replace the mutant by one of the same kind."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    name: str
    part: str  # a key of run.PARTS
    file: str
    old: str  # occurs exactly once in the file
    new: str


CORE = "Sources/TimeDSP/"
LIBRARY = "Sources/Retrograde/"
TOOL = "Sources/RetrogradeTool/"

MUTANTS = [
    # ---- frames: Blocks
    Mutant("a turn plays the last frame twice", "core", CORE + "Blocks/Cursor.swift",
           "self.index = (last ?? index) &+ step(1)", "self.index = last ?? index"),
    Mutant("a ping-pong plays the frame at its end twice", "core", CORE + "Blocks/Cursor.swift",
           "max(endFrame &- 2, firstFrame)", "max(endFrame &- 1, firstFrame)"),
    Mutant("a loop ends one frame early", "core", CORE + "Blocks/Cursor.swift",
           "return hasKnownEnd ? min(bounded, endFrame) : bounded",
           "return hasKnownEnd ? min(bounded, endFrame &- 1) : bounded"),
    Mutant("a seam is moved the wrong way", "core", CORE + "Blocks/Seam.swift",
           "decode.pointee.joinIndex &+ shift", "decode.pointee.joinIndex &- shift"),
    Mutant("a seam is only compared in its first channel", "core", CORE + "Blocks/DecodeSearch.swift",
           "let byteCount = needleFrames &* channels &* ", "let byteCount = needleFrames &* "),
    Mutant("a crossfade fades the wrong way", "core", CORE + "Blocks/Seam.swift",
           "(1 - cosPi(progress)) / 2", "(1 + cosPi(progress)) / 2"),
    # ---- frames: Reversal
    Mutant("24-bit stereo loses its last bytes when it is reversed", "core", CORE + "Reversal/FrameReversal.swift",
           "(from + rest).loadUnaligned(as: half)", "from.loadUnaligned(as: half)"),
    Mutant("the first frame is lost when large frames are reversed", "core", CORE + "Reversal/FrameReversal.swift",
           "      for index in 0..<max(frames, 0) {\n        let frame = source",
           "      for index in 0..<max(frames &- 1, 0) {\n        let frame = source"),
    # ---- frames: Interpolation
    Mutant("cubic bends too much", "core", CORE + "Interpolation/Interpolation.swift",
           "((weights + 1) / 3)", "((weights + 2) / 3)"),
    Mutant("halves are rounded up", "core", CORE + "Interpolation/Sample.swift",
           "return unsafeBitCast(clipped + 0x1.8p52, to: SIMD4<Int64>.self)",
           "return unsafeBitCast((clipped + 0.5).rounded(.down) + 0x1.8p52, to: SIMD4<Int64>.self)"),
    Mutant("the default quality has a narrower band", "core", CORE + "Interpolation/SincKernel.swift",
           "case 6: self.init(half: 96, attenuation: 126.5, phases: 128)",
           "case 6: self.init(half: 96, attenuation: 106.5, phases: 128)"),
    # ---- frames: Chain
    Mutant("formants move the wrong way", "core", CORE + "Chain/Chain.swift",
           "powerOfTwo(0 - formant_semitones / 12)", "powerOfTwo(formant_semitones / 12)"),
    Mutant("a ramp makes too many frames", "core", CORE + "Timeline/TimeCurve.swift",
           "split(ramp.output(of: frames) + output.fraction)",
           "split(frames * (1 / speed + factor.value) / 2 + output.fraction)"),
    Mutant("a gap begins before the sound has left", "core", CORE + "Chain/Chain.swift",
           "Int64(2 &* latency &+ longestSpan)", "Int64(latency &>> 1)"),
    # ---- frames: Stretch
    Mutant("an attack is shifted the wrong way", "core", CORE + "Stretch/Transients.swift",
           "position = onset &- min(there, half)", "position = onset &+ min(there, half)"),
    Mutant("noise is stretched with the longer hop", "core", CORE + "Stretch/Stretcher.swift",
           "let most = isCloser ? hop &- hop &>> 4 : hop", "let most = hop"),
    Mutant("a stretched stream is longer than its input says", "core", CORE + "Chain/Chain.swift",
           "let left = limit &- made &- Int64(sink.made)", "let left = limit &- made &- Int64(sink.made) &+ 1"),
    # ---- the pads
    Mutant("a new latency is not posted", "pads", "gst-plugin/revbuf/stream.c",
           "changed = self->latency_ns != latency_ns;", "changed = FALSE;"),
    Mutant("the latency query has only upstream's", "pads", "gst-plugin/common/segment.c",
           "live, min + own_ns, max);", "live, min, max);"),
    Mutant("a flush keeps the old stream", "pads", "gst-plugin/revbuf/stream.c",
           "  gst_revbuf_forget_stream (self, FALSE);\n", ""),
    Mutant("a gap that is scaled loses its flag", "pads", "gst-plugin/timescale/buffers.c",
           "  if (is_gap)\n", "  if (FALSE)\n"),
    Mutant("the last frames are lost if one buffer cannot hold them", "pads", "gst-plugin/timescale/buffers.c",
           "  } while (ret == GST_FLOW_OK && self->state.has_more);", "  } while (FALSE);"),
    Mutant("times bend a piece too early", "pads", "gst-plugin/timescale/buffers.c",
           "self->unsent_frames + self->state.output_frames)", "self->unsent_frames)"),
    Mutant("every flush resets the running time", "pads", "gst-plugin/timescale/gsttimescale.c",
           "  timescale_forget_stream (self, reset_time);", "  timescale_forget_stream (self, TRUE);"),
    Mutant("planes are swapped", "pads", "gst-plugin/common/pcmbuffer.c",
           "planes[p] = data + p * (bytes / n_planes);", "planes[p] = data + (n_planes - 1 - p) * (bytes / n_planes);"),
    Mutant("a segment has another seqnum than its seek", "pads", "gst-plugin/common/outputstream.c",
           "  output->seqnum = seqnum;\n", ""),
    Mutant("a flipped segment does not say so", "pads", "gst-plugin/common/segment.c",
           "out->applied_rate = -in->applied_rate;", "out->applied_rate = in->applied_rate;"),
    Mutant("every buffer is a discontinuity", "pads", "gst-plugin/common/frameclock.c",
           "  clock->discont = FALSE;\n", ""),
    Mutant("the position is that of the output", "pads", "gst-plugin/common/outputstream.c",
           "  return gst_retro_segment_stream_time (segment,\n      CLAMP (output->position_ns, segment->start, segment->stop));",
           "  return output->position_ns;"),
    Mutant("audio before new caps is lost", "pads", "gst-plugin/revbuf/stream.c",
           "    if (stream_drain (self) == GST_FLOW_ERROR)\n", "    if (FALSE)\n"),
    Mutant("the running time of a second collected format starts again", "pads", "gst-plugin/revbuf/collect.c",
           "  segment->base = gst_segment_to_running_time (segment, GST_FORMAT_TIME,\n      end_ns);\n", ""),
    Mutant("a jump does not start a new chunk", "pads", "gst-plugin/revbuf/chunk.c",
           "      && gst_retro_clock_apart (chunk_input_ns (chunk), pts_ns) > frame_ns) {", "      && FALSE) {"),
    Mutant("playback that fails says nothing", "pads", "gst-plugin/revbuf/player.c",
           "    gst_revbuf_report_failure (self, &self->failure);\n", ""),
    Mutant("a seek from the end is scaled the wrong way", "pads", "gst-plugin/timescale/gsttimescale.c",
           "(-time_ns, 1 / self->settings.factor);", "(-time_ns, self->settings.factor);"),
    Mutant("a refused seek undoes a change of the rate", "pads", "gst-plugin/timescale/gsttimescale.c",
           "    self->is_seeking &= ret;", "    self->is_seeking &= TRUE;"),
    Mutant("the first buffer after a gap is no discontinuity", "pads", "gst-plugin/revbuf/chunk.c",
           "  chunk->clock.discont = discont;", ""),
    # ---- the library
    Mutant("loud negative samples are not counted", "library", LIBRARY + "Files/LevelMeter.swift",
           "samples.count { abs($0) > 1 }", "samples.count { $0 > 1 }"),
    Mutant("a file that came meanwhile is replaced", "library", LIBRARY + "Files/PartFile.swift",
           "    let name = replacesExisting ?", "    let replacesExisting = true\n    let name = replacesExisting ?"),
    Mutant("a point of a time map is off", "library", LIBRARY + "TimeMap.swift",
           "return before.output + (point.output - before.output) * share",
           "return point.output - (point.output - before.output) * share"),
    # ---- the tool
    Mutant("one failed file of several is no failure", "tool", TOOL + "Jobs/JobRunner.swift",
           "results.allSatisfy(\\.self)", "results.contains(true)"),
    Mutant("a failure in JSON has no reason", "tool", TOOL + "Reports/JSONReport.swift",
           "write(\"failed\", [\"input\": input, \"code\": error.code, \"message\": error.message])",
           "write(\"failed\", [\"input\": input])"),
    Mutant("an input is overwritten by another job", "tool", TOOL + "Jobs/Job.swift",
           "if let reader = readers[target], reader != job {",
           "if let reader = readers[target], reader != job, jobs.count > 99 {"),
    Mutant("a file with less permissions than before is written", "tool", LIBRARY + "Files/PartFile.swift",
           "    if let replaced {", "    if false, let replaced {"),
    # ---- the web
    Mutant("only the first channel of the web player turns", "web", "web/core/MemoryPlayer.swift",
           "      for plane in planes.indices {\n        let samples", "      for plane in 0..<1 {\n        let samples"),
    Mutant("the web player takes a speed that is too high", "web", "web/checks.js",
           "if (value >= low && value <= high) return value;", "if (value >= low) return value;"),
]
