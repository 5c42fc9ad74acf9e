// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

@_exported public import AudioModel
internal import CTimeDSP

// These are computed, because a real-time thread mustn't wait for a constant to be initialized.
extension RetrogradeError {
  static var badChannels: Self {
    Self(.invalidArgument, "The number of channels must be from 1 to 1024; choose another.")
  }
  static var badFrameSize: Self {
    Self(.invalidArgument, "The size of a frame must be from 1 to 8192 bytes; choose another.")
  }
  static var badLength: Self {
    Self(.invalidArgument, "The audio must be a whole number of frames, 2^53 at most; check it.")
  }
  static var badFrameCount: Self {
    Self(.invalidArgument, "A number of frames must be from 0 to 2^53; choose another.")
  }
  static var noAudio: Self {
    Self(.invalidArgument, "There is no audio to fit to a length; give at least one frame.")
  }
  static var badFactor: Self {
    Self(.invalidArgument, "A factor must be from 0.01 to 100; choose another.")
  }
  static var badQuality: Self {
    Self(.invalidArgument, "A quality must be from 0 to 10; choose another.")
  }
  static var badSampleRate: Self {
    Self(.invalidArgument, "A sample rate must be from 1 to 10,000,000 Hz; choose another.")
  }
  static var badOutput: Self {
    Self(.invalidArgument, "The output has another length than the result; change its length.")
  }
  static var isInterleaved: Self {
    Self(.invalidArgument, "The scaler takes interleaved audio; create it with a planar layout.")
  }
  static var isPlanar: Self {
    Self(.invalidArgument, "The scaler takes planar audio; create it with an interleaved layout.")
  }
  static var otherFormat: Self {
    Self(
      .invalidArgument,
      "The blocks have different sample rates or channels; convert them, or scale them one by one.")
  }
  static var hasFinished: Self {
    Self(.finished, "The input has ended; reset the scaler before you give it more.")
  }
  static var outOfMemory: Self {
    Self(.noMemory, "There is not enough memory; close other programs.")
  }

  init(_ status: TimeDSPStatus) {
    switch status {
    case TIMEDSP_BAD_CHANNELS: self = .badChannels
    case TIMEDSP_BAD_FRAME_SIZE: self = .badFrameSize
    case TIMEDSP_BAD_FACTOR: self = .badFactor
    case TIMEDSP_BAD_QUALITY: self = .badQuality
    case TIMEDSP_OUTPUT_TOO_SMALL, TIMEDSP_OVERLAP: self = .badOutput
    case TIMEDSP_FINISHED: self = .hasFinished
    case TIMEDSP_NO_MEMORY: self = .outOfMemory
    default: self = .badLength
    }
  }
}

func check(_ status: TimeDSPStatus) throws(RetrogradeError) {
  if status != TIMEDSP_OK { throw RetrogradeError(status) }
}

func require(
  _ condition: Bool, else error: @autoclosure () -> RetrogradeError
) throws(RetrogradeError) {
  if !condition { throw error() }
}

/// Throws outside 0 … 2^53.
func frameCount(_ frames: Int) throws(RetrogradeError) -> UInt64 {
  try require(0...(1 << 53) ~= frames, else: .badFrameCount)
  return UInt64(clamping: frames)
}
