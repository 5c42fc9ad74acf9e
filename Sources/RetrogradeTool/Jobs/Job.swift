// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

struct Job: Sendable, Hashable, Codable {
  var source: Source
  /// The name of the output file as the user would write it.
  var output: FilePath
  /// If nil, the name of the output decides.
  var type: OutputSettings.FileType?

  var isPiped: Bool { output == Source.pipe }
  var input: FilePath { source.input }
  var file: AudioFile { source.file }
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
    let jobs = try sources.map { source throws(RetrogradeError) in
      let type = options.type ?? source.type ?? .flac
      let name = location.name(
        for: source, type, suffix: suffix, keepsExtension: options.keepVideo)
      var job = Job(source: source, output: name, type: options.keepVideo ? nil : type)
      if case .file(let name) = location {
        if options.type == nil { job.type = nil } else { try check(type, for: name) }
      }
      try options.settings(type: job.type).validate(for: job.output.url)
      return job
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

  private static func checkDistinct(
    _ jobs: [Job], _ map: FilePath?
  ) throws(RetrogradeError) {
    var writers: [FilePath: Job] = [:]
    let readers = Dictionary(
      jobs.map { ($0.source.path.resolved, $0) }, uniquingKeysWith: { first, _ in first })
    for job in jobs where !job.isPiped {
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
