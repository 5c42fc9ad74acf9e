// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

/// The lines of a text, without indentation, and without empty lines.
private func lines(_ text: String) -> [String] {
  text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    .filter { !$0.isEmpty }
}

/// The Swift code blocks in a Markdown text.
private func blocks(_ text: String) -> [[String]] {
  text.components(separatedBy: "```swift\n").dropFirst().compactMap {
    $0.components(separatedBy: "```").first.map(lines)
  }
}

/// Returns the files in a folder and its subfolders whose names end with `ending`.
private func files(in folder: String, endingWith ending: String) throws -> [URL] {
  let url = Sounds.root.appendingPathComponent(folder)
  return try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
    .filter { $0.hasSuffix(ending) }.map(url.appendingPathComponent)
}

private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

/// The source files of the library, as lines.
private func sources() throws -> [(name: String, lines: [String])] {
  try ["Sources/AudioModel", "Sources/Retrograde"]
    .flatMap { try files(in: $0, endingWith: ".swift") }
    .map { ($0.lastPathComponent, lines(try text($0))) }
}

/// All lines of code that are compiled with the tests, in order.
private func testedLines() throws -> [String] {
  try files(in: "Tests/RetrogradeTests", endingWith: "Tests.swift").map(text).flatMap(lines)
}

/// All code in articles and pages must appear in a test, which compiles and runs it.
@Test func articleCodeIsTested() throws {
  let tested = try testedLines()
  let articles =
    try files(in: "Sources/Retrograde/Retrograde.docc", endingWith: ".md")
    + [Sounds.root.appendingPathComponent("README.md")] + files(in: "docs", endingWith: ".md")
  for article in articles {
    let shown = blocks(try text(article))
    let mayShowNone = article.pathComponents.contains("docs")
    #expect(!shown.isEmpty || mayShowNone, "\(article.lastPathComponent) shows no code")
    for block in shown {
      let isTested = tested.indices.contains { tested[$0...].starts(with: block) }
      #expect(isTested, "\(article.lastPathComponent): \(block.joined(separator: "\n"))")
    }
  }
}

/// All code in comments must appear in a test, which compiles it.
@Test func codeInCommentsIsTested() throws {
  let tested = try testedLines()
  for source in try sources() {
    let comments = source.lines.filter { $0.hasPrefix("///") }
      .map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
    for block in blocks(comments.joined(separator: "\n")) {
      let isTested = tested.indices.contains { tested[$0...].starts(with: block) }
      #expect(isTested, "\(source.name): \(block.joined(separator: "\n"))")
    }
  }
}

@Test func everyPublicTypeHasAnExample() throws {
  var count = 0
  let declaration = #/public (struct|enum|actor|final class|class|protocol)\b/#
  for (name, lines) in try sources() {
    for (index, line) in lines.enumerated() where line.contains(declaration) {
      count += 1
      let comment = lines[..<index].reversed().drop { $0.hasPrefix("@") }
        .prefix { $0.hasPrefix("///") }
      #expect(comment.contains("/// ```swift"), "\(name): \(line)")
    }
  }
  #expect(count >= 30)
}
