// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An application that uses the library: it plays a file backwards, or writes a reversed copy. Run
// `make build` in Retrograde's folder, and then in this folder:
//
//   swift run backwards song.mp3
//   swift run backwards song.mp3 reversed.flac

import Foundation
import Retrograde

@main struct Backwards {
  static func main() async {
    let names = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    guard let name = names.first, names.count <= 2 else {
      print("usage: backwards FILE [NEW-FILE]")
      exit(2)
    }
    do {
      let song = AudioFile(name)
      let information = try await song.information()
      print("\(song.name): \(information.codec), \(information.channels) channels")
      if names.count == 1 {
        try await play(song)
      } else {
        try await write(song, to: names[1])
      }
    } catch is CancellationError {
      print("cancelled, and nothing is left")
      exit(130)
    } catch {
      print(error.localizedDescription)
      exit(1)
    }
  }
}
