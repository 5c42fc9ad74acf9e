// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// An error, with a sentence that tells you what to do about it.
///
/// If a method throws, its value stays as it was, with one exception. If there's no memory for a
/// change of the pitch, a ``TimeScaler`` can't continue its stream.
public enum TimeDSPError: Error, Hashable, Sendable {
  /// The number of channels is outside 1 … 1024.
  case badChannels
  /// The size of a frame is outside 1 … 8192 bytes.
  case badFrameSize
  /// The samples or bytes aren't a whole number of frames, or exceed 2^53 frames.
  case badLength
  /// A number of frames is outside 0 … 2^53.
  case badFrameCount
  /// There's no audio to fit to a length.
  case noAudio
  /// A factor is outside 0.01 … 100.
  case badFactor
  /// You moved the pitch or its formants by more than 24 semitones.
  case badPitch
  /// A quality is outside 0 … 10.
  case badQuality
  /// A sample rate is outside 1 … 10,000,000 Hz.
  case badSampleRate
  /// The output is too small for the result, or has a different length.
  case badOutput
  /// A ``Scaler`` or a ``TimeScaler`` got frames after its input had ended.
  case finished
  /// The system gave us no memory.
  case noMemory
}

extension TimeDSPError: CustomStringConvertible {
  /// A sentence in English that says what is wrong.
  public var description: String {
    switch self {
    case .badChannels: "The number of channels must be between 1 and 1024."
    case .badFrameSize: "The size of a frame must be between 1 and 8192 bytes."
    case .badLength: "The audio must be a whole number of frames, 2^53 at most."
    case .badFrameCount: "A number of frames must be between 0 and 2^53."
    case .noAudio: "There is no audio to fit to a length: give at least one frame."
    case .badFactor: "The factor must be between 0.01 and 100."
    case .badPitch: "Pitch and formants may move by 24 semitones at most, up or down."
    case .badQuality: "The quality must be between 0 and 10."
    case .badSampleRate: "The sample rate must be between 1 and 10,000,000 Hz."
    case .badOutput: "The output is too small for the result: make it larger."
    case .finished: "The input has ended: reset the scaler before you give it more."
    case .noMemory: "There is not enough memory: close other programs."
    }
  }
}

extension TimeDSPError {
  init?(_ status: TimeDSPStatus) {
    switch status {
    case TIMEDSP_OK: return nil
    case TIMEDSP_BAD_CHANNELS: self = .badChannels
    case TIMEDSP_BAD_FRAME_SIZE: self = .badFrameSize
    case TIMEDSP_BAD_FACTOR: self = .badFactor
    case TIMEDSP_BAD_QUALITY: self = .badQuality
    case TIMEDSP_OUTPUT_TOO_SMALL, TIMEDSP_OVERLAP: self = .badOutput
    case TIMEDSP_FINISHED: self = .finished
    case TIMEDSP_NO_MEMORY: self = .noMemory
    default: self = .badLength
    }
  }

  static func of(_ status: TimeDSPStatus) -> TimeDSPError { TimeDSPError(status) ?? .badLength }
}

func check(_ status: TimeDSPStatus) throws(TimeDSPError) {
  if let error = TimeDSPError(status) { throw error }
}

func require(_ condition: Bool, else error: TimeDSPError) throws(TimeDSPError) {
  if !condition { throw error }
}

/// Throws outside 0 … 2^53.
func frameCount(_ frames: Int) throws(TimeDSPError) -> UInt64 {
  try require(0...(1 << 53) ~= frames, else: .badFrameCount)
  return UInt64(clamping: frames)
}
