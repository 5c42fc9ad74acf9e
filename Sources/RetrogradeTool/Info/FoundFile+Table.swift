// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

extension FoundFile {
  /// One line per file, with its duration, number of channels, type and name.
  static func table(_ files: [FoundFile]) -> [String] {
    let rows = files.map(\.row)
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (cells + [row[3]]).joined(separator: "  ")
    }
  }

  private var row: [String] {
    let name = input.name.description.printable
    guard let information = try? information.get() else { return ["?", "?", "unreadable", name] }
    return [
      information.duration?.clock ?? "?", information.channelsInWords, information.codec, name,
    ]
  }
}

extension FoundFile {
  var lines: [String] { (try? information.get().lines(named: input.description)) ?? [] }
}

extension AudioInformation {
  fileprivate func lines(named name: String) -> [String] {
    var rows = [
      ("duration", duration?.preciseClock ?? "not known"), ("codec", codec),
      ("container", usualContainer ?? "none"), ("rate", "\(rate) Hz"),
      ("channels", layout.isEmpty ? channelsInWords : "\(channelsInWords) (\(layoutInWords))"),
      ("samples", samplesInWords + (isLossy ? ", decoded from a lossy codec" : "")),
    ]
    if let bitRate { rows.append(("bit rate", "\((bitRate + 500) / 1000) kbit/s")) }
    if !extras.isEmpty { rows.append(("also contains", extras.joined(separator: ", "))) }
    rows += tags.values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let width = rows.map(\.0.count).max() ?? 0
    return [name]
      + rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
  }

  var channelsInWords: String {
    switch channels {
    case 1: "mono"
    case 2: "stereo"
    default: layout == Self.fiveOne ? "5.1" : "\(channels) channels"
    }
  }

  /// The container's usual name, which may differ from GStreamer's. Nil if GStreamer reports an ID3
  /// or APE tag instead of a container.
  var usualContainer: String? {
    switch container {
    case "ISO MP4/M4A": "MP4"
    case "Quicktime": "QuickTime (MOV)"
    case "Audio Interchange File Format (AIFF)": "AIFF"
    case "Advanced Streaming Format (ASF)": "ASF (WMA)"
    case "ID3 tag", "APE tag": nil
    default: container
    }
  }

  private var samplesInWords: String {
    let bits =
      sampleBits.map(String.init) ?? String(sampleFormat.dropFirst().prefix(while: \.isNumber))
    return "\(bits) bit" + (sampleFormat.hasPrefix("F") ? " float" : "")
  }

  private static let fiveOne = ["FL", "FR", "FC", "LFE", "BL", "BR"]
  private var layoutInWords: String { layout.joined(separator: " ") }
}
