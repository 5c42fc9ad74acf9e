// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// The types that the article "Scaling Audio Files" writes with AVFoundation, except for CAF, which
/// GStreamer cannot write.
@Test(arguments: [
  ("aac", OutputSettings.FileType.m4a), ("m4a", .m4a), ("aiff", .aiff), ("aif", .aiff),
  ("wav", .wav), ("w64", .w64),
  ("mp3", .m4a), ("m4r", .m4a), ("flac", .m4a), ("mp4", .mp4),
])
func typeOfAVFoundationIsThatOfTheSeed(input: String, expected: OutputSettings.FileType) {
  #expect(OutputSettings.FileType.avFoundation(forInput: input) == expected)
  #expect(OutputSettings.FileType.avFoundation(forInput: input.uppercased()) == expected)
}

@Test(arguments: [
  ("ogg", OutputSettings.FileType.ogg), ("oga", .ogg), ("opus", .opus), ("mka", .mka),
  ("caf", .wav), ("", .wav),
  ("wma", .wav),
])
func typeUnknownToTheSeedKeepsItselfOrBecomesWAV(input: String, expected: OutputSettings.FileType) {
  #expect(OutputSettings.FileType.avFoundation(forInput: input) == expected)
}

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
