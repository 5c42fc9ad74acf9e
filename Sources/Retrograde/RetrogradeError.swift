// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

/// Why something could not be done, with one sentence for the user.
///
/// ```swift
/// do {
///   try await song.reverse(to: output).finish()
/// } catch let error as RetrogradeError where error.code == .outputExists {
///   print("Replace it?")
/// } catch let error as RetrogradeError {
///   print(error.message)
/// }
/// ```
///
/// Work that is cancelled throws `CancellationError` instead.
public struct RetrogradeError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
  /// The kind of the error, for programs. Later versions have more of them.
  ///
  /// ```swift
  /// let isAboutOutput = [.outputExists, .outputUnwritable].contains(error.code)
  /// ```
  public struct Code: RawRepresentable, Sendable, Hashable, Codable {
    /// Its name, such as "inputUnreadable".
    public var rawValue: String

    /// The kind of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The plugin with `revbuf` and `timescale` is nowhere to be found.
    public static let pluginNotFound = Code(rawValue: "pluginNotFound")
    /// GStreamer lacks an element that is needed, such as an encoder.
    public static let elementMissing = Code(rawValue: "elementMissing")
    /// An effect cannot be made of its elements, or failed at its work.
    public static let effectUnusable = Code(rawValue: "effectUnusable")
    /// The input does not exist, is a folder, is empty or may not be read.
    public static let inputUnreadable = Code(rawValue: "inputUnreadable")
    /// GStreamer finds no audio in the input, or none that it can decode.
    public static let inputNotAudio = Code(rawValue: "inputNotAudio")
    /// The input is cut off or damaged.
    public static let inputDamaged = Code(rawValue: "inputDamaged")
    /// The input is protected against copying.
    public static let inputProtected = Code(rawValue: "inputProtected")
    /// An argument is outside of its range.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// The output exists already.
    public static let outputExists = Code(rawValue: "outputExists")
    /// The output is the input.
    public static let outputIsInput = Code(rawValue: "outputIsInput")
    /// The output cannot be written: its folder, the permissions, a full disk.
    public static let outputUnwritable = Code(rawValue: "outputUnwritable")
    /// The output's type is unknown, or cannot hold the requested audio.
    public static let outputUnsupported = Code(rawValue: "outputUnsupported")
    /// No sound device can be opened.
    public static let deviceUnavailable = Code(rawValue: "deviceUnavailable")
    /// Something in the pipeline failed.
    public static let pipelineFailed = Code(rawValue: "pipelineFailed")
  }

  /// The kind of the error.
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
