// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

@testable import RetrogradeTool

/// An action that changes one of the default settings.
private func apply<Value>(
  _ path: WritableKeyPath<AudioPlayer.Settings, Value>, _ value: Value
) -> PlayAction {
  var settings = AudioPlayer.Settings()
  settings[keyPath: path] = value
  return .apply(settings)
}

@Suite struct PlayModelTests {
  /// A file of 100 s that plays forward. The position is 40 s.
  private func playing(count: Int = 3, at seconds: Double = 40) -> PlayModel {
    var model = PlayModel(count: count)
    model.track = PlayModel.Track(name: "song.mp3", duration: .seconds(100))
    model.transport = .playing
    model.position = .seconds(seconds)
    return model
  }

  private func press(_ keys: String, _ model: inout PlayModel) -> [PlayAction] {
    keys.flatMap { model.handle(.character($0)) }
  }

  /// Returns the pitch after each key.
  private func pitches(_ keys: String, _ model: inout PlayModel) -> [Pitch] {
    press(keys, &model).compactMap {
      if case .apply(let settings) = $0 { settings.pitch } else { nil }
    }
  }

  @Test func `Space pauses and plays`() {
    var model = playing()
    #expect(press(" ", &model) == [.pause])
    #expect(model.transport == .paused)
    #expect(press(" ", &model) == [.play])
    #expect(model.transport == .playing)
  }

  @Test func `A pause steps back, but not out of a loop`() {
    var model = playing()
    model.backstep = .seconds(2)
    #expect(press(" ", &model) == [.pause, .seek(.seconds(38))])
    #expect(press(" ", &model) == [.play])
    (model.loopMode, model.markerStart, model.markerStop) = (.repeat, .seconds(37), .seconds(45))
    #expect(press(" ", &model) == [.pause, .seek(.seconds(37))])
    (model.transport, model.direction, model.position) = (.playing, .reverse, .seconds(44))
    #expect(press(" ", &model) == [.pause, .seek(.seconds(45))])
  }

  @Test func `Arrows with Shift scrub by 1 s`() {
    var model = playing(at: 10)
    #expect(model.handle(.shiftRight) == [.seek(.seconds(11))])
    #expect(model.handle(.shiftLeft) == [.seek(.seconds(10))])
  }

  @Test func `Arrows scrub by 5 s, and stay inside the file`() {
    var model = playing(at: 3)
    #expect(model.handle(.right) == [.seek(.seconds(8))])
    #expect(model.handle(.right) == [.seek(.seconds(13))])
    #expect((0..<3).flatMap { _ in model.handle(.left) }.last == .seek(.zero))
    #expect(model.handle(.end) == [.seek(.seconds(100))])
    #expect(model.handle(.home) == [.seek(.zero)])
  }

  @Test func `In a short file arrows scrub by a twentieth of it`() {
    var model = playing(at: 1)
    model.track.duration = .seconds(2)
    #expect(model.handle(.right) == [.seek(.milliseconds(1100))])
  }

  @Test func `Play turns around, and back`() {
    var model = playing()
    #expect(press("r", &model) == [.turn(.reverse)])
    #expect(press("r", &model) == [.turn(.forward)])
  }

  @Test func `J and L shuttle twice as fast at each press, up to 8 times`() {
    var model = playing()
    #expect(press("llll", &model) == [2, 4, 8, 8].map { .speed($0) })
    #expect(press("jj", &model) == [.speed(-1), .speed(-2)])
    #expect(model.direction == .reverse && model.speed == 2)
    #expect(press("l", &model) == [.speed(1)])
    #expect(press("l0", &model) == [.speed(2), apply(\.factor, .one), .speed(1)])
  }

  @Test func `K pauses at the normal speed, and after it J and L are slow`() {
    var model = playing()
    #expect(press("ll", &model) == [.speed(2), .speed(4)])
    #expect(press("k", &model) == [.pause, .speed(1)])
    #expect(model.transport == .paused && model.speed == 1)
    #expect(press("jjj", &model) == [.speed(-0.5), .play, .speed(-1), .speed(-2)])
    #expect(press("k k ", &model).suffix(3) == [.pause, .speed(-1), .play])
    #expect(press("j", &model) == [.speed(-2)])
    #expect(press(" l", &model) == [.pause, .speed(1), .play])
  }

  @Test func `A turn keeps the shuttle's speed`() {
    var model = playing()
    #expect(press("lr", &model) == [.speed(2), .turn(.reverse)])
    #expect(model.speed == 2 && press("j", &model) == [.speed(-4)])
  }

  @Test func `A comma and a point step by 40 ms, paused`() {
    var model = playing()
    #expect(press(".", &model) == [.seek(.milliseconds(40_040)), .pause])
    #expect(press(",,", &model).suffix(2) == [.seek(.milliseconds(39_960)), .pause])
    #expect(model.transport == .paused)
    (model.transport, model.position) = (.ended, .seconds(100))
    #expect(press(",", &model) == [.seek(.milliseconds(99_960)), .play, .pause])
  }

  @Test func `At the end, a key continues playback`() {
    func ended() -> PlayModel {
      var model = playing(at: 100)
      model.transport = .ended
      return model
    }
    var model = ended()
    #expect(press("r", &model) == [.turn(.reverse), .play])
    model = ended()
    #expect(press(" ", &model) == [.seek(.zero), .play])
    model = ended()
    #expect(model.handle(.left) == [.seek(.seconds(95)), .play])
    #expect(model.transport == .playing)
  }

  @Test func `Plus is faster, and twelve steps are an octave, and lead back to exactly 1`() {
    var model = playing()
    _ = press("++++++++++++", &model)
    #expect(abs(model.factor.speed - 2) < 1e-12)
    _ = press("------------", &model)
    #expect(model.factor == .one)
    _ = press("---", &model)
    #expect(abs(model.factor.speed - pow(2, -0.25)) < 1e-12)
    #expect(press("0", &model) == [apply(\.factor, .one)])
  }

  @Test func `The factor stays in its range`() {
    var model = playing()
    for _ in 0..<200 { _ = press("+", &model) }
    #expect(model.factor.value == 0.01)
    for _ in 0..<400 { _ = press("-", &model) }
    #expect(model.factor.value == 100)
  }

  @Test func `Markers are set where play is, and looped between`() {
    var model = playing(at: 10)
    _ = press("a", &model)
    model.position = .seconds(20)
    let loop = Loop(.repeat, from: .seconds(10), to: .seconds(20))
    #expect(press("b", &model) == [apply(\.loop, loop), .seek(.seconds(10))])
    #expect(
      press("L", &model) == [
        apply(\.loop, Loop(.pingPong, from: .seconds(10), to: .seconds(20)))
      ])
    #expect(
      press("L", &model) == [apply(\.loop, Loop(.none, from: .seconds(10), to: .seconds(20)))])
  }

  @Test func `A loop is entered from outside, and not disturbed from inside`() {
    var model = playing(at: 30)
    (model.markerStart, model.markerStop) = (.seconds(10), .seconds(20))
    #expect(press("L", &model).last == .seek(.seconds(10)))
    model.loopMode = .none
    model.position = .seconds(15)
    #expect(press("L", &model).count == 1)
    model.loopMode = .none
    (model.position, model.direction) = (.seconds(5), .reverse)
    #expect(press("L", &model).last == .seek(.seconds(20)))
  }

  @Test func `A marker set while looping takes effect immediately`() {
    var model = playing(at: 15)
    (model.markerStart, model.markerStop, model.loopMode) = (.seconds(10), .seconds(20), .repeat)
    #expect(press("b", &model).last == .seek(.seconds(10)))
    model.position = .seconds(12)
    #expect(press("a", &model).last == .seek(.seconds(12)))
  }

  @Test func `Markers are nudged by 10 ms, and stay apart`() {
    var model = playing(at: 15)
    #expect(press("A", &model) == [])
    (model.markerStart, model.markerStop) = (.seconds(10), .seconds(20))
    let loop = Loop(.repeat, from: .milliseconds(9990), to: .milliseconds(20_010))
    model.loopMode = .repeat
    _ = press("A", &model)
    #expect(model.handle(.control("b")) == [apply(\.loop, loop)])
    (model.markerStop, model.position) = (.milliseconds(10_020), .milliseconds(10_015))
    #expect(press("B", &model).last == .seek(.milliseconds(9990)))
    #expect(
      model.handle(.control("a")).last == .seek(.seconds(10)) && model.handle(.control("a")) == [])
    #expect(model.markerStart == .seconds(10))
  }

  @Test func `A key for the speed ends the ladder where it is`() {
    var model = playing()
    (model.ladder, model.factor) = ([ScaleFactor(clamping: 2), .one], ScaleFactor(clamping: 1.6))
    #expect(model.settings.ladder == model.ladder)
    _ = press("-", &model)
    #expect(model.ladder.isEmpty && abs(model.factor.value - 1.6 * pow(2, 1.0 / 12)) < 1e-12)
  }

  @Test func `A loop may begin with the file`() {
    var model = playing(at: 0)
    _ = press("a", &model)
    model.position = .seconds(20)
    _ = press("b", &model)
    #expect(model.loop == Loop(.repeat, from: .zero, to: .seconds(20)))
  }

  @Test func `The original is heard until a setting changes`() {
    var model = playing()
    _ = press("-", &model)
    _ = press("<", &model)
    let changed = model.settings
    let original = press("c", &model)
    #expect(original == [apply(\.factor, .one)] && model.speed == 1)
    _ = press("c", &model)
    #expect(model.settings == changed)
    _ = press("c", &model)
    _ = press(">", &model)
    #expect(model.settings.factor == changed.factor && model.settings.pitch.semitones == 0)
  }

  @Test func `A marker on the wrong side of the other takes its place`() {
    var model = playing(at: 50)
    (model.markerStart, model.markerStop) = (.seconds(10), .seconds(20))
    _ = press("a", &model)
    #expect(model.markerStart == .seconds(50) && model.markerStop == nil)
    model.position = .seconds(5)
    _ = press("b", &model)
    #expect(model.markerStart == nil && model.markerStop == .seconds(5))
    _ = press("x", &model)
    #expect(model.loop == Loop() && model.edit.region == nil)
  }

  @Test func `Markers always have something between them`() {
    var (model, random) = (playing(), SeededGenerator(seed: 2))
    for _ in 0..<3000 {
      model.position = .seconds([0, 0.001, 50, 99.999, 100].randomElement(using: &random) ?? 0)
      _ = press(["a", "b", "x", "L", "r"].randomElement(using: &random) ?? "a", &model)
      #expect(model.region.lowerBound < model.region.upperBound)
    }
  }

  @Test func `Files are gone through one by one`() {
    var model = playing()
    #expect(press("n", &model) == [.open(1)])
    model.index = 2
    #expect(press("n", &model) == [])
    #expect(model.message == "This is the last file.")
    #expect(press("p", &model) == [.open(1)])
    model.index = 0
    #expect(press("p", &model) == [])
  }

  @Test func `Channels and interpolations come in turn`() {
    var model = playing()
    #expect(
      press("mmm", &model) == [
        apply(\.channels, .first), apply(\.channels, .merged), apply(\.channels, .all),
      ])
    #expect(press("i", &model) == [apply(\.interpolation, .nearest)])
    #expect(Set(press("iiiii", &model).map(String.init(describing:))).count == 5)
  }

  @Test func `The pitch is kept, and moved by semitones up to two octaves`() {
    var model = playing()
    #expect(
      pitches("K>><", &model)
        == [0, 1, 2, 1].map { Pitch(isKept: true, semitones: $0) })
    #expect(model.edit.pitch == Pitch(isKept: true, semitones: 1))
    #expect(press("K", &model) == [apply(\.pitch, Pitch(semitones: 1))])
    #expect(pitches(String(repeating: ">", count: 40), &model).last?.semitones == 24)
    #expect(pitches(String(repeating: "<", count: 60), &model).last?.semitones == -24)
  }

  @Test func `Up and down are the volume, in its range`() {
    var model = playing()
    #expect(model.handle(.down) == [apply(\.volume, 0.95)])
    #expect(model.handle(.up) == [apply(\.volume, 1)])
    #expect(model.handle(.up) == [apply(\.volume, 1)])
    for _ in 0..<30 { _ = model.handle(.down) }
    #expect(model.volume == 0)
  }

  @Test func `Pages scrub far, and Enter goes to the next file`() {
    var model = playing(at: 40)
    #expect(model.handle(.pageUp) == [.seek(.seconds(70))])
    #expect(model.handle(.pageDown) == [.seek(.seconds(40))])
    #expect(model.handle(.enter) == [.open(1)])
  }

  @Test func `The written file is the output`() {
    var model = playing()
    _ = press("r+mi", &model)
    (model.markerStart, model.markerStop) = (.seconds(1), .seconds(2))
    var edit = AudioEdit(
      region: .seconds(1)..<Duration.seconds(2), direction: .reverse,
      factor: ScaleFactor(clamping: 1 / pow(2, 1.0 / 12)), channels: .first)
    edit.interpolation = .nearest
    #expect(press("w", &model) == [.write(edit)])
    model.markerStop = nil
    #expect(model.edit.region == .seconds(1)..<Duration.seconds(100))
    model.markerStart = nil
    #expect(model.edit.region == nil)
  }

  @Test func `Help comes and goes, and q quits`() {
    var model = playing()
    _ = press("?", &model)
    #expect(model.isHelpShown)
    _ = press("?", &model)
    #expect(!model.isHelpShown)
    #expect(press("q", &model) == [.quit])
  }

  @Test(arguments: [PlayModel.Transport.opening, .failed])
  func `Without a file, keys that need one do nothing`(transport: PlayModel.Transport) {
    var model = PlayModel(count: 2)
    model.transport = transport
    for key in [Key.left, .right, .home, .end, .pageUp] { #expect(model.handle(key) == []) }
    #expect(press(" jkl,.wabx", &model).allSatisfy { if case .apply = $0 { true } else { false } })
  }
}
