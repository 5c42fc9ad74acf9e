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

/// The length of a buffered region does not grow with the length of the file. All decoders have the
/// same number of regions.
@Test(arguments: [2, 3])
func regionsOfLongFilesAreNoLonger(decoders: Int) {
  func lengths(_ seconds: Double, bytesPerSecond: Int) -> [Double] {
    RegionPlan(
      nil, of: .seconds(seconds), bytesPerSecond: bytesPerSecond, decoders: decoders
    ).regions.dropLast().dropFirst().map { ($0.stop ?? .zero).inSeconds - $0.start.inSeconds }
  }
  #expect(lengths(36_000, bytesPerSecond: 176_400).allSatisfy { (62...67).contains($0) })
  // regions of 16 MiB, at 96 kHz with two channels of 32-bit floating point
  #expect(lengths(36_000, bytesPerSecond: 768_000).allSatisfy { (22...25).contains($0) })
  #expect(lengths(36_000, bytesPerSecond: 9_000_000).allSatisfy { (20...23).contains($0) })
  #expect((lengths(36_000, bytesPerSecond: 176_400).count + 2) % decoders == 0)
  #expect(lengths(9e9, bytesPerSecond: 176_400).count < 10_000)
}

/// The files that `sweep` has made, by type and length. They are cached, because FFmpeg takes
/// seconds for each of them.
private let sweeps = Mutex<[String: Data]>([:])

/// Creates a file with a title, and with a sweep in which nothing is repeated.
private func sweep(
  in folder: TestFolder, as type: String, seconds: Double = 65.3
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

/// Several decoders, each for a part of the input, produce the same file as a single decoder, bit
/// for bit. The library must not fall back to a single decoder.
@Test(arguments: ["wav", "aiff", "flac", "ogg", "opus", "mp3", "m4a"])
func severalDecodersWriteTheSameFile(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type)
  let one = folder.file("one.wav")
  try await song.reverse(to: one).finish()
  let edit = AudioEdit(direction: .reverse)
  let encoding = try Encoding(OutputSettings(), for: one)
  for decoders in 2...3 {
    #expect(edit.regions(of: try await song.information(), decoders: decoders) != nil)
    let several = folder.file("\(decoders).wav")
    let part = try PartFile(for: several, replacingExisting: false)
    let work = try Work(
      edit, of: song, try await song.information(), encoding, amplification: 1, into: part,
      decoders: decoders)
    try await work.run { _ in }
    try part.keep()
    try await song.reverse(
      to: folder.file("\(decoders)-public.wav"), settings: OutputSettings(decoders: decoders)
    ).finish()
    #expect(try Data(contentsOf: several) == Data(contentsOf: one))
    #expect(
      try Data(contentsOf: folder.file("\(decoders)-public.wav")) == Data(contentsOf: one))
  }
}

/// After a file has been read, the library knows the chain of elements with which decodebin decodes
/// it, without the queues.
@Test(arguments: [
  ("wav", "wavparse"), ("flac", "flacparse ! flacdec"), ("aiff", nil),
  ("ogg", "oggdemux \\.src_[0-9a-f]{8} ! vorbisdec"),
  ("opus", "oggdemux \\.src_[0-9a-f]{8} ! (opusparse ! )?(avdec_opus|opusdec)"),
  ("mp3", "id3demux ! mpegaudioparse ! mpg123audiodec"),
  ("m4a", "qtdemux \\.audio_0 ! aacparse ! [a-z_]+"),
])
func elementsThatDecodeAreKnown(type: String, chain: String?) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type, seconds: 2)
  #expect(song.known.chain(in: FileState(of: song.url)) == nil)
  _ = try await song.information()
  let found = song.known.chain(in: FileState(of: song.url))
  guard let chain else { return #expect(found == nil) }
  #expect(try Regex(chain).wholeMatch(in: try #require(found)) != nil, "\(found ?? "")")
}

/// A region is decoded by the same elements as a whole file, but without queues between them.
@Test func decodersOfRegionsHaveNoQueues() async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "ogg", seconds: 2)
  _ = try await song.information()
  func types(_ pipeline: Pipeline) async throws -> Set<String> {
    await pipeline.request(GST_STATE_PAUSED)
    _ = try await pipeline.preroll(of: song)
    let bin = UnsafeMutableRawPointer(pipeline.pointer).assumingMemoryBound(to: GstBin.self)
    let graph = adopt(gst_debug_bin_to_dot_data(bin, GST_DEBUG_GRAPH_SHOW_MEDIA_TYPE))
    await pipeline.stop()
    return Set(graph.matches(of: /label="(Gst[A-Za-z0-9]+)/).map { String($0.output.1) })
  }
  let direct = try await types(song.pipelineWithoutQueues("fakesink name=sink"))
  #expect(direct == ["GstFileSrc", "GstOggDemux", "GstVorbisDec", "GstFakeSink"])
  let plugged = try await types(song.pipeline("fakesink name=sink"))
  #expect(plugged.isSuperset(of: direct) && plugged.contains("GstMultiQueue"))
}

/// If a film has two audio tracks, several decoders use the same track as a single decoder.
@Test func severalDecodersUseTheSameTrackOfAFilm() async throws {
  let folder = try TestFolder()
  let film = AudioFile(folder.file("film.mp4"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=65.3", "-i",
    sweep(in: folder, as: "wav").url.path, "-f", "lavfi", "-i", "sine=500:d=65.3", "-map", "0",
    "-map", "1", "-map", "2", "-c:v", "mpeg4", "-c:a", "aac", "-aac_pns", "0", film.url.path)
  let files = [folder.file("1.wav"), folder.file("2.wav")]
  let edit = AudioEdit(direction: .reverse)
  for (index, file) in files.enumerated() {
    let part = try PartFile(for: file, replacingExisting: false)
    let work = try Work(
      edit, of: film, try await film.information(), try Encoding(OutputSettings(), for: file),
      amplification: 1, into: part, decoders: index + 1)
    try await work.run { _ in }
    try part.keep()
  }
  let chain = film.known.chain(in: FileState(of: film.url))
  #expect(try #require(chain).hasPrefix("qtdemux .audio_0 ! "))
  let contents = try files.map { try Data(contentsOf: $0) }
  let isSame = contents[0] == contents[1]
  #expect(isSame)
}

/// If a decoder of regions cannot be made of these elements, or fails, a single decoder decodes the
/// whole file.
@Test(arguments: ["flacparse ! flacdec", "oggdemux .src_none ! vorbisdec", "nosuchelement"])
func oneDecoderReplacesElementsThatFail(chain: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "ogg")
  let information = try await song.information()
  let one = folder.file("one.wav")
  try await song.reverse(to: one).finish()
  song.known.remember(information, chain: chain, in: FileState(of: song.url))
  let several = folder.file("several.wav")
  let encoding = try Encoding(OutputSettings(), for: several)
  let odd = try PartFile(for: folder.file("odd.wav"), replacingExisting: false)
  let work = try Work(
    AudioEdit(direction: .reverse), of: song, information, encoding, amplification: 1,
    into: odd, decoders: 2)
  await #expect(throws: RegionsDoNotJoin.self) { try await work.run { _ in } }
  try await song.reverse(to: several, settings: OutputSettings(decoders: 2)).finish()
  let isSame = try Data(contentsOf: several) == Data(contentsOf: one)
  #expect(isSame)
}

/// When a decoder has finished a region, it continues with another region.
@Test(arguments: ["ogg", "flac", "mp3", "m4a"])
func decodersAlternate(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type, seconds: 133)
  let plan = AudioEdit(direction: .reverse).regions(of: try await song.information(), decoders: 2)
  #expect(plan?.regions.count == 4)
  let files = [folder.file("1.wav"), folder.file("2.wav")]
  for (index, file) in files.enumerated() {
    try await song.reverse(to: file, settings: OutputSettings(decoders: index + 1)).finish()
  }
  let contents = try files.map { try Data(contentsOf: $0) }
  let isSame = contents[0] == contents[1]
  #expect(isSame)
}

/// Several decoders produce the same file as a single decoder, even if a region begins and ends
/// between two frames.
@Test(arguments: ["flac", "ogg", "opus", "mp3", "m4a"])
func severalDecodersEndPartsAtTheSameFrames(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type)
  for part in [Duration.seconds(3) ..< .seconds(62), .seconds(1.23456) ..< .seconds(63.123456)] {
    let files = [folder.file("1.wav"), folder.file("2.wav")]
    for (index, file) in files.enumerated() {
      let settings = OutputSettings(replacesExisting: true, decoders: index + 1)
      let edit = AudioEdit(region: part, direction: .reverse)
      try await song.render(edit, to: file, settings: settings).finish()
    }
    let contents = try files.map { try Data(contentsOf: $0) }
    let isSame = contents[0] == contents[1]
    #expect(isSame)
  }
}

/// With several decoders, an edit with a region, scaling, normalization and tags has the same
/// result as with a single decoder, for every type.
@Test(arguments: ["flac", "opus", "mp3", "m4a", "mka"])
func severalDecodersDoWholeEdits(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "flac")
  let edit = AudioEdit(
    region: .seconds(3) ..< .seconds(62), direction: .reverse, factor: ScaleFactor(clamping: 0.5),
    channels: .first, normalizes: true)
  var found: [(samples: [Float], title: String?, frames: Int64?)] = []
  for decoders in 1...2 {
    let target = folder.file("\(decoders).\(type)")
    let settings = OutputSettings(decoders: decoders)
    let rendering = try await song.render(edit, to: target, settings: settings).finish()
    found.append(
      (try samplesByFFmpeg(target), rendering.output.tags.title, rendering.output.frames))
  }
  let isSame = found[0].samples == found[1].samples
  #expect(isSame)
  #expect(found.map(\.title) == ["Sweep", "Sweep"])
  #expect(found[0].frames == found[1].frames)
}

/// In silence, the position of a region cannot be verified. So the library falls back to a single
/// decoder, and the file is still complete.
@Test func oneDecoderReplacesSeveralThatFail() async throws {
  let folder = try TestFolder()
  let silence = folder.file("silence.ogg")
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", "60",
    silence.path)
  let (one, target) = (folder.file("one.wav"), folder.file("reversed.wav"))
  try await AudioFile(silence).reverse(to: one).finish()
  let job = AudioFile(silence).reverse(to: target, settings: OutputSettings(decoders: 2))
  var fractions: [Double] = []
  for await progress in job.progress { fractions.append(progress.fraction) }
  try await job.finish()
  #expect(try Data(contentsOf: target) == Data(contentsOf: one))
  #expect(fractions == fractions.sorted() && fractions.last == 1)
  #expect(folder.names == ["one.wav", "reversed.wav", "silence.ogg"])
}

/// If the encoder has omitted noise, an AAC decoder generates different noise each time. So the
/// library uses a single decoder for such a file.
@Test func noiseThatIsMadeUpIsLeftToOneDecoder() async throws {
  let folder = try TestFolder()
  let song = AudioFile(folder.file("noise.m4a"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
    "aevalsrc=0.5*sin(2000*t)+0.1*random(0):s=44100:d=65.3", "-c:a", "aac", "-b:a", "32k",
    song.url.path)
  let odd = folder.file("odd.wav")
  let part = try PartFile(for: odd, replacingExisting: false)
  let work = try Work(
    AudioEdit(direction: .reverse), of: song, try await song.information(),
    try Encoding(OutputSettings(), for: odd), amplification: 1, into: part, decoders: 2)
  await #expect(throws: RegionsDoNotJoin.self) { try await work.run { _ in } }

  var found: [[Float]] = []
  for decoders in 1...2 {
    let target = folder.file("\(decoders).wav")
    try await song.reverse(to: target, settings: OutputSettings(decoders: decoders)).finish()
    found.append(try samplesByFFmpeg(target))
  }
  #expect(found[0].count == found[1].count)
  // The tone is the same in both files. The noise differs, because FFmpeg's decoder generates it,
  // too, but it is soft.
  let forward = try samplesByFFmpeg(song.url)
  let differences = zip(found[1].reversed(), forward).map { abs($0 - $1) }
  #expect(differences.count > 65 * 44100 && differences.allSatisfy { $0 < 0.45 })
  #expect(differences.contains { $0 > 0 })
}

/// A pipeline that was stopped never reports its end, so a cancelled task must not wait for that
/// report.
@Test(.timeLimit(.minutes(1))) func aReaderThatIsStoppedIsNotWaitedFor() async throws {
  let folder = try TestFolder()
  let reader = try await SampleReader<UInt8>.start(
    sweep(in: folder, as: "ogg"), through: [], format: "S16LE")
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
  let job = song.render(
    edit, to: folder.file("new.wav"), settings: OutputSettings(decoders: 2))
  for await progress in job.progress where progress.fraction > 0 { break }
  job.cancel()
  await #expect(throws: CancellationError.self) { try await job.finish() }
  #expect(folder.names == ["sweep.ogg"])
}

// MARK: - Forward

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

/// Writes `song` with several decoders. The library must not fall back to a single decoder.
private func render(
  _ edit: AudioEdit, of song: AudioFile, to file: URL, decoders: Int,
  settings: OutputSettings = OutputSettings()
) async throws {
  let information = try await song.information()
  #expect(decoders == 1 || edit.regions(of: information, decoders: decoders) != nil)
  let part = try PartFile(for: file, replacingExisting: true)
  let work = try Work(
    edit, of: song, information, try Encoding(settings, for: file), amplification: 1,
    into: part, decoders: decoders)
  try await work.run { _ in }
  try part.keep()
}

/// Several decoders produce the same scaled file as a single decoder, bit for bit. This is true
/// even if no output frame except for the first one coincides with an input frame.
@Test(arguments: ["wav", "aiff", "flac", "ogg", "opus", "mp3", "m4a"])
func severalDecodersScaleTheSameFile(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type)
  let edits = [
    AudioEdit(factor: ScaleFactor(clamping: 1.5)),
    AudioEdit(factor: ScaleFactor(clamping: 0.7310585786300049)),
    AudioEdit(factor: ScaleFactor(clamping: 0.1), pitch: .kept),
  ]
  for edit in edits {
    let one = folder.file("1.wav")
    try await render(edit, of: song, to: one, decoders: 1)
    for decoders in type == "wav" ? [2, 3] : [3] {
      let several = folder.file("\(decoders).wav")
      try await render(edit, of: song, to: several, decoders: decoders)
      let isSame = try Data(contentsOf: several) == Data(contentsOf: one)
      #expect(isSame, "\(edit.factor), \(decoders) decoders")
    }
  }
}

/// Silence matches at any position. But in these types, seeks are exact to the frame, so several
/// decoders are used.
@Test(arguments: ["wav", "aiff"], [AudioEdit.Direction.forward, .reverse])
func silenceIsJoinedWhereSeeksAreExact(type: String, direction: AudioEdit.Direction) async throws {
  let folder = try TestFolder()
  let song = AudioFile(folder.file("silence.\(type)"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=lt(t\\,5)*sin(2000*t):s=44100:d=61",
    song.url.path)
  let factor = ScaleFactor(clamping: direction == .forward ? 1.5 : 1)
  let files = [folder.file("1.wav"), folder.file("2.wav")]
  for (index, file) in files.enumerated() {
    try await render(
      AudioEdit(direction: direction, factor: factor), of: song, to: file, decoders: index + 1)
  }
  let contents = try files.map { try Data(contentsOf: $0) }
  #expect(contents[0].count > 61 * 44100)
  let isSame = contents[0] == contents[1]
  #expect(isSame)
}

/// In forward direction, too, a decoder that has finished a region continues with another one.
@Test(arguments: ["ogg", "flac", "mp3", "m4a"])
func decodersTakeTurnsForward(type: String) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: type, seconds: 133)
  let edit = AudioEdit(factor: ScaleFactor(clamping: 0.5), interpolation: .linear)
  #expect(edit.regions(of: try await song.information(), decoders: 2)?.regions.count == 4)
  let files = [folder.file("1.wav"), folder.file("2.wav")]
  for (index, file) in files.enumerated() {
    try await render(edit, of: song, to: file, decoders: index + 1)
  }
  let contents = try files.map { try Data(contentsOf: $0) }
  let isSame = contents[0] == contents[1]
  #expect(isSame)
}

/// With several decoders, an edit that uses all settings has the same result as with a single
/// decoder. Even the dither is the same, because a single pipeline writes the file.
@Test(arguments: [AudioEdit.Channels.all, .first, .merged])
func severalDecodersScaleWithWholeEdits(channels: AudioEdit.Channels) async throws {
  let folder = try TestFolder()
  let song = try sweep(in: folder, as: "flac")
  let edit = AudioEdit(
    factor: ScaleFactor(clamping: 0.75), pitch: AudioEdit.Pitch(semitones: 2), channels: channels,
    gain: 12, guardsPeaks: true, fadeIn: .seconds(1), fadeOut: .seconds(2))
  var found: [(samples: Data, amplification: Float)] = []
  for decoders in [1, 3] {
    let target = folder.file("\(decoders).wav")
    let rendering = try await song.render(
      edit, to: target, settings: OutputSettings(bits: 8, decoders: decoders)
    ).finish()
    found.append((try Data(contentsOf: target), rendering.amplification))
  }
  let isSame = found.allSatisfy { $0.samples == found[0].samples }
  #expect(isSame)
  #expect(found.allSatisfy { $0.amplification == found[0].amplification })
}

/// A single decoder is used for short sounds, and for files that cannot be divided exactly.
@Test func oneDecoderScalesWhatCannotBeParted() async throws {
  let folder = try TestFolder()
  let information = try await sweep(in: folder, as: "flac").information()
  let scaled = AudioEdit(factor: ScaleFactor(clamping: 2))
  #expect(scaled.regions(of: information, decoders: 2) != nil)
  #expect(scaled.regions(of: information, decoders: 1) == nil)
  #expect(AudioEdit(gain: -3).regions(of: information, decoders: 2) == nil)
  var part = scaled
  part.region = .seconds(3) ..< .seconds(62)
  #expect(part.regions(of: information, decoders: 2) == nil)
  var film = information
  film.container = "Matroska"
  #expect(scaled.regions(of: film, decoders: 2) == nil)
}
