// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// An input file with its information, or with the error if we can't read it.
struct FoundFile: Sendable {
  let input: FilePath
  private var information: AudioInformation?
  /// The largest magnitude of a sample in each of several equal parts of the file, where full scale
  /// is 1. Nil unless requested.
  private var peaks: [Float]?
  /// What's wrong with the file, even if we can read a part of it.
  private(set) var fault: RetrogradeError?

  /// With `columns`, this also reads that many peaks, which means decoding the whole file.
  init(_ source: Source, columns: Int?) async {
    (input, fault) = (source.input, source.fault)
    guard fault == nil else { return }
    do {
      let (information, peaks) = try await WorkerProcess.describe(
        source.path, label: source.label, columns: columns)
      (self.information, self.peaks) = (information, peaks)
      fault = information.missing.map {
        RetrogradeError(.inputDamaged, "\(input): \($0); download or copy it again.")
      }
    } catch {
      fault = RetrogradeError(error)
    }
  }

  var json: String {
    JSONReport.text([
      "input": input.description, "duration": information?.duration?.inSeconds,
      "rate": information?.rate, "channels": information?.channels, "layout": information?.layout,
      "sampleFormat": information?.sampleFormat, "lossy": information?.isLossy,
      "container": information?.container, "codec": information?.codec,
      "bitRate": information?.bitRate, "extras": information?.extras,
      "tags": information?.tags.values, "peaks": peaks, "code": fault?.code,
      "message": fault?.message,
    ])
  }

  /// The name of the file, and everything about it. Empty if we can't read it.
  var lines: [String] {
    guard let information else { return [] }
    return [input.description] + Self.table(information.rows).map { "  " + $0 }
  }

  /// The duration, number of channels, type and name.
  var row: [String] {
    [
      information?.duration?.clock ?? "?", information?.channelsInWords ?? "?",
      information?.codec ?? "unreadable", input.name.description.printable,
    ]
  }

  /// One line per row, with aligned columns.
  static func table(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.dropLast().map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (cells + row.suffix(1)).joined(separator: "  ")
    }
  }
}

extension AudioInformation {
  fileprivate var rows: [[String]] {
    let layoutInWords = layout.isEmpty ? "" : " (\(layout.joined(separator: " ")))"
    let bits =
      sampleBits.map(String.init) ?? String(sampleFormat.dropFirst().prefix(while: \.isNumber))
    var rows = [
      ["duration", duration?.preciseClock ?? "not known"], ["codec", codec],
      ["container", usualContainer ?? "none"], ["rate", "\(rate) Hz"],
      ["channels", channelsInWords + layoutInWords],
      [
        "samples",
        "\(bits) bit\(sampleFormat.hasPrefix("F") ? " float" : "")"
          + (isLossy ? ", decoded from a lossy codec" : ""),
      ],
    ]
    if let bitRate { rows.append(["bit rate", "\((bitRate + 500) / 1000) kbit/s"]) }
    if !extras.isEmpty { rows.append(["also contains", extras.joined(separator: ", ")]) }
    return rows + tags.values.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
  }

  /// The container's usual name, which may differ from GStreamer's. Nil if GStreamer reports an ID3
  /// or APE tag instead of a container.
  private var usualContainer: String? {
    switch container {
    case "ISO MP4/M4A": "MP4"
    case "Quicktime": "QuickTime (MOV)"
    case "Audio Interchange File Format (AIFF)": "AIFF"
    case "Advanced Streaming Format (ASF)": "ASF (WMA)"
    case "ID3 tag", "APE tag": nil
    default: container
    }
  }

  var channelsInWords: String {
    switch channels {
    case 1: "mono"
    case 2: "stereo"
    default: layout == Self.fiveOne ? "5.1" : "\(channels) channels"
    }
  }

  private static let fiveOne = ["FL", "FR", "FC", "LFE", "BL", "BR"]
}
