// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maximum duration of the held buffers, in seconds. Parsers estimate a duration after 50 codec
/// frames of 1152 or 2048 samples, which takes up to 2.6 s at 40 kHz.
private let mostHeldSeconds: UInt64 = 4
/// Maximum number of held buffers. The limit in seconds alone would allow any number of very short
/// buffers.
private let mostHeldBuffers = 1000

/// The state of a stream that the session does not play (see `PlaySession`). It is reset at each
/// segment. Buffers are held by the owner until upstream knows the end of the stream, because only
/// then the session can decide whether to play the stream.
struct Passage {
  /// Whether the application has been warned that the source cannot seek in this segment.
  var hasWarned = false
  /// Whether more of the stream is to be collected.
  var isKeeping = false
  /// Stream time of the first output frame of a collected stream; `unknownTime` stands for the end
  /// of the stream.
  var firstNs = unknownTime
  /// Whether the stream has audio before the segment, which a seek has skipped.
  var skipsAudio = false
  // the number of held buffers, and of the frames in them
  private(set) var heldBuffers = 0
  private(set) var heldFrames: UInt64 = 0

  /// Whether the stream has audio that is held, that is `arrival`, or that a seek has skipped.
  func hasAudio(with arrival: TimePlayArrival) -> Bool {
    skipsAudio || heldBuffers > 0 || arrival.kind == TIMEPLAY_ARRIVING_BUFFER
  }

  /// Whether more buffers may be held after `arrival`.
  func hasRoom(after arrival: TimePlayArrival) -> Bool {
    heldBuffers &+ 1 < mostHeldBuffers
      && heldFrames &+ arrival.frames < UInt64(arrival.rate) &* mostHeldSeconds
  }

  mutating func hold(_ arrival: TimePlayArrival) {
    heldBuffers &+= 1
    heldFrames &+= arrival.frames
  }

  mutating func releaseHeld() { (heldBuffers, heldFrames) = (0, 0) }
}

// Decisions that depend on the properties.
extension TimePlaySettings {
  /// Whether the session may play the stream if the source can seek.
  var mayPlay: Bool { mode == TIMEPLAY_MODE_AUTO || mode == TIMEPLAY_MODE_SEEK }

  /// Whether the properties ask for a backward direction or a loop, and the session may play the
  /// stream.
  var wantPlayback: Bool {
    mayPlay && (direction == TIMEDSP_BACKWARD || loop != TIMEDSP_LOOP_NONE)
  }

  /// Whether a stream that the session does not play is collected, and then sent backwards.
  var collectBackward: Bool { wayWithoutPlayback == TIMEPLAY_COLLECTS }

  /// Whether to play even if upstream does not know the end of the stream. `true` if the mode
  /// demands playback, or if the direction is forward, so that playback will reach the end.
  var insistOnPlayback: Bool {
    mode == TIMEPLAY_MODE_SEEK || direction == TIMEDSP_FORWARD
  }

  /// How to handle a stream that the session does not play.
  var wayWithoutPlayback: TimePlayWay {
    if direction == TIMEDSP_FORWARD { return TIMEPLAY_PASSES }
    return mode == TIMEPLAY_MODE_CHUNK ? TIMEPLAY_CHUNKS : TIMEPLAY_COLLECTS
  }

  /// The warning if a segment begins and its source cannot seek; `nil` if the stream is collected
  /// without a warning.
  var warningOfSegment: TimePlayWay? {
    if loop != TIMEDSP_LOOP_NONE { return TIMEPLAY_WARNS_UNLOOPED }
    return mode == TIMEPLAY_MODE_SEEK ? TIMEPLAY_WARNS_COLLECTED : nil
  }

  /// The warning if the direction or the loop is set during a segment whose source cannot seek.
  var warningOfTurn: TimePlayWay {
    loop != TIMEDSP_LOOP_NONE ? TIMEPLAY_WARNS_UNLOOPED : TIMEPLAY_WARNS_UNTURNED
  }

  /// How to handle the stream that `segment` begins. The result may be a question or a warning to
  /// the owner, which then asks again.
  func way(of segment: TimePlayArrival) -> TimePlayWay {
    // a negative rate already plays the segment backwards, whatever the property `direction` says
    if segment.flips != 0 { return TIMEPLAY_PASSES }
    if wantPlayback {
      if segment.source == TIMEPLAY_SOURCE_UNKNOWN { return TIMEPLAY_ASKS_SOURCE }
      if segment.source == TIMEPLAY_SOURCE_SEEKS { return TIMEPLAY_WAITS }
      if let warning = warningOfSegment, segment.has_warned == 0 { return warning }
    }
    let way = wayWithoutPlayback
    return way == TIMEPLAY_COLLECTS && segment.is_live == TIMEPLAY_UNKNOWN
      ? TIMEPLAY_ASKS_LIVE : way
  }

  /// How to handle a buffer of a stream that is passed through so far. The direction or the loop
  /// may have been set after the segment began.
  func way(ofPassing buffer: TimePlayArrival) -> TimePlayWay {
    if !wantPlayback || buffer.flips != 0 || buffer.rate == 0 { return TIMEPLAY_PASSES }
    switch buffer.source {
    case TIMEPLAY_SOURCE_UNKNOWN: return TIMEPLAY_ASKS_SOURCE
    case TIMEPLAY_SOURCE_SEEKS: return TIMEPLAY_STARTS
    case TIMEPLAY_SOURCE_LACKS_SEGMENT: return TIMEPLAY_PASSES
    default: return buffer.has_warned == 0 ? warningOfTurn : TIMEPLAY_PASSES
    }
  }

  /// How to handle a buffer or the end of the stream while buffers are held.
  func way(ofWaiting arrival: TimePlayArrival, in passage: Passage) -> TimePlayWay {
    let hasAudio = passage.hasAudio(with: arrival)
    if hasAudio, arrival.ends == TIMEPLAY_UNKNOWN { return TIMEPLAY_ASKS_END }
    let endIsUnknown = arrival.ends == TIMEPLAY_NO
    if arrival.kind == TIMEPLAY_ARRIVING_BUFFER, endIsUnknown, passage.hasRoom(after: arrival) {
      return TIMEPLAY_WAITS
    }
    if hasAudio, !endIsUnknown || insistOnPlayback { return TIMEPLAY_STARTS }
    return arrival.is_live == TIMEPLAY_UNKNOWN ? TIMEPLAY_ASKS_LIVE : TIMEPLAY_COLLECTS
  }
}

extension TimePlayState {
  /// The state of a session that plays nothing.
  static var nothing: TimePlayState {
    var state = TimePlayState()
    state.position_ns = unknownTime
    state.first_ns = unknownTime
    state.duration_ns = unknownTime
    return state
  }
}

// Handling of arrivals from upstream.
extension PlaySession {
  /// Whether the owner handles the stream.
  var isPassive: Bool { !isPlaying && phase != TIMEPLAY_CLOSED }

  /// Whether the position of the output differs from the position of the input.
  var isDelayed: Bool {
    isPlaying || phase == TIMEPLAY_COLLECTING || phase == TIMEPLAY_AWAITING
  }

  var snapshot: TimePlayState {
    var state = TimePlayState.nothing
    state.is_playing = isPlaying ? 1 : 0
    state.is_keeping = phase == TIMEPLAY_COLLECTING && passage.isKeeping ? 1 : 0
    state.is_waiting = (isPlaying ? upstream.isWaiting : phase == TIMEPLAY_AWAITING) ? 1 : 0
    state.is_waiting_if_shared = isPlaying && !upstream.isLetGo ? 1 : 0
    state.awaits_segment = awaitsSegment ? 1 : 0
    state.is_delayed = isDelayed ? 1 : 0
    if phase == TIMEPLAY_COLLECTING { state.first_ns = passage.firstNs }
    if isPlaying { (state.position_ns, state.duration_ns) = (playheadNs, durationNs) }
    return state
  }

  mutating func arrive(_ arrival: TimePlayArrival) -> TimePlayWay {
    switch arrival.kind {
    case TIMEPLAY_ARRIVING_SEGMENT: return begin(arrival)
    case TIMEPLAY_ARRIVING_EVENT: return isPassive ? TIMEPLAY_PASSES : TIMEPLAY_IS_PLAYED
    default: break
    }
    switch phase {
    case TIMEPLAY_AWAITING: return wait(arrival)
    case TIMEPLAY_PASSING where arrival.kind == TIMEPLAY_ARRIVING_BUFFER: return pass(arrival)
    default: return isPassive ? TIMEPLAY_PASSES : TIMEPLAY_IS_PLAYED
    }
  }

  /// Chooses how the stream that begins with `segment` is handled.
  private mutating func begin(_ segment: TimePlayArrival) -> TimePlayWay {
    let way = isPassive ? settings.way(of: segment) : TIMEPLAY_IS_PLAYED
    switch way {
    case TIMEPLAY_PASSES: phase = TIMEPLAY_PASSING
    case TIMEPLAY_COLLECTS: phase = TIMEPLAY_COLLECTING
    case TIMEPLAY_CHUNKS: phase = TIMEPLAY_CHUNKING
    case TIMEPLAY_WAITS: phase = TIMEPLAY_AWAITING
    case TIMEPLAY_IS_PLAYED: break  // a seek has started playback while held audio was being sent
    default: return way  // a question to the owner
    }
    past.pass()
    passage = Passage()
    passage.hasWarned = segment.has_warned != 0
    passage.skipsAudio = past.skipsAudio
    if way == TIMEPLAY_COLLECTS {
      passage.isKeeping = segment.is_live == TIMEPLAY_NO
      passage.firstNs = segment.first_ns
    }
    return way
  }

  private mutating func pass(_ buffer: TimePlayArrival) -> TimePlayWay {
    if passage.hasWarned || past.hasOpenSeek { return TIMEPLAY_PASSES }
    let way = settings.way(ofPassing: buffer)
    switch way {
    case TIMEPLAY_WARNS_UNLOOPED, TIMEPLAY_WARNS_UNTURNED: passage.hasWarned = true
    default: break
    }
    return way
  }

  private mutating func wait(_ arrival: TimePlayArrival) -> TimePlayWay {
    // a buffer without a format is passed to the base class, which refuses it
    if arrival.kind == TIMEPLAY_ARRIVING_BUFFER, arrival.rate == 0 { return TIMEPLAY_PASSES }
    let way = settings.way(ofWaiting: arrival, in: passage)
    switch way {
    case TIMEPLAY_WAITS: passage.hold(arrival)
    case TIMEPLAY_STARTS: passage.releaseHeld()
    case TIMEPLAY_COLLECTS:
      phase = TIMEPLAY_COLLECTING
      passage = Passage()
      passage.isKeeping = arrival.is_live == TIMEPLAY_NO
    default: break
    }
    return way
  }
}
