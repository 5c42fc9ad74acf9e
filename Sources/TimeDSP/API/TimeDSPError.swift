// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// An error, with a sentence that says what to do about it.
///
/// If a method throws, the value on which it was called stays unchanged, with two exceptions. If
/// ``Playback/next()`` throws, playback has stopped, and continues after ``Playback/seek(to:)``. If
/// memory cannot be allocated for a change of the pitch, a ``TimeScaler`` cannot continue its
/// stream.
public enum TimeDSPError: Error, Hashable, Sendable {
  /// The number of channels is outside 1 … 1024.
  case badChannels
  /// The size of a frame is outside 1 … 8192 bytes.
  case badFrameSize
  /// The samples or bytes are not a whole number of frames, or exceed 2^53 frames.
  case badLength
  /// A number of frames is outside 0 … 2^53.
  case badFrameCount
  /// There is no audio to fit to a length.
  case noAudio
  /// A factor is outside 0.01 … 100.
  case badFactor
  /// The pitch or its formants are moved by more than 24 semitones.
  case badPitch
  /// A quality is outside 0 … 10.
  case badQuality
  /// A sample rate is outside 1 … 10,000,000 Hz.
  case badSampleRate
  /// The output does not have the length of the result, or is too small for it.
  case badOutput
  /// A ``Scaler`` or a ``TimeScaler`` received frames after its input had ended.
  case finished
  /// Memory could not be allocated.
  case noMemory
  /// A ``Playback`` that must not crossfade has read the same audio twice with different results.
  case seamNotExact
  /// Audio is missing that has been read before, or the reader always begins after the requested
  /// frame.
  case audioMissing
  /// The audio of the reader ended this many frames earlier than when it was read the first time.
  case endedEarly(frames: Int)
  /// The reader was asked for this frame repeatedly, and returned nothing new.
  case readerStuck(frame: Int)
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
    case .noMemory: "There is not enough memory: lower the longest block or the memory."
    case .seamNotExact:
      "The same audio was read twice with different results: allow a fade, or read more before it."
    case .audioMissing:
      "Audio is missing: let the reader begin at the requested frame, or before it."
    case .endedEarly(let frames):
      "The reader ended \(frames) frames earlier than before: check the file."
    case .readerStuck(let frame):
      "The reader returns nothing new at frame \(frame): let it begin there or before, and continue."
    }
  }
}

extension TimeDSPError {
  /// The error for a status of the C interface; `nil` for success.
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

  /// The error for a status that was thrown.
  static func of(_ status: TimeDSPStatus) -> TimeDSPError { TimeDSPError(status) ?? .badLength }
}

/// Throws the error for `status`, unless it means success.
func check(_ status: TimeDSPStatus) throws(TimeDSPError) {
  if let error = TimeDSPError(status) { throw error }
}

/// Throws `error` unless `condition` holds.
func require(_ condition: Bool, else error: TimeDSPError) throws(TimeDSPError) {
  if !condition { throw error }
}

/// Converts a number of frames for the C interface. Throws if it is outside 0 … 2^53.
func frameCount(_ frames: Int) throws(TimeDSPError) -> UInt64 {
  try require(0...maxFrames ~= Int64(frames), else: .badFrameCount)
  return UInt64(clamping: frames)
}
