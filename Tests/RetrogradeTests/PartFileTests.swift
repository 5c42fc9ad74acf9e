// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

@Test func fileHasItsNameOnlyWhenItIsComplete() throws {
  let folder = try TestFolder()
  let target = folder.file("new.wav")
  do {
    let part = try PartFile(for: target, replacingExisting: false)
    try Data("sound".utf8).write(to: part.temporary)
    #expect(folder.names == [part.temporary.lastPathComponent])
    #expect(folder.names.first?.hasPrefix(".new.wav.part-") == true)
    try part.keep()
    #expect(try Data(contentsOf: target) == Data("sound".utf8))
  }
  #expect(folder.names == ["new.wav"])
}

@Test func fileThatIsNotKeptIsRemoved() throws {
  let folder = try TestFolder()
  do {
    let part = try PartFile(for: folder.file("new.wav"), replacingExisting: false)
    try Data("sound".utf8).write(to: part.temporary)
  }
  #expect(folder.names == [])
}

@Test func existingFileIsNotReplacedUnlessAllowed() throws {
  let folder = try TestFolder()
  let target = folder.file("old.wav")
  try Data("old".utf8).write(to: target)
  let error = #expect(throws: RetrogradeError.self) {
    try PartFile(for: target, replacingExisting: false)
  }
  #expect(error?.code == .outputExists)
  #expect(folder.names == ["old.wav"])

  let part = try PartFile(for: target, replacingExisting: true)
  try Data("new".utf8).write(to: part.temporary)
  #expect(try Data(contentsOf: target) == Data("old".utf8))
  try part.keep()
  #expect(try Data(contentsOf: target) == Data("new".utf8))
}

@Test func fileThatCameMeanwhileIsNotReplaced() throws {
  let folder = try TestFolder()
  let target = folder.file("new.wav")
  do {
    let part = try PartFile(for: target, replacingExisting: false)
    try Data("theirs".utf8).write(to: target)
    let error = #expect(throws: RetrogradeError.self) { try part.keep() }
    #expect(error?.code == .outputExists)
  }
  #expect(try Data(contentsOf: target) == Data("theirs".utf8))
  #expect(folder.names == ["new.wav"])
}

@Test func linkThatLeadsNowhereCountsAsAFile() throws {
  let folder = try TestFolder()
  let target = folder.file("link.wav")
  try FileManager.default.createSymbolicLink(
    at: target, withDestinationURL: folder.file("nowhere"))
  let error = #expect(throws: RetrogradeError.self) {
    try PartFile(for: target, replacingExisting: false)
  }
  #expect(error?.code == .outputExists)
}

@Test func folderIsNeverReplaced() throws {
  let folder = try TestFolder()
  for isAllowed in [false, true] {
    let error = #expect(throws: RetrogradeError.self) {
      try PartFile(for: folder.url, replacingExisting: isAllowed)
    }
    #expect(error?.code == .outputUnwritable)
  }
}

@Test func missingFolderIsAPlaceThatCannotBeWritten() throws {
  let folder = try TestFolder()
  let error = #expect(throws: RetrogradeError.self) {
    try PartFile(for: folder.file("missing/new.wav"), replacingExisting: false)
  }
  #expect(error?.code == .outputUnwritable)
  #expect(error?.message.contains("missing/new.wav") == true)
}

/// A file system takes names of 255 bytes; the temporary name must fit as well.
@Test(arguments: ["a", "ü", "音", "🎵"])
func longestNameIsWritten(letter: String) throws {
  let folder = try TestFolder()
  let room = 255 - ".wav".utf8.count
  let name = String(repeating: letter, count: room / letter.utf8.count) + ".wav"
  let part = try PartFile(for: folder.file(name), replacingExisting: false)
  try Data("sound".utf8).write(to: part.temporary)
  try part.keep()
  #expect(folder.names.contains(name))
}
