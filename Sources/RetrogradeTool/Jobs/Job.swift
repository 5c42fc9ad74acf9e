// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

struct Job: Sendable, Hashable, Codable {
  var source: Source
  /// The name of the output file as the user would write it.
  var output: FilePath
  /// If nil, the name of the output decides.
  var type: OutputSettings.FileType?

  var isPiped: Bool { output == Source.pipe }
  private var isFromPipe: Bool { source.isPiped }
  var input: FilePath { source.input }

  /// Its error messages use the name that the user gave.
  var file: AudioFile {
    isFromPipe
      ? AudioFile(source.path.url)
      : AudioFile(source.path.url, label: source.input.description)
  }
  var target: URL { output.url }
}

extension Job {
  /// Makes a job for each source.
  ///
  /// `isMany` means that the user named several files or a folder, and `map` is the file with a
  /// time map. Throws if two jobs would write the same file, or if one would overwrite another's
  /// input.
  static func plan(
    _ sources: [Source], isMany: Bool, output options: OutputOptions, suffix: String,
    map: FilePath? = nil
  ) throws(RetrogradeError) -> [Job] {
    let isFromPipe = !isMany && sources.first?.isPiped == true
    let output = options.output ?? (isFromPipe ? Source.pipe : nil)
    let location = try OutputLocation(output, isMany: isMany)
    if options.output == nil { try checkNames(sources.map(\.input)) }
    let types = sources.map { (options.type ?? .same).type(for: $0) }
    let names = location.names(
      for: sources, types: types, suffix: suffix, keepsExtension: options.keepVideo)
    var jobs: [Job] = []
    for (index, source) in sources.enumerated() {
      var job = Job(source: source, output: names[index], type: types[index])
      if case .file(let name) = location {
        if options.type == nil { job.type = nil } else { try check(types[index], for: name) }
      }
      if options.keepVideo { job.type = nil }
      try options.settings(type: job.type).validate(for: job.target)
      jobs.append(job)
    }
    try checkDistinct(jobs, map)
    return jobs
  }

  /// Throws if `--type` contradicts the name of the new file.
  private static func check(
    _ type: OutputSettings.FileType, for name: FilePath
  ) throws(RetrogradeError) {
    guard let named = OutputSettings.FileType(extension: name.fileExtension), named != type else {
      return
    }
    throw RetrogradeError.invalid(
      "\(name): the name says \(named.rawValue), but --type says \(type.rawValue); leave out --type, "
        + "or choose a name that ends in .\(type.rawValue).")
  }

  /// If there are two names and only the first file exists, the user probably meant the second as
  /// the output, as in many other programs.
  private static func checkNames(_ inputs: [FilePath]) throws(RetrogradeError) {
    let exist = inputs.map { $0.status() != nil }
    guard exist == [true, false] else { return }
    let hasType = OutputSettings.FileType(extension: inputs[1].fileExtension) != nil
    let meant = hasType ? inputs[1] : inputs[1] + ".\(inputs[0].fileExtension)"
    throw RetrogradeError.unreadable(
      "\(inputs[1]): there is no such file; did you mean -o \(meant)?")
  }

  private static func checkDistinct(
    _ jobs: [Job], _ map: FilePath?
  ) throws(RetrogradeError) {
    var writers: [FilePath: Job] = [:]
    let readers = Dictionary(
      jobs.map { ($0.source.path.resolved, $0) }, uniquingKeysWith: { first, _ in first })
    for job in jobs where !job.isPiped {
      // if a new file replaces a link, we write to the target of the link
      let target = job.output.resolved
      if let other = writers.updateValue(job, forKey: target) {
        throw RetrogradeError(
          .outputExists,
          "\(other.input) and \(job.input) would both become \(job.output); "
            + "process them one at a time, with different output names.")
      }
      if target == map?.resolved {
        throw RetrogradeError(
          .outputIsInput, "\(job.output): this is the time map; choose another name.")
      }
      if let reader = readers[target], reader != job {
        throw RetrogradeError(
          .outputIsInput,
          "\(job.input) would become \(job.output), which is an input as well; "
            + "choose another folder.")
      }
    }
  }
}
