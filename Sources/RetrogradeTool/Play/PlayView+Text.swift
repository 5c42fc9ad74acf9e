// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension PlayView {
  var title: String {
    guard let title = model.track.title, !title.isEmpty else { return model.track.name.printable }
    guard let artist = model.track.artist, !artist.isEmpty else { return title.printable }
    return "\(title) – \(artist)".printable
  }

  var facts: String {
    [model.track.title == nil ? "" : model.track.name, model.track.facts]
      .filter { !$0.isEmpty }.joined(separator: ", ").printable
  }

  var status: String {
    let duration = model.track.duration > .zero ? " / \(model.track.duration.deckClock)" : ""
    return [
      "\(sign) \(model.position.deckClock)\(duration)", model.direction.rawValue,
      "speed \(model.speed.short)", "volume \(model.volume) %",
    ].joined(separator: "  ")
  }

  private var sign: String {
    switch model.transport {
    case .playing: model.direction == .forward ? "▶" : "◀"
    case .paused: "‖"
    case .opening, .ended, .failed: "■"
    }
  }

  var settings: String {
    ([loop] + pitch + [channels, model.interpolation.name]).joined(separator: ", ")
  }

  private var pitch: [String] {
    guard !model.isOriginal else { return ["original, c goes back"] }
    let semitones = model.pitch.semitones
    let follows = model.factor == .one || semitones != 0 ? [] : ["pitch follows, K keeps it"]
    return (model.pitch.isKept ? ["pitch kept"] : follows)
      + (semitones == 0 ? [] : ["\(semitones > 0 ? "+" : "")\(semitones.short) semitones"])
  }

  private var loop: String {
    let (region, mode) = (model.region, model.loopMode)
    guard model.markerStart != nil || model.markerStop != nil else {
      return mode == .none ? "no loop" : "\(mode.rawValue) all"
    }
    let ends = [region.lowerBound, region.upperBound].map(\.preciseClock)
    return "\(mode == .none ? "markers" : mode.rawValue) \(ends.joined(separator: "–"))"
  }

  private var channels: String {
    switch model.channels {
    case .all: "all channels"
    case .merged: "merged channels"
    case .first: "first channel"
    }
  }

  /// As many keys as fit. Help and quit are always there.
  var keys: String {
    let all = [
      "space \(model.transport == .playing ? "pause" : "play")", "← → scrub",
      "r turn", "a b L loop", "+ − speed", "w write", "j k l shuttle", "n p files",
    ]
    let last = ["? help", "q quit"]
    for count in stride(from: all.count, through: 0, by: -1) {
      let line = (all.prefix(count) + last).joined(separator: "  ")
      if line.columns <= size.columns || count == 0 { return line }
    }
    return ""
  }
}
