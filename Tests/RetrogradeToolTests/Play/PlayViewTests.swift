// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde
import Testing

@testable import RetrogradeTool

@Suite struct PlayViewTests {
  private func model() -> PlayModel {
    var model = PlayModel(count: 2)
    let tags = AudioTags(["title": "Song", "artist": "Singer"])
    model.track = PlayModel.Track(
      name: "song.mp3", tags: tags, facts: "MP3, 44100 Hz, stereo",
      duration: .seconds(100), peaks: (0..<1000).map { Float($0) / 1000 })
    model.transport = .playing
    model.position = .seconds(25)
    return model
  }

  /// The lines without their colours, and without spaces at the end.
  private func lines(
    _ model: PlayModel, _ columns: Int, _ rows: Int
  ) -> [String] {
    PlayView(model: model, size: (columns, rows)).lines.map { line in
      var text = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  @Test func `On 80 by 24 everything is there`() {
    var model = model()
    (model.factor, model.direction, model.loopMode) = (
      ScaleFactor(clamping: 1.5), .reverse, .repeat
    )
    (model.markerStart, model.markerStop) = (.seconds(10), .seconds(50))
    model.volume = 35
    model.message = "Wrote song-reversed.wav."
    let lines = lines(model, 80, 24)
    #expect(lines[0] == "Song – Singer" + String(repeating: " ", count: 64) + "1/2")
    #expect(lines[1] == "song.mp3, MP3, 44100 Hz, stereo")
    #expect(lines.contains("◀ 0:25.0 / 1:40.0  reverse  speed 0.67  volume 35 %"))
    #expect(
      lines.contains("repeat 0:10.000–0:50.000, pitch follows, K keeps it, all channels, sinc"))
    #expect(lines[23].hasPrefix("Wrote song-reversed.wav.  ? help"))
    model.message = ""
    #expect(self.lines(model, 80, 24)[23].hasPrefix("? help  q quit  space play"))
  }

  @Test func `Playhead and markers are at their places`() {
    var model = model()
    (model.markerStart, model.markerStop) = (.seconds(10), .seconds(50))
    let lines = lines(model, 80, 24)
    let markers = lines.first { $0.contains("▲") } ?? ""
    #expect(markers == String(repeating: " ", count: 8) + "[───────────▲───────────────────]")
    let wave = lines.filter { $0.contains("│") }
    #expect(wave.count == 18)
    #expect(wave.allSatisfy { Array($0).firstIndex(of: "│") == 20 })
  }

  @Test func `The outline is as high as the file is loud`() {
    let model = model()
    let lines = lines(model, 80, 24)
    let wave = lines.filter { $0.contains("│") }.map(Array.init)
    for column in [10, 40, 70, 79] {
      let eighths = wave.map { row -> Int in
        guard column < row.count else { return 0 }
        return PlayView.bars.firstIndex(of: row[column]) ?? -1
      }
      // the sound is a rising line, so the peak is the last sample of the column
      let peak = (Double(column) + 1) * 1000 / 80 - 1
      let expected = peak.rounded(.down) / 999 * Double(8 * wave.count)
      #expect(abs(Double(eighths.reduce(0, +)) - expected) <= 1)
    }
  }

  @Test(arguments: [
    (80, 24), (40, 10), (200, 60), (20, 5), (10, 3), (7, 2), (3, 1), (1, 1), (0, 0),
  ])
  func `Every size is filled, with the time in it`(columns: Int, rows: Int) {
    let lines = lines(model(), columns, rows)
    #expect(lines.count == rows)
    #expect(lines.allSatisfy { $0.columns <= columns })
    if columns >= 10 { #expect(lines.contains { $0.contains("0:25") }) }
  }

  @Test func `On 40 by 10 the outline shrinks first`() {
    let lines = lines(model(), 40, 10)
    #expect(lines[0].hasPrefix("Song – Singer"))
    #expect(lines.filter { $0.contains("│") }.count == 4)
    #expect(lines.contains { $0.hasPrefix("▶ 0:25.0 / 1:40.0  forward") })
    #expect(lines[9].contains("? help") && lines[9].contains("q quit"))
  }

  @Test func `A large screen is filled`() {
    #expect(lines(model(), 200, 50).count { $0.isEmpty } <= 3)
  }

  @Test func `Help names every key`() {
    var model = model()
    model.isHelpShown = true
    let lines = lines(model, 80, 24)
    #expect(lines[..<13] == PlayView.help.split(separator: "\n").map(String.init)[...])
    #expect(lines[23].hasPrefix("? help  q quit"))
    #expect(self.lines(model, 40, 10).count == 10)
  }

  @Test func `Tags cannot send commands to the terminal`() {
    var model = model()
    model.track.tags = AudioTags(["title": "\u{1B}[2Jboo\n"])
    #expect(lines(model, 80, 24)[0].hasPrefix("?[2Jboo"))
  }

  @Test func `Unknown values are left out`() {
    let lines = lines(PlayModel(count: 1), 80, 24)
    #expect(lines.contains { $0.hasPrefix("■ 0:00.0  forward  speed 1") })
  }

  @Test(arguments: [
    (0.0, "0:00.0"), (0.999, "0:00.9"), (62.35, "1:02.3"), (3602.3, "1:00:02.3"), (-1, "0:00.0"),
  ])
  func `Times read as on a tape deck`(seconds: Double, text: String) {
    #expect(Duration.seconds(seconds).deckClock == text)
  }

  @Test(arguments: [(1.0, "1"), (1.0594, "1.06"), (0.5, "0.5"), (0.0149, "0.015"), (100, "100")])
  func `Factors have as many digits as one reads`(factor: Double, text: String) {
    #expect(factor.short == text)
  }
}
