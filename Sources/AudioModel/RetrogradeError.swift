// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// An error, with one sentence that you can show to the user.
///
/// ```swift
/// do {
///   try await song.reverse(to: output)
/// } catch let error as RetrogradeError where error.code == .outputExists {
///   print("Replace it?")
/// } catch let error as RetrogradeError {
///   print(error.message)
/// }
/// ```
///
/// Cancelled work throws `CancellationError` instead.
public struct RetrogradeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error, for your code to branch on. Later versions may add more kinds.
  ///
  /// ```swift
  /// let isAboutOutput = [.outputExists, .outputUnwritable].contains(error.code)
  /// ```
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name of this kind of error, such as "inputUnreadable".
    public var rawValue: String

    /// Creates a kind of error with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The plugin with `revbuf` and `timescale` wasn't found.
    public static let pluginNotFound = Code(rawValue: "pluginNotFound")
    /// GStreamer doesn't have a required element, such as an encoder.
    public static let elementMissing = Code(rawValue: "elementMissing")
    /// An effect can't be created, or failed while running.
    public static let effectUnusable = Code(rawValue: "effectUnusable")
    /// The input doesn't exist, is a folder, is empty or can't be read.
    public static let inputUnreadable = Code(rawValue: "inputUnreadable")
    /// The input doesn't contain any audio that GStreamer can decode.
    public static let inputNotAudio = Code(rawValue: "inputNotAudio")
    /// The input is cut off or damaged.
    public static let inputDamaged = Code(rawValue: "inputDamaged")
    /// The input is copy-protected.
    public static let inputProtected = Code(rawValue: "inputProtected")
    /// An argument is out of range.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// The output already exists.
    public static let outputExists = Code(rawValue: "outputExists")
    /// The output is the same file as the input.
    public static let outputIsInput = Code(rawValue: "outputIsInput")
    /// The output can't be written, e.g. because of permissions or a full disk.
    public static let outputUnwritable = Code(rawValue: "outputUnwritable")
    /// The type of the output is unknown, or doesn't support the audio that you asked for.
    public static let outputUnsupported = Code(rawValue: "outputUnsupported")
    /// We can't open a sound device.
    public static let deviceUnavailable = Code(rawValue: "deviceUnavailable")
    /// An element of the pipeline failed.
    public static let pipelineFailed = Code(rawValue: "pipelineFailed")
    /// The stream's input has ended, so you can't give it any more audio.
    public static let finished = Code(rawValue: "finished")
    /// We ran out of memory.
    public static let noMemory = Code(rawValue: "noMemory")
  }

  /// The kind of error.
  public var code: Code
  /// One sentence that says what's wrong and what you can do about it.
  public var message: String

  /// Creates an error. `message` is one sentence for the user.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The same as ``message``.
  public var description: String { message }
}

#if !hasFeature(Embedded)
  extension RetrogradeError: Codable {}
  extension RetrogradeError.Code: Codable {}
#endif
