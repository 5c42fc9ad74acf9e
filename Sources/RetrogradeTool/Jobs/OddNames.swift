// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde
import Synchronization

/// Support for file names that are not UTF-8, which a `String` cannot represent.
///
/// Such a file is read through a symbolic link in a temporary folder, and its name is displayed as
/// if it were Latin-1. The links are removed at the end of the process.
enum OddNames {
  private static let links = Mutex<Links?>(nil)

  /// The arguments of the command line. An argument that is not UTF-8 is converted from Latin-1.
  static func arguments() -> [String] {
    (0..<Int(clamping: CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in name(of: word, path: word) }
    }
  }

  /// The path at which `input`, as written by the user, can be read.
  static func path(of input: String) -> String {
    links.withLock { $0?.path(of: input) } ?? input
  }

  /// Whether the name of the file `input` itself is not UTF-8, so it is read through a link of its
  /// own. The names of its folders do not matter.
  static func isOdd(_ input: String) -> Bool { links.withLock { $0?.paths[input] != nil } }

  /// The file URL at which `input`, as written by the user, can be read.
  static func url(of input: String) -> URL { URL(fileURLWithPath: path(of: input)) }

  /// The names of the files and folders in a folder, sorted and without hidden files; nil if the
  /// folder cannot be read. `folder` ends in "/".
  static func names(in folder: String) -> [String]? {
    guard let stream = opendir(path(of: folder)) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: Int(clamping: NAME_MAX) + 1) { bytes in
          guard bytes[0] != CChar(UInt8(ascii: ".")) else { return }
          names.append(found(bytes, in: folder))
        }
      }
    }
    return names.sorted()
  }

  fileprivate static func removeLinks() { links.withLock { $0?.remove() } }

  /// The name of a file that was found in a folder, as a string.
  private static func found(_ bytes: UnsafePointer<CChar>, in folder: String) -> String {
    let prefix = path(of: folder).utf8CString.dropLast()
    let name = UnsafeBufferPointer(start: bytes, count: strlen(bytes) + 1)
    let whole = ContiguousArray(prefix) + ContiguousArray(name)
    return whole.withUnsafeBufferPointer { path in
      path.baseAddress.map { Self.name(of: bytes, path: $0, in: folder) }
    } ?? String(cString: bytes)
  }

  /// The name as a string. If the name is not UTF-8, a link to `path` is created for the string.
  /// `folder` is the folder as the user wrote it.
  private static func name(
    of bytes: UnsafePointer<CChar>, path: UnsafePointer<CChar>, in folder: String = ""
  ) -> String {
    if let name = String(validatingCString: bytes) { return name }
    let name = String(String.UnicodeScalarView(latin1(bytes)))
    guard let target = realpath(path, nil) else { return name }
    defer { free(target) }
    links.withLock { links in
      links = links ?? Links()
      links?.link(folder + name, to: target)
    }
    return name
  }

  private static func latin1(_ bytes: UnsafePointer<CChar>) -> [Unicode.Scalar] {
    UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { byte in
      // control characters of Latin-1 must not reach a terminal
      let scalar = Unicode.Scalar(UInt8(bitPattern: byte))
      return (0x80..<0xA0).contains(scalar.value) ? "?" : scalar
    }
  }
}

/// The links that the process has created, and their folder.
private struct Links: Sendable {
  private(set) var paths: [String: String] = [:]
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("retrograde-\(UUID().uuidString)").path

  init() {
    TemporaryNames.change { names in
      if mkdir(folder, 0o700) == 0 { names.append(TemporaryName(folder, isFolder: true)) }
    }
    atexit { OddNames.removeLinks() }
  }

  /// Creates a link. If this fails, nothing is recorded, and `input` will be reported as missing.
  mutating func link(_ input: String, to target: UnsafePointer<CChar>) {
    let name = input.split(separator: "/").last.map(String.init) ?? input
    let isTaken = paths.values.contains("\(folder)/\(name)")
    let path = "\(folder)/" + (isTaken ? "\(paths.count)-" : "") + name
    let isMade = TemporaryNames.change { names in
      guard symlink(target, path) == 0 else { return false }
      names.append(TemporaryName(path))
      return true
    }
    if isMade { paths[input] = path }
  }

  /// The path of the link for `input`. If there is a link for one of the folders of `input`, the
  /// path goes through that link.
  func path(of input: String) -> String {
    var end = input.endIndex
    while paths[String(input[..<end])] == nil {
      guard let slash = input[..<end].lastIndex(of: "/") else { return input }
      end = slash
    }
    return (paths[String(input[..<end])] ?? "") + input[end...]
  }

  func remove() {
    for path in paths.values { TemporaryNames.remove(TemporaryName(path)) }
    TemporaryNames.remove(TemporaryName(folder, isFolder: true))
  }
}
