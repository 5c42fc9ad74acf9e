// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

@Test func everyTypeIsTheTypeOfItsOwnExtension() {
  for type in OutputSettings.FileType.allCases {
    #expect(OutputSettings.FileType(extension: type.rawValue) == type)
    #expect(OutputSettings.FileType(extension: type.rawValue.uppercased()) == type)
    #expect(!type.codecs.isEmpty)
  }
  #expect(OutputSettings.FileType(extension: "txt") == nil)
  #expect(OutputSettings.FileType(extension: "") == nil)
}

/// The error code with which an encoding is rejected, or nil if it is accepted.
private func refusal(_ name: String, _ settings: OutputSettings) -> RetrogradeError.Code? {
  do throws(RetrogradeError) {
    _ = try Encoding(settings, for: URL(fileURLWithPath: "/\(name)"))
    return nil
  } catch {
    #expect(error.message.hasSuffix("."))
    return error.code
  }
}

@Test func encodingRefusesWrongSettings() {
  #expect(refusal("a.wav", OutputSettings()) == nil)
  #expect(refusal("a.xyz", OutputSettings()) == .outputUnsupported)
  #expect(refusal("a", OutputSettings()) == .outputUnsupported)
  #expect(refusal("a", OutputSettings(type: .flac)) == nil)
  #expect(refusal("a.wav", OutputSettings(codec: .mp3)) == .outputUnsupported)
  #expect(refusal("a.mp3", OutputSettings(bitRate: 8_000)) == nil)
  #expect(refusal("a.mp3", OutputSettings(bitRate: 7_999)) == .invalidArgument)
  #expect(refusal("a.mp3", OutputSettings(bitRate: 512_001)) == .invalidArgument)
  #expect(refusal("a.flac", OutputSettings(bitRate: 128_000)) == .invalidArgument)
}

@Test func namedTypeGoesBeforeTheExtension() throws {
  let encoding = try Encoding(
    OutputSettings(type: .mka, codec: .opus), for: URL(fileURLWithPath: "/a.wav"))
  #expect(encoding.type == .mka)
  #expect(encoding.codec == .opus)
}
