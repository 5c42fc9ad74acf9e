// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Foundation
import Retrograde
import Testing

@testable import RetrogradeTool

@Suite struct JobTests {
  private func plan(_ inputs: [String], _ words: String...) throws -> [String] {
    let options = try OutputOptions.parse(words)
    return try Job.plan(inputs, output: options, suffix: "reversed").map(\.output)
  }

  @Test(arguments: [
    ("song.mp3", "song-reversed.m4a"), ("a/b/song.WAV", "song-reversed.wav"),
    ("two.dots.flac", "two.dots-reversed.m4a"), ("no extension", "no extension-reversed.wav"),
    ("talk.aif", "talk-reversed.aiff"), ("ring.m4r", "ring-reversed.m4a"),
    ("x.ogg", "x-reversed.ogg"), ("x.xyz", "x-reversed.wav"),
  ])
  func newNamesLieInTheCurrentFolder(input: String, output: String) throws {
    #expect(try plan([input]) == [output])
  }

  @Test func theTypeIsTheExtension() throws {
    #expect(
      try plan(["a.mp3", "b.wav"], "--type", "aif") == ["a-reversed.aiff", "b-reversed.aiff"])
  }

  @Test func namesInTwoFoldersClash() {
    #expect(throws: RetrogradeError.self) { try plan(["a/x.wav", "b/x.wav"]) }
    #expect(throws: RetrogradeError.self) { try plan(["x.mp3", "x.flac"]) }
    #expect(throws: RetrogradeError.self) { try plan(["x.wav", "./x.wav"]) }
  }

  /// Both would be written into the file that the link leads to.
  @Test func aLinkAndItsFileClash() throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("links-\(UUID())")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("a-reversed.wav"))
    try files.createSymbolicLink(
      atPath: folder.appendingPathComponent("b-reversed.wav").path,
      withDestinationPath: "a-reversed.wav")
    #expect(throws: RetrogradeError.self) {
      try plan(["a.wav", "b.wav"], "--force", "-o", folder.path)
    }
    #expect(try plan(["a.wav", "c.wav"], "--force", "-o", folder.path).count == 2)
  }

  @Test func anInputIsNotWrittenOver() {
    #expect(throws: RetrogradeError.self) { try plan(["x.wav", "x-reversed.wav"], "--force") }
  }

  @Test func oneInputMayBeItsOwnOutputUntilItIsLookedAt() throws {
    #expect(try plan(["x.wav"], "-o", "x.wav") == ["x.wav"])
  }
}
