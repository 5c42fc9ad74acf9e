// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Foundation
import Testing

@testable import Retrograde

// Tests conversions of absurd numbers, which files and devices may contain. A conversion that traps
// would end the whole test run.

@Test func numbersThatDoNotFitBecomeTheNearestThatDo() {
  #expect(Int64(saturating: 1.9) == 1)
  #expect(Int64(saturating: -1.9) == -1)
  #expect(Int64(saturating: 9.3e18) == .max)
  #expect(Int64(saturating: -.infinity) == .min)
  #expect(Int64(saturating: .nan) == 0)
  #expect(UInt32(saturating: -1) == 0)
  #expect(UInt32(saturating: 0x1p32) == .max)
  #expect(Duration.seconds(saturating: 1e300).nanoseconds == .max)
  #expect(Duration.seconds(saturating: .nan) == .zero)
}

/// In GStreamer, 2⁶⁴ − 1 means "no time". A clock time minus a later base time wraps around.
@Test func timesOfGStreamersAreNoneOrNegativeWhereTheyAreHuge() {
  #expect(Duration(.max as GstClockTime) == nil)
  #expect(Duration(GstClockTime(5_000_000)) == .milliseconds(5))
  #expect(Duration(GstClockTime(0) &- 5_000_000) == .milliseconds(-5))
}

@Test func remainingTimeOfWorkThatHasHardlyBegunIsLong() {
  let progress = AudioFile.Progress(
    fraction: 1e-300, elapsed: .seconds(1), inputDuration: .seconds(Int64.max))
  #expect(progress.remaining?.nanoseconds == .max)
}

/// The header declares 2³¹ frames per second, and the maximum number of channels.
@Test func headerOfARecordingClampsItsNumbers() {
  let format = WaveFormat(sample: "F64LE", rate: 1 << 31, channels: .max)
  #expect(format.header(dataBytes: 1 << 50).count == WaveFormat.headerBytes)
  #expect(format.longHeader(dataBytes: 1 << 50, frames: .max).count == WaveFormat.longHeaderBytes)
  #expect(format.header(dataBytes: 0)[28..<32] == [0xFF, 0xFF, 0xFF, 0xFF])
}

/// Numbers that a damaged header may contain.
private let centuries = AudioInformation(
  duration: .seconds(Int64.max), rate: .max, channels: 64, layout: [], sampleFormat: "F64LE",
  isLossy: false, codec: "PCM", tags: AudioTags())

@Test func fileThatDeclaresCenturiesCanBeCounted() throws {
  #expect(centuries.frames == .max)
  let encoding = try Encoding(OutputSettings(), for: URL(fileURLWithPath: "long.aiff"))
  let error = #expect(throws: RetrogradeError.self) {
    _ = try encoding.fitted(to: AudioEdit(factor: ScaleFactor(clamping: 100)), of: centuries)
  }
  #expect(error?.code == .outputUnsupported)
}

@Test func fileThatDeclaresCenturiesCanBeDrawn() {
  var outline = Outline(columns: 4096, frames: .max)
  _ = outline.add([[0.5, -0.5]])
  #expect(outline.waveform.columns[0] == -0.5...0.5)
}

@Test func samplesThatAreNoNumbersAreNotDrawn() {
  var outline = Outline(columns: 1, frames: 4)
  _ = outline.add([[.infinity, 0.5, .nan, -.infinity]])
  #expect(outline.waveform.columns == [0...0.5])
}

@Test func clockBeforeTheBaseTimeIsTheBeginning() async throws {
  let player = AudioPlayer(sink: .silent)
  try await player.open(Media.short)
  await player.play()
  await player.withPipeline { pipeline in
    guard let element = pipeline?.assumingMemoryBound(to: GstElement.self) else { return }
    gst_element_set_base_time(element, gst_element_get_base_time(element) + 3600 * 1_000_000_000)
  }
  await player.report()
  #expect(await player.playhead == .zero)
  await player.pause()
  #expect(await player.playhead == .zero)
  await player.close()
}
