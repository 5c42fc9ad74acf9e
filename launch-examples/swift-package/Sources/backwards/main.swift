// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reverses a file: `make build` in Retrograde's folder, and here
// `swift run backwards song.mp3 reversed.flac`.

import Foundation
import Retrograde

let names = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard names.count == 2 else {
  print("usage: backwards FILE NEW-FILE")
  exit(2)
}
do {
  let rendering = try await AudioFile(names[0]).reverse(to: names[1]).finish()
  for loss in rendering.losses { print(loss) }
} catch {
  print(error)
  exit(1)
}
