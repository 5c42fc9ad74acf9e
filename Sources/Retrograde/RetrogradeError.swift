// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

/// Why something could not be done, with one sentence for the user.
public struct RetrogradeError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
  /// What kind of trouble it is, for programs.
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// The plugin with `revbuf` and `timescale` is nowhere to be found.
    case pluginNotFound
    /// GStreamer lacks an element that is needed, such as an encoder.
    case elementMissing
    /// The input does not exist, is a folder, is empty or may not be read.
    case inputUnreadable
    /// GStreamer finds no audio in the input, or none that it can decode.
    case inputNotAudio
    /// The input is cut off or damaged.
    case inputDamaged
    /// The input is protected against copying.
    case inputProtected
    /// An argument is outside of its range.
    case invalidArgument
    /// The output exists already.
    case outputExists
    /// The output is the input.
    case outputIsInput
    /// The output cannot be written: its folder, the permissions, a full disk.
    case outputUnwritable
    /// The output's type is unknown, or cannot hold what is asked for.
    case outputUnsupported
    /// No sound device can be opened.
    case deviceUnavailable
    /// The task was cancelled.
    case cancelled
    /// Something in the pipeline failed.
    case pipelineFailed
  }

  /// What kind of trouble it is.
  public var code: Code
  /// One sentence that says what is wrong and what to do.
  public var message: String

  /// `message` is one sentence for the user.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
