// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing
import TimeDSP

/// Contains the code of the articles of TimeDSP, line by line, as `articleCodeIsTested` requires.
@Suite struct TimeDSPArticleTests {
  private let stereo = OddReader.sound(frames: 2_000, channels: 2)

  @Test func landingPage() throws {
    let backwards = try FrameReversal(of: Float.self, channels: 2).reversed(stereo)
    let slow = try TimeScaler.fitted(stereo, to: 3 * stereo.count / 4, channels: 2)
    let calm = try TimeScaler.scaled(stereo, by: 1.5, sampleRate: 48_000, channels: 2)
    #expect(backwards.count == stereo.count && 2 * slow.count == 3 * stereo.count)
    #expect(2 * calm.count == 3 * stereo.count)
  }

  @Test func reversing() throws {
    var printed: [String] = []
    func print(_ what: Any) { printed.append("\(what)") }
    let reversal = try FrameReversal(of: Int16.self, channels: 2)
    var recording: [Int16] = [1, -1, 2, -2, 3, -3]
    try reversal.reverse(&recording)
    print(recording)  // [3, -3, 2, -2, 1, -1]
    var bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    try FrameReversal(frameBytes: 3).reverse(&bytes)
    print(bytes)  // [7, 8, 9, 4, 5, 6, 1, 2, 3]
    #expect(printed == ["[3, -3, 2, -2, 1, -1]", "[7, 8, 9, 4, 5, 6, 1, 2, 3]"])

    func render(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) throws {
      var target = output.mutableBytes
      try reversal.reverse(input.bytes, into: &target)
    }
    var turned = [Int16](repeating: 0, count: 6)
    try turned.withUnsafeMutableBytes { output in
      try recording.withUnsafeBytes { try render($0, output) }
    }
    #expect(turned == [1, -1, 2, -2, 3, -3])
  }

  @Test func scaling() throws {
    let stereo = OddReader.sound(frames: 20_000, channels: 2)
    var scaler = try TimeScaler<Float>(factor: 1, sampleRate: 48_000, channels: 2)
    var output = try scaler.process(stereo)
    try scaler.setFactor(1.25, pitch: .kept(semitones: -1), rampFrames: 4_800)
    output += try scaler.process(stereo)
    output += try scaler.finish()
    #expect(output.count > 2 * stereo.count)
    let higher = try TimeScaler.scaled(
      stereo, by: 1, pitch: .kept(semitones: 3), sampleRate: 48_000, channels: 2)
    let tape = try TimeScaler.scaled(
      stereo, by: 2, pitch: .followsSpeed, sampleRate: 48_000, channels: 2)
    #expect(higher.count == stereo.count && tape.count == 2 * stereo.count)
    let line = try TimeScaler.fitted([0, 1, 2] as [Double], to: 5, interpolation: .linear)
    print(line)  // [0.0, 0.5, 1.0, 1.5, 2.0]
    #expect(line == [0, 0.5, 1, 1.5, 2])
  }

  @Test func scalingWhileItPlays() throws {
    var scaler = try TimeScaler<Float>(
      factor: 1, pitch: .followsSpeed, sampleRate: 48_000, channels: 2)
    func render(_ input: Span<Float>, _ output: inout MutableSpan<Float>) throws -> Int {
      try scaler.process(input, into: &output).consumed
    }
    var output = [Float](repeating: 0, count: 8_000)
    var target = output.mutableSpan
    let used = try render(stereo.span, &target)
    #expect(used == 2_000)
  }

  @Test func scalingPlanes() async throws {
    let planes = [OddReader.sound(frames: 2_000, channels: 1), stereo.dropLast(2_000)]
    let blocks = AsyncStream { stream in
      stream.yield(AudioBlock(sampleRate: 48_000, planes: planes.map { Array($0) }))
      stream.finish()
    }
    var frames = 0
    func play(_ block: AudioBlock) { frames += block.frames }
    for try await block in blocks.timeScaled(by: 1.5) { play(block) }
    #expect(frames == 3_000)
  }

  /// All code in the articles must appear in this file, where it is compiled and run.
  @Test func articleCodeIsTested() throws {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
    }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../..")
    let tested = lines(try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8))
    let catalogue = root.appendingPathComponent("Sources/TimeDSP/API/TimeDSP.docc")
    let articles = try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
    #expect(articles.count == 3)
    for article in articles {
      let text = try String(contentsOf: catalogue.appendingPathComponent(article), encoding: .utf8)
      let blocks = text.components(separatedBy: "```swift\n").dropFirst()
      #expect(!blocks.isEmpty, "\(article) shows no code")
      for block in blocks {
        let shown = lines(block.components(separatedBy: "```")[0])
        let isTested = tested.indices.contains { tested[$0...].starts(with: shown) }
        #expect(isTested, "\(article): \(shown.joined(separator: "\n"))")
      }
    }
  }
}
