// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

/// An audio file, or the sound of a video. Everything that you do with files starts here.
///
/// ```swift
/// let song = AudioFile(URL(fileURLWithPath: "song.mp3"))
/// print(try await song.information().duration ?? .zero)
/// try await song.reverse(to: URL(fileURLWithPath: "gnos.flac"))
/// ```
public struct AudioFile: Sendable, Hashable {
  /// The location of the file.
  public let url: URL
  /// The name of the file without its folder.
  public let name: String
  /// What error messages call the file: its own name, or the one that the user typed.
  package let label: String
  let known: KnownInformation

  /// Doesn't open the file yet. `url` must be the URL of a local file.
  public init(_ url: URL) { self.init(url, label: nil) }

  /// Error messages call the file `label`, the name that the user knows. `name` is for a file that
  /// will be renamed to it later.
  package init(_ url: URL, label: String?, name: String? = nil) {
    self.url = url
    self.name = name ?? FilePath(url).name.description
    self.label = label ?? self.name
    known = KnownInformation(url)
  }

  /// Two files are equal if their locations are.
  public static func == (first: AudioFile, second: AudioFile) -> Bool { first.url == second.url }

  /// Hashes the location of the file.
  public func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

extension AudioFile {
  /// The beginning of a pipeline that decodes the sound: a filesrc named "source" and a decodebin
  /// named "decoder". AIFF gets an aiffparse instead, and MP3 in WAV gets a parser before the
  /// decodebin. The decodebin only decodes sound, because video without a sink makes some pipelines
  /// hang (GStreamer 1.22).
  private var decoding: String {
    let bytes = ByteReader(decodedURL)?.all
    let decodebin = "decodebin name=decoder caps=audio/x-raw expose-all-streams=false"
    // wavparse loses the last packet of MP3, and needs a byte rate, which FFmpeg leaves out
    let isMP3 = bytes?.waveFormat == 0x55
    let decoder =
      bytes?.has("FORM") == true ? "aiffparse" : isMP3 ? "mpegaudioparse ! \(decodebin)" : decodebin
    return "filesrc name=source ! \(decoder)\(fittedMask)"
  }

  /// An element that corrects a mask that doesn't fit the number of channels. Otherwise,
  /// audioconvert would mix the channels.
  private var fittedMask: String {
    facts.channelMask.map { " ! capssetter caps=audio/x-raw,channel-mask=(bitmask)\($0)" } ?? ""
  }

  var facts: Facts { known.change { $0 } }

  /// A pipeline that decodes the file and sends its sound to the elements `rest`.
  func pipeline(_ rest: String) throws(RetrogradeError) -> Pipeline {
    let pipeline = try Pipeline("\(decoding) ! \(rest)")
    if let source = pipeline.element("source") {
      source.set("location", FilePath(decodedURL))
      ByteReader(decodedURL)?.headerCorrection?.watch(source)
    }
    pipeline.element("decoder").map(prepare)
    return pipeline
  }

  /// A pipeline that sends the sound of `edit` to the elements `rest`.
  func pipeline(
    for edit: AudioEdit, _ information: AudioInformation, into rest: String
  ) throws(RetrogradeError) -> Pipeline {
    let pipeline = try pipeline(edit.chain(for: information, into: rest))
    edit.cut(pipeline, information, from: information.start)
    try pipeline.insert(edit.effects, edit.effectFormat(of: information))
    return pipeline
  }

  /// This file, or the WAV that we've decoded it to (``opened(_:)``).
  private var decodedURL: URL { facts.joined?.readable ?? url }

  /// Makes `decodebin` choose decoders that suit the file, and report every error. Call it before
  /// you start the decodebin.
  func prepare(_ decodebin: Element) {
    decodebin.holdUntilPlugged()
    decodebin.setUpDecoders(isOpusMusic: isOpusMusic)
  }

  /// True if avdec_opus can decode the file correctly.
  private var isOpusMusic: Bool {
    known.change { facts in
      facts.isOpusMusic = facts.isOpusMusic ?? ByteReader(url)?.isOpusMusic
      return facts.isOpusMusic ?? false
    }
  }

  /// The first `count` bytes of the file, or fewer if it's shorter.
  func header(of count: Int) -> [UInt8] {
    ByteReader(url)?.all.prefix(count).bytes ?? []
  }
}
