// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

extension SourceSearch {
  /// What kind of input this is, going by its name and the file system. A missing file is a file, too.
  enum Kind: Equatable {
    case file, folder
    case pipe
    /// Bash creates one for `<(…)`.
    case namedPipe
    case address
    /// An empty name, e.g. from a shell variable that isn't set.
    case nothing

    init(of input: FilePath) {
      let mode = input.status().map { $0.st_mode & S_IFMT }
      self =
        switch mode {
        case _ where input.bytes.isEmpty: .nothing
        case _ where input == Source.pipe: .pipe
        case nil: input.description.contains("://") ? .address : .file
        case S_IFDIR: .folder
        case S_IFIFO, S_IFSOCK: .namedPipe
        default: .file
        }
    }

    /// Why we don't read this kind of input, or nil if we do. `readsPipe` means that the command
    /// reads standard input.
    func refusal(of input: FilePath, readsPipe: Bool) -> RetrogradeError? {
      let sentence: String
      switch self {
      case .file, .folder: return nil
      case .pipe where readsPipe: return nil
      case .pipe:
        sentence = "Standard input is not read by this command; save the sound in a file first."
      case .namedPipe:
        sentence = "\(input): pipes and <(…) are not read by name; save the sound in a file first."
      case .address: sentence = "\(input): URLs are not read; download the file first."
      case .nothing: sentence = "The name of an input is empty; name a file."
      }
      return RetrogradeError.unreadable(sentence)
    }
  }
}
