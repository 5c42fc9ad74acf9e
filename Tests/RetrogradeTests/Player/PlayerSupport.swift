// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

/// The sounds of the examples.
enum Media {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("launch-examples/media")

  static func file(_ name: String) -> AudioFile { AudioFile(folder.appendingPathComponent(name)) }

  /// 1.5 s, stereo, 44.1 kHz, 16 bits.
  static let short = file("short.wav")
}

/// Samples of 16 bits, as a plain reader finds them in a WAV file.
struct Samples {
  let values: [Int16]

  init(of url: URL) throws {
    let data = try Data(contentsOf: url)
    let mark = data.range(of: Data("data".utf8))?.upperBound ?? data.endIndex
    values = data.dropFirst(mark + 4 - data.startIndex).withUnsafeBytes { bytes in
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

/// A folder that goes with the test.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("retrograde-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

extension Player {
  /// Waits until play has ended; false if it fails instead, or takes a minute.
  func waitForEnd() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await event in self.events {
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

  /// Positions as they are told, until one is as wanted; nil if none is within a minute.
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
