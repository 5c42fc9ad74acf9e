// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// Returns all values of a stream.
private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
  var found: [Element] = []
  for await element in stream { found.append(element) }
  return found
}

private let short = Sounds.file("short.wav")

@Test func workEndsWithItsTask() async throws {
  let folder = try TestFolder()
  let output = folder.file("long.wav")
  await cancelling {
    try await short.scale(by: ScaleFactor(clamping: 100), to: output, progress: $0)
  }
  #expect(folder.names == [])
}

@Test func workThatFailsReportsNoProgress() async throws {
  let folder = try TestFolder()
  let reports = Reports<AudioFile.Progress>()
  let error = await #expect(throws: RetrogradeError.self) {
    try await AudioFile(folder.file("missing.wav")).reverse(to: folder.file("reversed.wav")) {
      reports.add($0)
    }
  }
  #expect(error?.code == .inputUnreadable && reports.all.isEmpty)
}

/// Ten values are sent before the first value is read. The reader receives only the newest values.
@Test(arguments: [(1, [9]), (3, [7, 8, 9]), (100, Array(0..<10))])
func unreadValuesAreLeftOut(capacity: Int, kept: [Int]) async {
  let broadcast = Broadcast<Int>(capacity: capacity)
  let streams = [broadcast.stream, broadcast.stream]
  for number in 0..<10 { broadcast.send(number) }
  broadcast.finish()
  for stream in streams { #expect(await all(stream) == kept) }
}

/// A program may store error codes, including those of a later version.
@Test func codesOfALaterVersionAreCodes() throws {
  let text = Data(#"["inputDamaged","somethingNew"]"#.utf8)
  let codes = try JSONDecoder().decode([RetrogradeError.Code].self, from: text)
  #expect(codes == [.inputDamaged, RetrogradeError.Code(rawValue: "somethingNew")])
  #expect(try JSONEncoder().encode(codes) == text)
}
