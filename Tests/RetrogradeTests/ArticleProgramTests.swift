// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// Compiles and runs the code in the articles, as applications would. In main.swift, the code runs
// on the main actor; in an @main type, it does not. Both programs are compiled in Swift 6 mode.

import Foundation
import Testing

/// Additions without which the code of an article would not compile or end. `given` defines names
/// that the article uses without defining them. `before` has statements that are inserted before a
/// block; its keys are the numbers of the blocks.
private struct ArticleProgram {
  let name: String
  let given: [String]
  var before: [Int: String] = [:]

  static let all = [
    ArticleProgram(
      name: "Retrograde",
      given: [
        "let input = media(\"short.wav\")",
        "let (reversed, slower) = (new(\"r.wav\"), new(\"s.wav\"))",
      ]),
    ArticleProgram(
      name: "ReversingAFile",
      given: [
        "let input = media(\"surround.flac\")",
        "let (output, left, mono) = (new(\"o.flac\"), new(\"left.wav\"), new(\"mono.wav\"))",
        "let (unwanted, missing) = (new(\"unwanted.flac\"), new(\"missing.mp3\"))",
      ]),
    ArticleProgram(
      name: "ScalingAFileInTime",
      given: [
        "let input = media(\"sample.flac\")",
        "let (slower, faster) = (new(\"slower.wav\"), new(\"faster.wav\"))",
        "let (kept, lower) = (new(\"kept.wav\"), new(\"lower.wav\"))",
        "let (output, excerpt) = (new(\"plain.wav\"), new(\"excerpt.ogg\"))",
        "let (longest, person) = (new(\"longest.wav\"), new(\"person.wav\"))",
      ]),
    ArticleProgram(
      name: "PlayingBackwards",
      given: [
        "let song = media(\"sample.mp3\")", "let sink = AudioPlayer.Sink.silent",
        "let recording = new(\"recording.wav\")",
      ],
      before: [
        2: """
        await player.setLoop(AudioPlayer.Loop())
        await player.seek(to: .seconds(0.1))
        """,
        // the stream of events in this block ends when the player is closed
        3: "let closing = Task { while !Task.isCancelled { await player.close() } }",
        4: "closing.cancel()",
      ]),
    ArticleProgram(
      name: "RealTimeProcessing",
      given: [
        "let song = media(\"short.wav\")", "let sink = AudioPlayer.Sink.silent",
        "let (reversed, swelling) = (new(\"r2.wav\"), new(\"w.wav\"))",
        "let trembling = new(\"t.wav\")",
      ]),
  ]

  /// Returns the Swift code blocks of the article. A block that defines a name for the second time
  /// is put into a scope of its own.
  func code() throws -> String {
    let url = Sounds.root.appendingPathComponent("Sources/Retrograde/Retrograde.docc/\(name).md")
    let blocks = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "```swift\n")
      .dropFirst().compactMap { $0.components(separatedBy: "```").first }
    #expect(!blocks.isEmpty)
    var known: Set<Substring> = []
    var code = given
    for (index, block) in blocks.enumerated() {
      let names = Set(block.matches(of: /(?m)^(?:let|var) (\w+)/).map(\.1))
      if let preparation = before[index] { code.append(preparation) }
      code.append(known.isDisjoint(with: names) ? block : "do {\n\(block)}")
      known.formUnion(names)
    }
    code.append("print(\"done: \(name)\")")
    return code.joined(separator: "\n")
  }
}

/// The files of the test build that are linked into a program that uses the library.
private struct Build {
  private let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  func compile(_ source: URL, into program: URL, gstreamer: URL) throws {
    let packages = ["gstreamer-1.0", "app", "audio", "controller", "pbutils"].map {
      $0.hasSuffix("1.0") ? $0 : "gstreamer-\($0)-1.0"
    }
    let flags = String(
      decoding: try output(of: ["pkg-config", "--cflags", "--libs"] + packages), as: UTF8.self
    ).split(whereSeparator: \.isWhitespace).map(String.init)
    let includes = flags.filter { $0.hasPrefix("-I") }.flatMap { ["-Xcc", $0] }
    let libraries = flags.filter { $0.hasPrefix("-l") || $0.hasPrefix("-L") }
    let maps = ["CGLib", "CGStreamer/include"].flatMap { folder in
      let map = Sounds.root.appendingPathComponent("Sources/\(folder)/module.modulemap").path
      return ["-Xcc", "-fmodule-map-file=\(map)"]
    }
    let isMain = source.lastPathComponent == "main.swift"
    try output(
      of: ["swiftc", "-swift-version", "6", source.path, "-o", program.path]
        + (isMain ? [] : ["-parse-as-library"])
        + ["-I", products.appendingPathComponent("Modules").path, "-I", gstreamer.path]
        + maps + includes + (try objects(of: "Retrograde") + objects(of: "CGStreamer")) + libraries)
  }

  private func objects(of target: String) throws -> [String] {
    let folder = products.appendingPathComponent("\(target).build").path
    let sources = Sounds.root.appendingPathComponent("Sources/\(target)").path
    // the objects of deleted sources stay in the folder
    return try FileManager.default.subpathsOfDirectory(atPath: sources)
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
      .map { "\(folder)/\(URL(fileURLWithPath: $0).lastPathComponent).o" }
  }
}

/// Makes a system library target for gst/gst.h, as in the article about real-time processing.
private func makeSystemLibrary(in folder: TestFolder) throws -> URL {
  let place = folder.file("CGst")
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  try Data("#include <gst/gst.h>\n".utf8).write(to: place.appendingPathComponent("CGst.h"))
  try Data("module CGst [system] { header \"CGst.h\" export * }\n".utf8)
    .write(to: place.appendingPathComponent("module.modulemap"))
  return place
}

/// Returns a program with the code of all articles. The code of each article is in a scope of its
/// own, except for the code of one article, which is at the top level, so that its names are global
/// variables.
private func program(isMain: Bool, in folder: TestFolder) throws -> String {
  let articles = try ArticleProgram.all.map { try $0.code() }
  let last = articles.last ?? ""
  let others = articles.dropLast().map { "do {\n\($0)\n}\n" }.joined()
  let media = Sounds.root.appendingPathComponent("launch-examples/media").path
  let head = """
    import CGst
    import Foundation
    import Retrograde
    import Synchronization

    func media(_ name: String) -> URL { URL(fileURLWithPath: "\(media)/\\(name)") }
    func new(_ name: String) -> URL { URL(fileURLWithPath: "\(folder.url.path)/\(isMain)-\\(name)") }

    """
  guard !isMain else { return head + others + last + "\n" }
  return head + """
    @main struct Program {
      static func main() async throws {
    \(others)\(last)
      }
    }
    """
}

@Test(.enabled(if: isLong), arguments: [true, false])
func articlesAreProgramsInEveryShape(isMain: Bool) throws {
  let folder = try TestFolder()
  let source = folder.file(isMain ? "main.swift" : "Program.swift")
  try Data(program(isMain: isMain, in: folder).utf8).write(to: source)
  let binary = folder.file("program")
  try Build().compile(source, into: binary, gstreamer: makeSystemLibrary(in: folder))
  let printed = String(
    decoding: try output(of: "env", "SWIFT_BACKTRACE=enable=no", binary.path), as: UTF8.self)
  for article in ArticleProgram.all {
    #expect(printed.contains("done: \(article.name)\n"))
  }
}
