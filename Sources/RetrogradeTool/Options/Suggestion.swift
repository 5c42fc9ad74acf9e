// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Removes bad suggestions from error messages. ArgumentParser suggests any option that differs in
/// three letters, for example `--bits` for `--first`.
enum Suggestion {
  /// Returns `message`, an error message from ArgumentParser. If `message` suggests an option that
  /// is not similar to the unknown option, the suggestion is removed.
  static func onlyNear(in message: String) -> String {
    let parts = message.split(separator: "'", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "Error: Unknown option ", parts[2] == ". Did you mean ",
      !isNear(parts[1], parts[3])
    else { return message }
    return "\(parts[0])'\(parts[1])'\(parts[4].dropFirst())"
  }

  /// Whether fewer than half of the letters differ.
  private static func isNear(_ word: Substring, _ option: Substring) -> Bool {
    let (word, option) = (word.drop { $0 == "-" }, option.drop { $0 == "-" })
    return 2 * distance(word, option) < max(word.count, option.count)
  }

  /// The minimum number of letters to insert, remove or replace (the Levenshtein distance).
  private static func distance(_ word: Substring, _ other: Substring) -> Int {
    var row = Array(0...other.count)
    for letter in word {
      var diagonal = row[0]
      row[0] += 1
      for (index, match) in other.enumerated() {
        let replaced = diagonal + (letter == match ? 0 : 1)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, row[index] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
