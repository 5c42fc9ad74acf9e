// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioFile {
  var silence: RetrogradeError {
    if let channels = waveChannels, channels > 63 {
      return error(
        .inputNotAudio,
        "GStreamer cannot read files of \(channels) channels; split it into files of 63 or fewer.")
    }
    return unread
      ?? error(.inputNotAudio, "GStreamer finds no audio in it; choose a file with sound.")
  }

  private var waveChannels: Int? {
    ByteReader(url)?.all.waveHeader?.number(at: 2, count: 2, isBigEndian: false)
  }

  /// GStreamer can't read a WAV without channel positions. The header may not have any, and
  /// `wavparse` only knows defaults for some numbers of channels.
  var lacksPositions: Bool {
    guard let channels = waveChannels, ByteReader(url)?.all.waveFormat != 0xFFFE else {
      return false
    }
    return channels == 3 || channels == 7 || channels > 8 && channels < 64
  }

  /// The error for a file that may be intact but that GStreamer can't read. Nil for all other
  /// files.
  private var unread: RetrogradeError? {
    guard let bytes = ByteReader(url)?.all else { return nil }
    let isDSD = (bytes.number(at: 24, count: 4, isBigEndian: false) ?? 0) >> 31 == 1
    let kinds = [
      ("BW64", bytes.has("BW64")), ("RIFX", bytes.has("RIFX")),
      ("this AIFF-C", bytes.has("FORM") && bytes.has("AIFC", at: 8)),
      ("WavPack with DSD", bytes.has("wvpk") && isDSD),
      ("Shorten", bytes.has("ajkg")),
    ]
    guard let kind = kinds.first(where: \.1)?.0 else { return nil }
    return error(
      .inputNotAudio,
      "the file may be whole, but GStreamer does not read \(kind); "
        + "convert it with another program first.")
  }

  /// The error for a region that contains no sound. `duration` is what the file declares.
  func silence(in region: Range<Duration>?, of duration: Duration?) -> RetrogradeError {
    guard let region, region.lowerBound > .zero, duration != .zero else { return silence }
    return error(
      .invalidArgument, "the file ends before the region begins; choose an earlier region.")
  }

  var unseekable: RetrogradeError {
    error(.inputDamaged, "GStreamer cannot seek in it; convert it into another type first.")
  }

  func cutOff(_ missing: String) -> RetrogradeError {
    error(.inputDamaged, "\(missing); download or copy it again.")
  }

  var stuck: RetrogradeError {
    error(
      .inputDamaged,
      "GStreamer has found nothing more in it for 10 s, and does not come to its end; "
        + "convert it into another type first.")
  }

  func error(_ code: RetrogradeError.Code, _ what: String) -> RetrogradeError {
    RetrogradeError(code, "\(label): \(what)")
  }

  /// Throws an error about this file unless the condition is met.
  func require(
    _ isMet: Bool, else code: RetrogradeError.Code, _ what: @autoclosure () -> String
  ) throws(RetrogradeError) {
    guard isMet else { throw error(code, what()) }
  }

  func sentence(_ warning: PipelineFailure) -> String {
    guard warning.isOwn else { return warning.text }
    return "\(label): \(warning.text); convert it into another type first."
  }

  /// Converts an error from a pipeline that reads this file. `missing` describes the formats that
  /// GStreamer has no decoder for.
  func error(_ failure: PipelineFailure, missing: [String] = []) -> RetrogradeError {
    if let effect = failure.effect { return AudioEffect.error(effect, failed: failure.text) }
    if let output = outputError(failure) { return output }
    if OpenFiles.areScarce { return error(.inputUnreadable, OpenFiles.advice) }
    let stream = gst_stream_error_quark()
    if failure.isA(stream, GST_STREAM_ERROR_DECRYPT.rawValue)
      || failure.isA(stream, GST_STREAM_ERROR_DECRYPT_NOKEY.rawValue)
      || missing.contains(where: { $0.contains("x-cenc") || $0.contains("-enc ") })
    {
      return error(.inputProtected, "the file is protected; choose one that is not encrypted.")
    }
    if !missing.isEmpty || failure.isA(stream, GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue) {
      let what = missing.isEmpty ? "a decoder" : missing.joined(separator: ", ")
      return error(
        .inputNotAudio, "no installed GStreamer plugin decodes it; install one for \(what).")
    }
    if failure.isA(stream, GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue)
      || failure.isA(stream, GST_STREAM_ERROR_WRONG_TYPE.rawValue)
      // only a plugin for the video is missing, and there's no sound
      || failure.isA(gst_core_error_quark(), GST_CORE_ERROR_MISSING_PLUGIN.rawValue)
    {
      return silence
    }
    // revbuf's message for this error suggests changing the pipeline, which the user can't do
    let resource = gst_resource_error_quark()
    if failure.isA(resource, GST_RESOURCE_ERROR_SEEK.rawValue) { return unseekable }
    if failure.domain == stream {
      return unread
        ?? error(
          .inputDamaged, "the file is damaged, or holds no audio; try another. (\(failure.text))")
    }
    return error(
      .inputUnreadable,
      "GStreamer cannot read it; convert it into another type first. (\(failure.text))")
  }

  /// The error if we couldn't write, or nil for any other failure.
  private func outputError(_ failure: PipelineFailure) -> RetrogradeError? {
    if failure.source == Encoding.encoderName {
      return error(
        .outputUnsupported,
        "the encoder refuses these settings; choose another bit rate or codec. (\(failure.text))")
    }
    if failure.source == VideoContainer.demuxerName,
      failure.isA(gst_stream_error_quark(), GST_STREAM_ERROR_FAILED.rawValue)
    {
      return error(
        .outputUnsupported,
        "the container of the new file cannot hold its video; give the file a name that ends in .mkv."
      )
    }
    let resource = gst_resource_error_quark()
    let isFull = failure.isA(resource, GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue)
    let writing = [
      GST_RESOURCE_ERROR_WRITE, GST_RESOURCE_ERROR_OPEN_WRITE, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
    ]
    guard isFull || writing.contains(where: { failure.isA(resource, $0.rawValue) }) else {
      return nil
    }
    if failure.isOwn { return noRoom }  // its temporary file
    if isFull { return error(.outputUnwritable, "the disk is full; make room and try again.") }
    return error(
      .outputUnwritable, "the new file cannot be written; choose another folder. (\(failure.text))")
  }
}

/// Throws ``RetrogradeError/Code/invalidArgument`` unless the condition is met.
func require(
  _ isMet: Bool, _ sentence: @autoclosure () -> String
) throws(RetrogradeError) {
  guard isMet else { throw .invalid(sentence()) }
}

extension RetrogradeError {
  package static func invalid(_ message: String) -> Self { Self(.invalidArgument, message) }
  package static func unwritable(_ message: String) -> Self { Self(.outputUnwritable, message) }
  package static func unreadable(_ message: String) -> Self { Self(.inputUnreadable, message) }
}
