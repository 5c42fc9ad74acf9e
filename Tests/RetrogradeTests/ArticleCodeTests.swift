// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

/// The lines of a text without what they are indented by.
private func lines(_ text: String) -> [String] {
  text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    .filter { !$0.isEmpty }
}

/// The blocks of Swift in a text in Markdown.
private func blocks(_ text: String) -> [[String]] {
  text.components(separatedBy: "```swift\n").dropFirst().compactMap {
    $0.components(separatedBy: "```").first.map(lines)
  }
}

private func files(in folder: String, endingWith ending: String) throws -> [URL] {
  let url = Sounds.root.appendingPathComponent(folder)
  return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    .filter { $0.hasSuffix(ending) }.map(url.appendingPathComponent)
}

/// Code in an article is compiled and run in a test, line by line as it is shown.
@Test func articleCodeIsTested() throws {
  let tested = try files(in: "Tests/RetrogradeTests", endingWith: "ArticleTests.swift")
    .map { try String(contentsOf: $0, encoding: .utf8) }.flatMap(lines)
  let articles =
    try files(in: "Sources/Retrograde/Retrograde.docc", endingWith: ".md")
    + files(in: ".", endingWith: "README.md")
  for article in articles {
    let shown = blocks(try String(contentsOf: article, encoding: .utf8))
    #expect(!shown.isEmpty, "\(article.lastPathComponent) shows no code")
    for block in shown {
      let isTested = tested.indices.contains { tested[$0...].starts(with: block) }
      #expect(isTested, "\(article.lastPathComponent): \(block.joined(separator: "\n"))")
    }
  }
}
