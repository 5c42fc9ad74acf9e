// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// The path of a file as Linux sees it: bytes that may not be UTF-8.
///
/// A URL keeps such bytes percent-encoded, but its `path` and `lastPathComponent` are then empty.
/// So the library takes URLs, and uses this type for everything else about a path.
package struct FilePath: Hashable, Sendable, Codable {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// The path of a file URL, without a slash at its end.
  package init(_ url: URL) {
    let encoded = Array(url.absoluteURL.path(percentEncoded: true).utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < encoded.count {
      let digits = String(decoding: encoded[(index + 1)...].prefix(2), as: UTF8.self)
      let byte = encoded[index] == UInt8(ascii: "%") ? UInt8(digits, radix: 16) : nil
      bytes.append(byte ?? encoded[index])
      index += byte == nil ? 1 : 3
    }
    self.init(bytes: bytes.count > 1 && bytes.last == Self.slash ? bytes.dropLast() : bytes[...])
  }

  /// The file URL. A relative path is relative to the current folder.
  package var url: URL {
    let whole = bytes.first == Self.slash ? self : Self.current.appending(self)
    let encoded = whole.bytes.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      if isPlain || "/-._~".contains(character) { return String(character) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
    return URL(string: "file://" + encoded.joined()) ?? URL(fileURLWithPath: description)
  }

  /// The path in the form that C functions take.
  package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  private static let slash = UInt8(ascii: "/")
}

extension FilePath: CustomStringConvertible, ExpressibleByStringLiteral, Comparable {
  /// The path as text. If it isn't UTF-8, bytes are written as in a shell's `$'caf\xe9.wav'`, so
  /// different names never look alike.
  package var description: String {
    String(validating: bytes, as: UTF8.self)
      ?? bytes.map { byte in
        byte < 0x80 ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16)
      }.joined()
  }

  package init(stringLiteral text: String) { self.init(text) }

  package static func < (first: FilePath, second: FilePath) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }

  package static func + (first: FilePath, second: FilePath) -> FilePath {
    FilePath(bytes: first.bytes + second.bytes)
  }

  package static func + (first: FilePath, second: String) -> FilePath { first + FilePath(second) }
}

// MARK: - Parts

extension FilePath {
  private var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

  /// The last component: the name of the file without its folder.
  package var name: FilePath { FilePath(bytes: components.last ?? bytes[...]) }

  package var folder: FilePath {
    let isAbsolute = bytes.first == Self.slash
    let parents = FilePath(bytes: components.dropLast().joined(separator: [Self.slash]))
    return isAbsolute ? "/" + parents : parents.bytes.isEmpty ? "." : parents
  }

  /// The names of the folders that lead to the file, followed by its own name.
  package var names: [FilePath] { components.map { FilePath(bytes: $0) } }

  /// The characters after the last dot of the name, or empty if there's none.
  package var fileExtension: String {
    dot.map { String(decoding: name.bytes[($0 + 1)...], as: UTF8.self) } ?? ""
  }

  package var stem: FilePath { FilePath(bytes: name.bytes[..<(dot ?? name.bytes.count)]) }

  /// "Mr. Smith", ".hidden" and "end." have no extension.
  private var dot: Int? {
    guard let dot = name.bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return nil }
    let rest = name.bytes[(dot + 1)...]
    return rest.isEmpty || rest.contains(UInt8(ascii: " ")) ? nil : dot
  }

  package var endsInSlash: Bool { bytes.last == Self.slash }

  /// The path with a slash at the end.
  package var asFolder: FilePath { endsInSlash ? self : self + "/" }

  /// The path of a file in this folder.
  package func appending(_ name: FilePath) -> FilePath { asFolder + name }
}

// MARK: - The file system

extension FilePath {
  package static var current: FilePath {
    guard let path = getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { free(path) }
    return FilePath(cString: path)
  }

  package static var temporaryFolder: FilePath {
    guard let path = getenv("TMPDIR"), path.pointee != 0 else { return "/tmp" }
    return FilePath(cString: path)
  }

  package static func newTemporary(_ ending: String = "") -> FilePath {
    temporaryFolder.appending(FilePath("retrograde-\(UUID().uuidString)\(ending)"))
  }

  package init(cString: UnsafePointer<CChar>) {
    self.init(
      bytes: UnsafeBufferPointer(start: cString, count: strlen(cString)).map {
        UInt8(bitPattern: $0)
      })
  }

  /// If `followsLinks` is false, you get the status of a link itself. Nil if there's no such file.
  package func status(followsLinks: Bool = true) -> stat? {
    var status = stat()
    let isKnown = (followsLinks ? stat(cString, &status) : lstat(cString, &status)) == 0
    return isKnown ? status : nil
  }

  /// `kind` is one of stat's file types, such as `S_IFREG`.
  package func isKind(_ kind: mode_t, followsLinks: Bool = true) -> Bool {
    status(followsLinks: followsLinks).map { $0.st_mode & S_IFMT == kind } ?? false
  }

  /// The path with links resolved. The file needn't exist.
  package var resolved: FilePath {
    if let path = realpath(cString, nil) {
      defer { free(path) }
      return FilePath(cString: path)
    }
    guard !bytes.isEmpty, folder != self else { return self }
    let parent = folder.resolved
    return name == "." ? parent : name == ".." ? parent.folder : parent.appending(name)
  }

  /// The files and folders in this folder except for hidden ones, sorted. Nil if we can't read the
  /// folder.
  package var contents: [FilePath]? {
    names { $0.bytes.first != UInt8(ascii: ".") }
  }

  /// Sorted, or nil if we can't read the folder.
  package func names(that fit: (FilePath) -> Bool) -> [FilePath]? {
    guard let stream = opendir(cString) else { return nil }
    defer { closedir(stream) }
    var names: [FilePath] = []
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { name in
        let name = FilePath(bytes: name.prefix { $0 != 0 })
        if fit(name) { names.append(name) }
      }
    }
    return names.sorted()
  }
}
