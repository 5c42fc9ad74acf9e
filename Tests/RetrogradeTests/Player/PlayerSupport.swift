// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Foundation
import Testing

@testable import Retrograde

/// The sounds of the examples.
enum Media {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("launch-examples/media")

  static func file(_ name: String) -> AudioFile { AudioFile(folder.appendingPathComponent(name)) }

  /// 1.5 s, stereo, 44.1 kHz, 16 bits.
  static let short = file("short.wav")
}

/// The 16-bit samples of a WAV file, read without a library.
struct Samples {
  let values: [Int16]

  init(of url: URL) throws {
    let data = try Data(contentsOf: url)
    let mark = data.range(of: Data("data".utf8))?.upperBound ?? data.endIndex
    let size = data.dropFirst(mark - data.startIndex).prefix(4).reversed()
      .reduce(0) { $0 << 8 | Int($1) }
    // the size is 0 if the file is still being written
    let samples = data.dropFirst(mark + 4 - data.startIndex).prefix(size == 0 ? .max : size)
    values = samples.withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
    }
  }
}

/// Stereo frames.
struct Frames: Equatable, CustomTestStringConvertible {
  var left: [Int16] = []
  var right: [Int16] = []

  var count: Int { left.count }
  var testDescription: String { "\(count) frames from \(left.prefix(4)) to \(left.suffix(4))" }

  init(of url: URL) throws {
    let samples = try Samples(of: url).values
    left = stride(from: 0, to: samples.count - 1, by: 2).map { samples[$0] }
    right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
  }

  init(left: [Int16], right: [Int16]) { (self.left, self.right) = (left, right) }

  var reversed: Frames { Frames(left: left.reversed(), right: right.reversed()) }

  subscript(range: Range<Int>) -> Frames {
    let range = range.clamped(to: 0..<count)
    return Frames(left: Array(left[range]), right: Array(right[range]))
  }

  static func + (one: Frames, other: Frames) -> Frames {
    Frames(left: one.left + other.left, right: one.right + other.right)
  }
}

extension Frames {
  /// 20 s of noise without repetition. No test plays more than 20 s.
  static let noise: Frames = {
    var state: UInt32 = 1
    let samples = (0..<2 * 20 * 44100).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223  // the generator of "Numerical Recipes"
      return Int16(truncatingIfNeeded: Int32(bitPattern: state) >> 18)
    }
    return Frames(
      left: stride(from: 0, to: samples.count, by: 2).map { samples[$0] },
      right: stride(from: 1, to: samples.count, by: 2).map { samples[$0] })
  }()

  /// Writes a plain WAV file at 44.1 kHz.
  func write(to url: URL) throws {
    var data = Data("RIFF".utf8)
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    add(UInt32(36 + 4 * count))
    data.append(contentsOf: "WAVEfmt ".utf8)
    add(UInt32(16))
    for number: UInt16 in [1, 2] { add(number) }
    for number: UInt32 in [44100, 4 * 44100] { add(number) }
    for number: UInt16 in [4, 16] { add(number) }
    data.append(contentsOf: "data".utf8)
    add(UInt32(4 * count))
    for (left, right) in zip(left, right) {
      add(left)
      add(right)
    }
    try data.write(to: url)
  }
}

/// A folder that is removed after the test.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("retrograde-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

extension AudioPlayer.Sink {
  /// Takes sound as fast as it comes, and never waits for a clock.
  static let fast = Self.custom("fakesink")

  /// Writes a WAV file with 16 bits, as fast as the sound comes.
  static func writing(_ file: URL) -> Self {
    .custom(
      "audioconvert dithering=none ! audio/x-raw,format=S16LE,channels=2 ! wavenc "
        + "! filesink location=\(file.path)")
  }
}

extension AudioPlayer {
  /// Waits until playback has ended. Returns false if playback fails, or after a minute.
  func waitForEnd() async -> Bool {
    let events = events
    if state == .ended || state == .empty { return state == .ended }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await event in events {
          switch event {
          case .ended: return true
          case .failed: return false
          default: continue
          }
        }
        return false
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(60))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Returns the reported positions up to the first one for which `isThere` returns true, or nil
  /// after a minute.
  func positions(until isThere: @escaping @Sendable (Position) -> Bool) async -> [Position]? {
    let end = ContinuousClock.now + .seconds(60)
    var all: [Position] = []
    for await position in positions {
      all.append(position)
      if isThere(position) { return all }
      if ContinuousClock.now > end { return nil }
    }
    return nil
  }
}

/// Returns the value of a property in GStreamer's notation.
func property(
  _ name: String, of element: String, in pipeline: UnsafeMutableRawPointer?
) -> String? {
  guard let element = cgst_bin_get(pipeline, element) else { return nil }
  defer { gst_object_unref(element) }
  var value = GValue()
  g_object_get_property(cast(element), name, &value)
  defer { g_value_unset(&value) }
  return adopt(gst_value_serialize(&value)).prefix { $0 != " " }.description
}

/// The position of an element's output.
func position(of element: String, in pipeline: UnsafeMutableRawPointer?) -> Duration? {
  guard let element = cgst_bin_get(pipeline, element) else { return nil }
  defer { gst_object_unref(element) }
  var nanoseconds: gint64 = 0
  let isKnown = gst_element_query_position(element, GST_FORMAT_TIME, &nanoseconds) != 0
  return isKnown ? .nanoseconds(nanoseconds) : nil
}

extension AudioPlayer {
  func change(_ change: @Sendable (inout Settings) -> Void) async {
    var new = settings
    change(&new)
    await apply(new)
  }
}
