// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

// A key changes the model immediately, and returns the actions for the player.

extension PlayModel {
  /// One key press changes the speed by a semitone, of which twelve are an octave.
  private static let step = pow(2, 1.0 / 12)

  mutating func handle(_ key: Key) -> [PlayAction] {
    switch key {
    case .character(let character): handle(character)
    case .left: scrub(by: -1)
    case .right: scrub(by: 1)
    case .shiftLeft: seek(to: position - Self.shortStep)
    case .shiftRight: seek(to: position + Self.shortStep)
    case .home: seek(to: .zero)
    case .end: seek(to: track.duration)
    case .escape: closeHelp()
    case .redraw: [.redraw]
    case .up: set(volume: volume + 5)
    case .down: set(volume: volume - 5)
    case .pageUp: scrub(by: 6)
    case .pageDown: scrub(by: -6)
    case .enter: open(index + 1)
    }
  }

  private mutating func handle(_ character: Character) -> [PlayAction] {
    switch character {
    case " ": pauseOrPlay()
    case "r": turn()
    case "+", "=": set(factor: factor.value / Self.step)
    case "-", "−", "_": set(factor: factor.value * Self.step)
    case "0": setNormalSpeed()
    case "j": shuttle(.reverse)
    case "k": stop()
    case "l": shuttle(.forward)
    case ".": step(by: 1)
    case ",": step(by: -1)
    case "K": toggleKeepPitch()
    case ">": set(semitones: pitch.semitones + 1)
    case "<": set(semitones: pitch.semitones - 1)
    case "[": setStart()
    case "]": setStop()
    case "x": clearMarkers()
    case "L": cycleLoop()
    case "n": open(index + 1)
    case "p": open(index - 1)
    case "m": cycleChannels()
    case "i": cycleInterpolation()
    case "w": canPlay ? [.write(edit)] : []
    case "?", "h": toggleHelp()
    case "q": [.quit]
    default: []
    }
  }

  private var canPlay: Bool { transport != .opening && transport != .failed }

  // MARK: - Transport

  private mutating func pauseOrPlay() -> [PlayAction] {
    isStopped = false
    switch transport {
    case .playing:
      transport = .paused
      return [.pause]
    case .paused:
      transport = .playing
      return [.play]
    case .ended: return seek(to: direction == .forward ? .zero : track.duration)
    case .opening, .failed: return []
    }
  }

  /// 5 s, or a twentieth of the file if it's shorter than 100 s.
  var scrubStep: Duration { min(.seconds(5), track.duration / 20) }

  private static let shortStep = Duration.seconds(1)

  private mutating func scrub(by steps: Int) -> [PlayAction] {
    seek(to: position + scrubStep * steps)
  }

  /// If playback has ended, it resumes there.
  private mutating func seek(to target: Duration) -> [PlayAction] {
    guard canPlay, track.duration > .zero else { return [] }
    position = min(max(target, .zero), track.duration)
    guard transport == .ended else { return [.seek(position)] }
    transport = .playing
    return [.seek(position), .play]
  }

  private mutating func turn() -> [PlayAction] {
    direction = direction.opposite
    guard transport == .ended else { return [.turn(direction)] }
    transport = .playing
    return [.turn(direction), .play]
  }

  /// Plays in this direction at the normal speed, or twice as fast if it does already. After
  /// `stop()` it begins at half the speed.
  private mutating func shuttle(_ direction: Direction) -> [PlayAction] {
    guard canPlay else { return [] }
    let isFaster = transport == .playing && direction == self.direction
    shuttle = isStopped ? 0.5 : isFaster ? min(shuttle * 2, 8) : 1
    (self.direction, isStopped) = (direction, false)
    defer { transport = .playing }
    return [tape] + (transport == .playing ? [] : [.play])
  }

  /// A terminal doesn't report when you let go of a key, so j and l are slow after k, and not with
  /// it.
  private mutating func stop() -> [PlayAction] {
    guard transport == .playing || transport == .paused else { return [] }
    (transport, isStopped, shuttle) = (.paused, true, 1)
    return [.pause, tape]
  }

  private var tape: PlayAction { .speed(direction == .forward ? shuttle : -shuttle) }

  /// One picture of a video.
  private static let stepLength = Duration.milliseconds(40)

  /// Pauses that many steps further in the file.
  private mutating func step(by steps: Int) -> [PlayAction] {
    let actions = seek(to: position + Self.stepLength * steps)
    guard !actions.isEmpty else { return [] }
    transport = .paused
    return actions + [.pause]
  }

  private mutating func open(_ index: Int) -> [PlayAction] {
    guard (0..<count).contains(index) else {
      message = index < 0 ? "This is the first file." : "This is the last file."
      return []
    }
    return [.open(index)]
  }

  // MARK: - Sound

  private mutating func set(factor wanted: Double) -> [PlayAction] {
    // rounded, because twelve steps up and twelve steps down don't give exactly 1
    let isOne = abs(wanted - 1) < 1e-9
    factor = isOne ? .one : ScaleFactor(clamping: wanted)
    return [.apply(settings)]
  }

  private mutating func setNormalSpeed() -> [PlayAction] {
    let hasShuttled = shuttle != 1
    shuttle = 1
    return set(factor: 1) + (hasShuttled ? [tape] : [])
  }

  private mutating func set(volume wanted: Int) -> [PlayAction] {
    volume = min(max(wanted, 0), 100)
    return [.apply(settings)]
  }

  private mutating func toggleKeepPitch() -> [PlayAction] {
    pitch.isKept.toggle()
    return [.apply(settings)]
  }

  private mutating func set(semitones: Double) -> [PlayAction] {
    pitch.semitones = min(max(semitones, -24), 24)
    return [.apply(settings)]
  }

  private mutating func cycleChannels() -> [PlayAction] {
    channels = channels.next
    return [.apply(settings)]
  }

  private mutating func cycleInterpolation() -> [PlayAction] {
    interpolation = interpolation.next
    return [.apply(settings)]
  }

  // MARK: - Help

  private mutating func toggleHelp() -> [PlayAction] {
    isHelpShown.toggle()
    return []
  }

  private mutating func closeHelp() -> [PlayAction] {
    isHelpShown = false
    return []
  }
}

extension CaseIterable where Self: Equatable {
  /// After the last case comes the first.
  var next: Self {
    let all = Array(Self.allCases)
    let index = (all.firstIndex(of: self) ?? 0) + 1
    return all[index % all.count]
  }
}
