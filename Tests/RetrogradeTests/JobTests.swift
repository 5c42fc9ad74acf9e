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

@Test func everyReaderHearsOfTheEnd() async throws {
  let folder = try TestFolder()
  let job = short.reverse(to: folder.file("reversed.wav"))
  async let one = all(job.progress)
  async let other = all(job.progress)
  let fractions = await [one, other].map { $0.last?.fraction }
  #expect(fractions == [1, 1])
  let rendering = try await job.finish()
  #expect(try await job.finish().url == rendering.url)
  // if progress is read only at the end, the last value is received immediately
  #expect(await all(job.progress).map(\.fraction) == [1])
}

@Test func workContinuesWithoutAReference() async throws {
  let folder = try TestFolder()
  let progress = short.reverse(to: folder.file("reversed.wav")).progress
  _ = await all(progress)
  #expect(folder.names == ["reversed.wav"])
}

@Test func workEndsWithTheTaskThatWaitsForIt() async throws {
  let folder = try TestFolder()
  let job = short.scale(by: ScaleFactor(clamping: 100), to: folder.file("long.wav"))
  let waiting = Task { try await job.finish() }
  waiting.cancel()
  await #expect(throws: CancellationError.self) { try await waiting.value }
  await #expect(throws: CancellationError.self) { try await job.finish() }
  #expect(folder.names == [])
}

@Test func progressEndsWhereTheWorkFails() async throws {
  let folder = try TestFolder()
  let job = AudioFile(folder.file("missing.wav")).reverse(to: folder.file("reversed.wav"))
  #expect(await all(job.progress).isEmpty)
  let error = await #expect(throws: RetrogradeError.self) { try await job.finish() }
  #expect(error?.code == .inputUnreadable)
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
