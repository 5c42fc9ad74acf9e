// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Foundation
import Retrograde
import Testing

@testable import RetrogradeTool

@Suite struct JobTests {
  private func sources(_ inputs: [String]) -> [Source] {
    inputs.map { Source(FilePath($0)) }
  }

  private func plan(_ inputs: [String], _ words: String...) throws -> [String] {
    try plan(sources(inputs), words)
  }

  private func plan(_ sources: [Source], _ words: [String]) throws -> [String] {
    let options = try OutputOptions.parse(words)
    return try Job.plan(
      sources, isMany: sources.count > 1 || sources.contains { $0.folder != "" },
      output: options, suffix: "reversed"
    ).map(\.output.description)
  }

  @Test(arguments: [
    ("song.mp3", "song-reversed.mp3"), ("a/b/song.WAV", "song-reversed.WAV"),
    ("two.dots.flac", "two.dots-reversed.flac"), ("no extension", "no extension-reversed.flac"),
    ("Mr. Smith", "Mr. Smith-reversed.flac"),
    ("talk.aif", "talk-reversed.aif"), ("ring.m4r", "ring-reversed.flac"),
    ("x.ogg", "x-reversed.ogg"), ("x.xyz", "x-reversed.flac"),
  ])
  func newNamesLieInTheCurrentFolder(input: String, output: String) throws {
    #expect(try plan([input]) == [output])
  }

  @Test func theTypeIsTheExtension() throws {
    #expect(
      try plan(["a.mp3", "b.wav"], "--type", "aif") == ["a-reversed.aiff", "b-reversed.aiff"])
  }

  @Test func oneNameForTwoFilesIsRefused() {
    #expect(throws: RetrogradeError.self) { try plan(["x.mp3", "x.flac"], "--type", "wav") }
    #expect(throws: RetrogradeError.self) { try plan(["x.wav", "./x.wav"]) }
    #expect(throws: RetrogradeError.self) { try plan(["a/x.wav", "b/x.wav"]) }
    #expect(throws: Never.self) { try plan(["x.mp3", "x.flac"]) }
  }

  @Test func subfoldersOfASearchedFolderStay() throws {
    let found = ["", "A/", "A/B/"].map {
      Source(FilePath("music/\($0)x.mp3"), folder: FilePath($0))
    }
    #expect(
      try plan(found, ["-o", "new"])
        == ["new/x-reversed.mp3", "new/A/x-reversed.mp3", "new/A/B/x-reversed.mp3"])
  }

  @Test func standardInputGoesToStandardOutput() throws {
    #expect(try plan([Source("-", path: "/tmp/copy.ogg")], []) == ["-"])
    #expect(try plan([Source("-", path: "/tmp/copy.ogg")], ["-o", "a.flac"]) == ["a.flac"])
    let two = [Source("-", path: "/tmp/copy.ogg"), Source("a.mp3")]
    #expect(try plan(two, ["-o", "new/"]) == ["new/stdin-reversed.ogg", "new/a-reversed.mp3"])
  }

  @Test(arguments: [
    ("new", false, OutputLocation.file("new")), ("new", true, .folder("new/")),
    ("new/", false, .folder("new/")), ("-", false, .pipe), ("a.flac", false, .file("a.flac")),
    ("/tmp", false, .folder("/tmp/")),
  ])
  func placeOfTheOutput(output: String, isMany: Bool, place: OutputLocation) throws {
    #expect(try OutputLocation(FilePath(output), isMany: isMany) == place)
  }

  @Test(arguments: [("", false), ("a.flac", true), ("-", true), ("/dev/null", true)])
  func placeThatIsNone(output: String, isMany: Bool) {
    #expect(throws: RetrogradeError.self) { try OutputLocation(FilePath(output), isMany: isMany) }
  }

  /// Two names refer to the same file, one of them through a link.
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
