// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Foundation
import Synchronization
import Testing

@testable import Retrograde

/// Random bytes, the same in every run.
private func noise(_ count: Int) -> [UInt8] {
  var state: UInt32 = 7
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}

extension ArraySlice: BytePiece where Element == UInt8 {}

/// Joins regions of a sound with 10 frames per second of 2 bytes each. Returns nil if the regions
/// do not match. Each region is a range of frames. The list begins with the last region of the
/// sound.
private func joined(_ sound: [UInt8], _ regions: [Range<Int>]) -> [UInt8]? {
  let frames = stride(from: 0, to: sound.count, by: 2).map { Array(sound[$0..<$0 + 2]) }
  var join = RegionJoin<ArraySlice<UInt8>>(frameBytes: 2, rate: 10, slackFrames: 3)
  var result: [UInt8] = []
  for (index, region) in regions.enumerated() {
    let bytes = Array(frames[region].reversed().joined())
    // in blocks, as a pipeline delivers them
    let pieces = stride(from: 0, to: bytes.count, by: 14).map { bytes[$0...].prefix(14) }
    if index > 0 {
      guard let rest = join.join(pieces) else { return nil }
      result += rest.joined()
    }
    for piece in pieces { result += join.add(piece).joined() }
  }
  return result + join.finish().joined()
}

private func reversed(_ sound: [UInt8]) -> [UInt8] {
  stride(from: sound.count - 2, through: 0, by: -2).flatMap { sound[$0..<$0 + 2] }
}

/// Each region begins 1 s before its own first frame and ends 1 s after its last one, so neighbours
/// share 2 s. They are joined exactly, even if a seek is off by up to 3 frames.
@Test(arguments: [0, 1, -1, 3, -3])
func regionsAreJoinedWhereTheyAreTheSame(shift: Int) {
  let sound = noise(400)
  let whole = joined(sound, [(140 - 10 + shift)..<200, (70 - 10)..<150, 0..<80])
  #expect(whole == reversed(sound))
}

@Test func regionsThatDoNotFitAreNotJoined() {
  var sound = noise(400)
  // the regions match only at a position that is too far from the expected one
  #expect(joined(sound, [(100 - 10 - 4)..<200, 0..<110]) == nil)
  // a second of silence matches anywhere
  sound.replaceSubrange(150..<250, with: repeatElement(0, count: 100))
  #expect(joined(sound, [(100 - 10)..<200, 0..<110]) == nil)
  // one region is too short to be compared
  #expect(joined(sound, [(100 - 10)..<100, 0..<110]) == nil)
}

@Test func regionsAreOfWholeSecondsAndNoneIsShort() {
  func plan(
    _ part: Range<Duration>?, _ seconds: Double, _ decoders: Int, bytesPerSecond: Int = 176_400
  ) -> [RegionPlan.Region] {
    RegionPlan(
      part, of: .seconds(seconds), bytesPerSecond: bytesPerSecond, decoders: decoders
    ).regions
  }
  #expect(
    plan(nil, 100.4, 2) == [
      .init(start: .seconds(49), stop: .seconds(110.4)), .init(start: .seconds(51), stop: nil),
    ])
  #expect(
    plan(.seconds(10) ..< .seconds(70), 100, 3) == [
      .init(start: .seconds(49), stop: .seconds(70)),
      .init(start: .seconds(29), stop: .seconds(51)),
      .init(start: .seconds(10), stop: .seconds(31)),
    ])
  #expect(plan(nil, 100, 99).count == 5)
  #expect(plan(nil, 39, 99).count == 1)
  #expect(plan(nil, 0, 4).count == 1)
  #expect(plan(nil, 3600, 1).count == 1)
}

/// The first second of each region is dropped. The next 2 s are also in the region before it.
/// Regions are joined exactly, even if a seek is off by up to 3 frames.
@Test(arguments: [0, 1, -1, 3, -3])
func regionsAreJoinedForward(shift: Int) {
  let sound = noise(400)
  let frames = stride(from: 0, to: sound.count, by: 2).map { Array(sound[$0..<$0 + 2]) }
  var join = RegionJoin<ArraySlice<UInt8>>(frameBytes: 2, rate: 10, slackFrames: 3)
  var result: [UInt8] = []
  for region in [0..<90, (60 + shift)..<160, 130..<200] {
    let isFirst = region.lowerBound == 0
    let bytes = Array(frames[region].joined().dropFirst(isFirst ? 0 : join.warmUpBytes))
    let pieces = stride(from: 0, to: bytes.count, by: 14).map { bytes[$0...].prefix(14) }
    if !isFirst { result += (join.join(pieces) ?? []).flatMap { $0 } }
    for piece in pieces { result += join.add(piece).joined() }
  }
  #expect(result + join.finish().joined() == sound)
}

@Test func regionsGoForwardFromTheBeginningToTheEnd() {
  let plan = RegionPlan(forward: .seconds(100.4), bytesPerSecond: 176_400, decoders: 3)
  #expect(
    plan.regions == [
      .init(start: .zero, stop: .seconds(35)), .init(start: .seconds(32), stop: .seconds(69)),
      .init(start: .seconds(66), stop: nil),
    ])
  #expect((0...3).map(plan.isInner) == [false, true, true, false])
  #expect(
    RegionPlan(forward: .seconds(39), bytesPerSecond: 176_400, decoders: 9).regions.count == 1)
}

/// The files that `sweep` has made, by type and length. They are cached, because FFmpeg takes
/// seconds for each of them.
private let sweeps = Mutex<[String: Data]>([:])

/// Creates a file with a title, and with a sweep in which nothing is repeated.
private func sweep(
  in folder: TestFolder, as type: String, seconds: Double = 45.3
) throws -> AudioFile {
  let file = folder.file("sweep.\(type)")
  try sweeps.withLock { made in
    let known = made["\(type), \(seconds) s"]
    try known?.write(to: file)
    guard known == nil else { return }
    try makeSweep(file, type: type, seconds: seconds)
    made["\(type), \(seconds) s"] = try Data(contentsOf: file)
  }
  return AudioFile(file)
}

private func makeSweep(_ file: URL, type: String, seconds: Double) throws {
  let sound = "0.4*sin((900+40*t)*t)+0.1*random(0)|0.4*sin((700+30*t)*t)+0.1*random(1)"
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
    "aevalsrc=\(sound):s=\(type == "opus" ? 48000 : 44100):d=\(seconds)", "-metadata",
    "title=Sweep",
    // by default, FFmpeg's AAC encoder replaces noise with parameters, from which decoders generate
    // noise
    "-ac", "2", "-aac_pns", "0", file.path)
}

/// Writes `song` with several decoders. The library must not fall back to a single decoder.
private func render(
  _ edit: AudioEdit, of song: AudioFile, to file: URL, decoders: Int
) async throws {
  let information = try await song.information()
  #expect(decoders == 1 || edit.regions(of: information, decoders: decoders) != nil)
  let part = try PartFile(for: file, replacingExisting: true)
  let work = try Work(
    edit, of: song, information, try Encoding(OutputSettings(), for: file), amplification: 1,
    into: part, decoders: decoders)
  try await work.run { _ in }
  try part.keep()
}

/// Expects that `decoders` decoders write the same file as a single decoder, bit for bit.
private func expectSameFile(
  _ edit: AudioEdit, of song: AudioFile, in folder: TestFolder, decoders: Int = 2
) async throws {
  let files = [folder.file("one.wav"), folder.file("several.wav")]
  try await render(edit, of: song, to: files[0], decoders: 1)
  try await render(edit, of: song, to: files[1], decoders: decoders)
  let contents = try files.map { try Data(contentsOf: $0) }
  let isSame = contents[0] == contents[1]
  #expect(isSame && contents[0].count > 500_000)
}

private let backward = AudioEdit(direction: .reverse)
/// Regions that begin and end at frames, and between two frames.
private let parts = [
  AudioEdit(region: .seconds(1) ..< .seconds(44), direction: .reverse),
  AudioEdit(region: .seconds(1.23456) ..< .seconds(43.123456), direction: .reverse),
]
/// At the second factor, no output frame except for the first one coincides with an input frame.
private let scalings = [
  AudioEdit(factor: ScaleFactor(clamping: 1.5)),
  AudioEdit(factor: ScaleFactor(clamping: 0.7310585786300049)),
  AudioEdit(factor: ScaleFactor(clamping: 0.1), pitch: .kept),
]

/// Each type with some edits, and in `make check-all` with all of them.
private let typesAndEdits: [(String, [AudioEdit])] =
  isLong
  ? ["wav", "aiff", "flac", "ogg", "opus", "mp3", "m4a"].map { ($0, [backward] + parts + scalings) }
  : [
    ("wav", [scalings[1]]), ("flac", [parts[1], scalings[0]]), ("ogg", [backward]),
    ("mp3", [backward, scalings[1]]), ("m4a", [parts[0], scalings[2]]),
  ]

@Test(arguments: typesAndEdits)
func severalDecodersWriteTheSameFile(type: String, edits: [AudioEdit]) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type)
  for edit in edits { try await expectSameFile(edit, of: song, in: folder) }
}

/// When a decoder has finished a region, it continues with another region.
@Test(arguments: isLong ? ["ogg", "flac", "mp3", "m4a"] : ["mp3"])
func decodersAlternate(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type, seconds: 133)
  let forward = AudioEdit(factor: ScaleFactor(clamping: 0.5)).with(\.interpolation, .linear)
  for edit in [backward, forward] {
    let plan = edit.regions(of: try await song.information(), decoders: 2)
    #expect(plan?.regions.count == 4)
    try await expectSameFile(edit, of: song, in: folder)
  }
}

/// With several decoders, an edit that uses all settings but fades has the same result as with a
/// single decoder. Even the dither is the same, because a single pipeline writes the file. A fade
/// differs by less than 5 µs: `volume` counts whole nanoseconds per frame from the start of each
/// buffer, and buffers differ.
@Test(arguments: isLong ? ["flac", "opus", "mp3", "m4a", "mka", "wav"] : ["wav"])
func severalDecodersDoWholeEdits(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "flac")
  let edits = [
    AudioEdit(
      region: .seconds(2) ..< .seconds(44), direction: .reverse, factor: ScaleFactor(clamping: 0.5),
      channels: .first
    ).with(\.normalizes, true),
    AudioEdit(factor: ScaleFactor(clamping: 0.75), pitch: Pitch(semitones: 2), channels: .merged)
      .with(\.gain, 12).with(\.peaks, .guarded),
    AudioEdit(factor: ScaleFactor(clamping: 0.75)).with(\.gain, 6).with(\.peaks, .limited),
  ]
  for (index, edit) in edits.enumerated() {
    var found: [Data] = []
    var renderings: [AudioFile.Rendering] = []
    for decoders in [1, 2] {
      let target = folder.file("\(index) \(decoders).\(type)")
      let settings = OutputSettings(bits: type == "wav" ? 8 : nil, decoders: decoders)
      renderings.append(try await song.render(edit, to: target, settings: settings))
      found.append(
        try output(of: "ffmpeg", "-v", "error", "-i", target.path, "-f", "f32le", "-"))
    }
    let isSame = found[0] == found[1]
    #expect(isSame)
    #expect(renderings[0].amplification == renderings[1].amplification)
    #expect(renderings.map(\.output.tags.title) == ["Sweep", "Sweep"])
    #expect(renderings[0].output.frames == renderings[1].output.frames)
  }
}

/// After a file has been read, the library knows the chain of elements with which decodebin decodes
/// it, without the queues.
@Test(arguments: [
  ("short.wav", "wavparse"), ("sample.flac", "flacparse ! flacdec"), ("short.aiff", nil),
  ("sample.ogg", "oggdemux \\.src_[0-9a-f]{8} ! vorbisdec"),
  ("sample.opus", "oggdemux \\.src_[0-9a-f]{8} ! (opusparse ! )?(avdec_opus|opusdec)"),
  ("sample.mp3", "id3demux ! mpegaudioparse ! mpg123audiodec"),
  ("sample.m4a", "qtdemux \\.audio_0 ! aacparse ! [a-z_]+"),
])
func elementsThatDecodeAreKnown(name: String, chain: String?) async throws {
  let song = Sounds.file(name)
  #expect(song.facts.chain == nil)
  _ = try await song.information()
  let found = song.facts.chain
  guard let chain else { return #expect(found == nil) }
  #expect(try Regex(chain).wholeMatch(in: try #require(found)) != nil, "\(found ?? "")")
}

/// If a film has two audio tracks, several decoders use the same track as a single decoder.
@Test func severalDecodersUseTheSameTrackOfAFilm() async throws {
  let folder = try TestFolder()
  let film = AudioFile(folder.file("film.mp4"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=45.3", "-i",
    sweep(in: folder, as: "wav").url.path, "-f", "lavfi", "-i", "sine=500:d=45.3", "-map", "0",
    "-map", "1", "-map", "2", "-c:v", "mpeg4", "-c:a", "aac", "-aac_pns", "0", film.url.path)
  try await expectSameFile(backward, of: film, in: folder)
  let chain = film.facts.chain
  #expect(try #require(chain).hasPrefix("qtdemux .audio_0 ! "))
}

/// If a decoder of regions cannot be made of these elements, or fails, a single decoder decodes the
/// whole file.
@Test(arguments: ["oggdemux .src_none ! vorbisdec", "nosuchelement"])
func oneDecoderReplacesElementsThatFail(chain: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "ogg")
  let information = try await song.information()
  let one = folder.file("one.wav")
  try await song.reverse(to: one)
  song.known.change { ($0.information, $0.chain) = (information, chain) }
  let several = folder.file("several.wav")
  let encoding = try Encoding(OutputSettings(), for: several)
  let odd = try PartFile(for: folder.file("odd.wav"), replacingExisting: false)
  let work = try Work(
    AudioEdit(direction: .reverse), of: song, information, encoding, amplification: 1,
    into: odd, decoders: 2)
  await #expect(throws: RegionsDoNotJoin.self) { try await work.run { _ in } }
  try await song.reverse(to: several, settings: OutputSettings(decoders: 2))
  let isSame = try Data(contentsOf: several) == Data(contentsOf: one)
  #expect(isSame)
}

/// In silence, the position of a region cannot be verified. So the library falls back to a single
/// decoder, and the file is still complete.
@Test func oneDecoderReplacesSeveralThatFail() async throws {
  let folder = try TestFolder()
  let silence = folder.file("silence.ogg")
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", "41",
    silence.path)
  let (one, target) = (folder.file("one.wav"), folder.file("reversed.wav"))
  try await AudioFile(silence).reverse(to: one)
  let reports = Reports<Double>()
  try await AudioFile(silence).reverse(to: target, settings: OutputSettings(decoders: 2)) {
    reports.add($0.fraction)
  }
  let fractions = reports.all
  #expect(try Data(contentsOf: target) == Data(contentsOf: one))
  #expect(fractions == fractions.sorted() && fractions.last == 1)
  #expect(folder.names == ["one.wav", "reversed.wav", "silence.ogg"])
}

/// A pipeline that was stopped never reports its end, so a cancelled task must not wait for that
/// report.
@Test func aReaderThatIsStoppedIsNotWaitedFor() async throws {
  let reader = try await SampleReader<UInt8>.start(
    Sounds.file("sample.ogg"), through: [], format: "S16LE")
  await reader.stop()
  let check = Task {
    withUnsafeCurrentTask { $0?.cancel() }
    try await reader.checkEnd()
  }
  await #expect(throws: CancellationError.self) { try await check.value }
}

@Test func severalDecodersThatAreCancelledLeaveNothingBehind() async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "ogg")
  let edit = AudioEdit(direction: .reverse, factor: ScaleFactor(clamping: 50))
  let output = folder.file("new.wav")
  await cancelling {
    try await song.render(
      edit, to: output, settings: OutputSettings(decoders: 2), progress: $0)
  }
  #expect(folder.names == ["sweep.ogg"])
}

/// Silence matches at any position. But in these types, seeks are exact to the frame, so several
/// decoders are used.
@Test(arguments: [("wav", Direction.forward), ("aiff", .reverse)])
func silenceIsJoinedWhereSeeksAreExact(type: String, direction: Direction) async throws {
  let folder = try TestFolder()
  let song = AudioFile(folder.file("silence.\(type)"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=lt(t\\,5)*sin(2000*t):s=44100:d=45",
    song.url.path)
  let factor = ScaleFactor(clamping: direction == .forward ? 1.5 : 1)
  try await expectSameFile(
    AudioEdit(direction: direction, factor: factor), of: song, in: folder)
}

/// A single decoder is used for short sounds, and for files that cannot be divided exactly.
@Test func oneDecoderScalesWhatCannotBeParted() async throws {
  let folder = try TestFolder()
  let information = try await sweep(in: folder, as: "flac").information()
  let scaled = AudioEdit(factor: ScaleFactor(clamping: 2))
  #expect(scaled.regions(of: information, decoders: 2) != nil)
  #expect(scaled.regions(of: information, decoders: 1) == nil)
  #expect(AudioEdit().with(\.gain, -3).regions(of: information, decoders: 2) == nil)
  var part = scaled
  part.region = .seconds(3) ..< .seconds(62)
  #expect(part.regions(of: information, decoders: 2) == nil)
  var film = information
  film.container = "Matroska"
  #expect(scaled.regions(of: film, decoders: 2) == nil)
}
