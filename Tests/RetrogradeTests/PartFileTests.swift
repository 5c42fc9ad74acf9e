// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Glibc
import Testing

@testable import Retrograde

extension PartFile {
  /// Writes through the open descriptor, as the pipeline does.
  fileprivate func write(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
  }
}

@Test func fileHasItsNameOnlyWhenItIsComplete() throws {
  let folder = try TestFolder()
  let target = folder.file("new.wav")
  do {
    let part = try PartFile(for: target, replacingExisting: false)
    part.write("sound")
    #expect(!folder.names.contains("new.wav"))
    #expect(try Data(contentsOf: part.readable) == Data("sound".utf8))
    try part.keep()
    #expect(try Data(contentsOf: target) == Data("sound".utf8))
  }
  #expect(folder.names == ["new.wav"])
}

@Test func fileThatIsNotKeptIsRemoved() throws {
  let folder = try TestFolder()
  do {
    let part = try PartFile(for: folder.file("new.wav"), replacingExisting: false)
    part.write("sound")
  }
  #expect(folder.names == [])
}

@Test func theWrittenFileGetsTheNameWhateverIsAtItsTemporaryOne() throws {
  let folder = try TestFolder()
  for replaces in [false, true] {
    let target = folder.file("new-\(replaces).wav")
    let victim = folder.file("victim-\(replaces)")
    try Data("precious".utf8).write(to: victim)
    let part = try PartFile(for: target, replacingExisting: replaces)
    // another user removes the temporary name, if there is one, and creates a link instead
    for name in folder.names where name.contains(".part-") {
      try FileManager.default.removeItem(at: folder.file(name))
      try FileManager.default.createSymbolicLink(
        at: folder.file(name), withDestinationURL: victim)
    }
    part.write("sound")
    try part.keep()
    #expect(try Data(contentsOf: target) == Data("sound".utf8))
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    var status = stat()
    #expect(lstat(target.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
  }
}

@Test func emptiedFileHoldsLaterWrites() throws {
  let folder = try TestFolder()
  let part = try PartFile(for: folder.file("new.wav"), replacingExisting: false)
  part.write("a long sound")
  try part.empty()
  part.write("sound")
  try part.keep()
  #expect(try Data(contentsOf: folder.file("new.wav")) == Data("sound".utf8))
}

@Test func linkThatLeadsNowhereIsReplacedByAFileOfUsualPermissions() throws {
  let folder = try TestFolder()
  let target = folder.file("link.wav")
  try FileManager.default.createSymbolicLink(
    at: target, withDestinationURL: folder.file("nowhere"))
  let part = try PartFile(for: target, replacingExisting: true)
  part.write("sound")
  try part.keep()
  let plain = folder.file("plain.wav")
  let other = try PartFile(for: plain, replacingExisting: false)
  try other.keep()
  #expect(try permissions(target) == permissions(plain))
}

private func permissions(_ url: URL) throws -> mode_t {
  var status = stat()
  #expect(stat(url.path, &status) == 0)
  return status.st_mode & 0o777
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
  part.write("new")
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
