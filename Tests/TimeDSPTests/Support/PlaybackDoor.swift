// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSPCore

/// Reports arriving data to a playback, and answers its questions.
struct PlaybackDoor {
  let playback: OpaquePointer
  // The answers to questions.
  var source = TIMEPLAY_SOURCE_SEEKS
  var ends = true
  var isLive = false
  // The data that arrives.
  var flips = false
  var rate: UInt32 = 8_000
  var frames: UInt64 = 1_000
  var firstNs = UInt64.max

  init(_ playback: OpaquePointer) { self.playback = playback }

  private func fact(_ value: Bool) -> TimePlayFact { value ? TIMEPLAY_YES : TIMEPLAY_NO }

  /// Returns the questions and warnings of the playback in order. The last element is its decision
  /// how to handle the data.
  func ways(_ kind: TimePlayArrivalKind) -> [TimePlayWay] {
    var arrival = TimePlayArrival()
    arrival.kind = kind
    arrival.flips = flips ? 1 : 0
    (arrival.rate, arrival.frames, arrival.first_ns) = (rate, frames, firstNs)
    var ways: [TimePlayWay] = []
    while ways.count < 5 {
      let way = timeplay_arrive(playback, &arrival)
      ways.append(way)
      switch way {
      case TIMEPLAY_ASKS_SOURCE: arrival.source = source
      case TIMEPLAY_ASKS_END: arrival.ends = fact(ends)
      case TIMEPLAY_ASKS_LIVE: arrival.is_live = fact(isLive)
      case TIMEPLAY_WARNS_UNLOOPED, TIMEPLAY_WARNS_COLLECTED, TIMEPLAY_WARNS_UNTURNED:
        arrival.has_warned = 1
      default: return ways
      }
    }
    return ways  // too many questions
  }

  @discardableResult
  func arrive(_ kind: TimePlayArrivalKind) -> TimePlayWay? { ways(kind).last }

  var state: TimePlayState {
    var state = TimePlayState()
    timeplay_state(playback, &state)
    return state
  }

  var phase: TimePlayPhase { timeplay_phase(playback) }
}
