// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// This process uses the full Swift runtime. It also loads the plugin, whose Swift code was compiled
// in Embedded mode and has its own small runtime.

import Foundation
import Testing

@testable import Retrograde

/// A list of reference-counted objects: classes, boxes, closures.
private final class Link {
  let value: Int
  let next: Link?
  let double: (Int) -> Int
  init(_ value: Int, _ next: Link?) {
    (self.value, self.next) = (value, next)
    double = { $0 + value }
  }
}

private protocol Counting: Sendable { var count: Int { get } }
private struct Words: Counting {
  var words: [String: [Int]]
  var count: Int { words.count }
}

/// Allocates, counts references, copies on write, casts and throws until it is cancelled. Returns
/// the number of rounds with wrong results, and the number of all rounds.
private func useSwiftHeavily() async -> (wrong: Int, rounds: Int) {
  var (wrong, rounds) = (0, 0)
  repeat {
    let list = (0..<200).reduce(nil as Link?) { Link($1, $0) }
    let sum = sequence(first: list, next: \.?.next).reduce(0) { sum, link in
      sum + (link.map { $0.double($0.value) } ?? 0)
    }
    var words: [String: [Int]] = [:]
    for number in 0..<200 { words["word \(number % 50)", default: []].append(number) }
    let copy = words
    words.removeAll()
    let any: any Counting = Words(words: copy)
    let isRight =
      sum == 200 * 199 && any.count == 50 && (any as? Words)?.words["word 7"]?.count == 4
    wrong += isRight ? 0 : 1
    rounds += 1
    await Task.yield()
  } while !Task.isCancelled
  return (wrong, rounds)
}

@Test(.enabled(if: isLong)) func bothElementsWorkInAProcessFullOfSwift() async throws {
  let folder = try TestFolder()
  // other tests run at the same time, and need processor time
  let heavy = (0..<2).map { _ in Task(priority: .background) { await useSwiftHeavily() } }
  let input = Sounds.file("sample.flac")
  let samples = try samplesByFFmpeg(input.url)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<4 {
      group.addTask {
        try await input.reverse(to: folder.file("reversed-\(number).wav")).finish()
        try await input.scale(
          by: ScaleFactor(clamping: 0.5), to: folder.file("scaled-\(number).wav")
        ).finish()
      }
    }
    try await group.waitForAll()
  }
  for task in heavy { task.cancel() }
  for task in heavy {
    let (wrong, rounds) = await task.value
    #expect(wrong == 0)
    #expect(rounds > 0)
  }
  let scaled = try samplesByFFmpeg(folder.file("scaled-0.wav"))
  #expect(scaled.count == samples.count / 2)
  for number in 0..<4 {
    let reversed = try samplesByFFmpeg(folder.file("reversed-\(number).wav"))
    #expect(reversed == samples.framesReversed(channels: 2))
    #expect(try samplesByFFmpeg(folder.file("scaled-\(number).wav")) == scaled)
  }
}

/// Symbols of Swift's runtime and libraries, with C names ("swift_retain") or mangled names ("$s…",
/// "_$s…").
private func swiftNames(_ option: String) throws -> [String] {
  let plugin = Sounds.root.appendingPathComponent("build/gst-plugin/libgstretrograde.so")
  let table = try output(of: "nm", "-D", option, plugin.path)
  let names = String(decoding: table, as: UTF8.self).split(separator: "\n")
    .compactMap { $0.split(separator: " ").last.map(String.init) }
  #expect(!names.isEmpty)
  return names.filter { $0.contains("swift") || $0.contains("$s") || $0.contains("$e") }
}

/// The plugin must not have Swift symbols, because the dynamic linker would confuse these with the
/// Swift symbols of the process.
@Test(arguments: ["--undefined-only", "--defined-only"])
func pluginSharesNoNameOfSwiftsRuntime(table: String) throws {
  #expect(try swiftNames(table) == [])
}
