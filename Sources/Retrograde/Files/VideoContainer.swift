// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// A container for a video that keeps its pictures but gets new sound. The cases are file
/// extensions.
enum VideoContainer: String, CaseIterable {
  case mp4, m4v, mov, mkv, webm

  /// Throws if the new file's name doesn't have one of these extensions.
  init(for url: URL) throws(RetrogradeError) {
    if let container = VideoContainer(rawValue: FilePath(url).fileExtension.lowercased()) {
      self = container
      return
    }
    let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
    throw RetrogradeError(
      .outputUnsupported,
      "\(FilePath(url).name): this type cannot hold video; choose a video as input, and an output "
        + "name that ends in one of: \(known).")
  }

  /// Decides how we encode the sound.
  var type: OutputSettings.FileType { isMatroska ? .mka : .mp4 }

  var codecs: [OutputSettings.Codec] { self == .webm ? [.opus, .vorbis] : type.codecs }

  var isMatroska: Bool { self == .mkv || self == .webm }

  func muxer(rate: Int) -> String {
    switch self {
    // the default time scale would round the duration
    case .mp4, .m4v: "mp4mux movie-timescale=\(rate)"
    case .mov: "qtmux movie-timescale=\(rate)"
    case .mkv: "matroskamux"
    case .webm: "webmmux"
    }
  }

  /// Set the location of this element, which reads the video.
  static let sourceName = "video"
  static let demuxerName = "parts"
}

extension AudioFile {
  /// Throws if there's no video to keep, if the container doesn't support it, or if `edit` changes
  /// the length of the sound.
  func checkPictures(
    _ information: AudioInformation, into container: VideoContainer, _ edit: AudioEdit
  ) throws(RetrogradeError) {
    try require(
      information.extras.contains(Self.video), else: .invalidArgument,
      "it has no video to keep; choose a file with pictures.")
    try require(
      !edit.changesDuration && (edit.region == nil || edit.keepsRest)
        && edit.effects.allSatisfy({ $0.tail == .zero }), else: .invalidArgument,
      "to keep the video, the sound has to keep its length; keep the rest of the file, and its speed."
    )
    let boxes = ["ftyp", "moov", "mdat", "wide", "free", "skip"].map { Array($0.utf8) }
    try require(
      isMatroska || boxes.contains(Array(header(of: 8).dropFirst(4))), else: .inputNotAudio,
      "its video cannot be kept; convert the file into mp4, mov, mkv or webm first.")
    // MPEG-4 needs decoding timestamps, which Matroska doesn't store
    try require(
      container.isMatroska || !isMatroska, else: .outputUnsupported,
      "its video does not fit into \(container.rawValue); choose mkv or webm.")
  }

  /// Elements that copy the encoded video to a muxer named "muxer".
  var pictures: String {
    let demuxer = isMatroska ? "matroskademux" : "qtdemux"
    return
      "filesrc name=\(VideoContainer.sourceName) ! \(demuxer) name=\(VideoContainer.demuxerName) "
      + "\(VideoContainer.demuxerName).video_0 ! queue ! muxer.video_0"
  }

  private var isMatroska: Bool { header(of: 4) == [0x1A, 0x45, 0xDF, 0xA3] }
}

extension AudioFile {
  /// GStreamer 1.22's muxers drop the display rotation that phone videos often have, so we write it
  /// to the new file. If the container has no field for it, we report a loss.
  func rotatePictures(in video: Int32) throws(RetrogradeError) -> [Loss] {
    guard let matrix = ByteReader(url)?.displayMatrix?.bytes else { return [] }
    guard let target = ByteReader(descriptor: video)?.displayMatrix else {
      return matrix == Self.upright
        ? [] : [.extras(["the display rotation of the video"])]
    }
    guard target.bytes != matrix else { return [] }
    guard pwrite(video, matrix, matrix.count, off_t(clamping: target.offset)) == matrix.count else {
      throw error(
        .outputUnwritable,
        "the new file cannot be completed (\(String(cString: strerror(errno)))); make room on the disk."
      )
    }
    return []
  }

  /// The matrix of a video that isn't rotated (ISO/IEC 14496-12, 8.3.2): 16.16 fixed-point numbers,
  /// and 2.30 in the last column.
  private static let upright: [UInt8] =
    [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000 as UInt32].flatMap(\.bigEndian.bytes)
}
