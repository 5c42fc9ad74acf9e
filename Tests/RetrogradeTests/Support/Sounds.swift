// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

@testable import Retrograde

/// The sounds in `launch-examples/media`.
enum Sounds {
  /// The project's folder.
  static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
    path.deletingLastPathComponent()
  }
  static let folder = root.appendingPathComponent("launch-examples/media")

  static func file(_ name: String) -> AudioFile {
    AudioFile(folder.appendingPathComponent(name))
  }

  static let names = [
    "sample-vbr.mp3", "sample.flac", "sample.m4a", "sample.mp3", "sample.ogg", "sample.opus",
    "short.aiff", "short.wav", "speech.wav", "surround.flac", "surround.m4a", "surround.ogg",
  ]
}

/// A folder for one test, which is removed with the last reference to it.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("retrograde-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names in the folder, including hidden ones.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// Creates an empty file, and the folders of its path.
  @discardableResult
  func touch(_ name: String) throws -> URL {
    let url = file(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: url)
    return url
  }
}

/// A program could not be run, or failed.
struct ProgramFailed: Error {
  var command: [String]
  var status: Int32
}

/// Runs a program, and returns its standard output.
@discardableResult
func output(of command: String...) throws -> Data { try output(of: command) }

@discardableResult
func output(of command: [String]) throws -> Data {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = pipe
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw ProgramFailed(command: command, status: process.terminationStatus)
  }
  return data
}

/// The interleaved samples of a file, decoded by FFmpeg.
func samplesByFFmpeg(_ url: URL) throws -> [Float] {
  try output(of: "ffmpeg", "-v", "error", "-i", url.path, "-f", "f32le", "-c:a", "pcm_f32le", "-")
    .withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}

/// Whether the tests of `make check-all` run, too: all types of files, and what plays in real time.
let isLong = ProcessInfo.processInfo.environment["RETROGRADE_LONG"] == "1"
