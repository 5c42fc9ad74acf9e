// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// One file to read and one to write.
struct Job: Sendable, Hashable {
  /// As the user wrote it.
  var input: String
  /// As the user would write it.
  var output: String

  /// What stands for standard output.
  static let pipe = "-"
  var isPiped: Bool { output == Self.pipe }

  var file: AudioFile { AudioFile(URL(fileURLWithPath: input)) }
  var target: URL { URL(fileURLWithPath: output) }
}

extension Job {
  /// A job for each input.
  ///
  /// Throws before any work where two would write the same file, or one would
  /// write over what another reads.
  static func plan(
    _ inputs: [String], output options: OutputOptions, suffix: String
  ) throws(RetrogradeError) -> [Job] {
    let place = try OutputPlace(options.output, for: inputs.count)
    if options.output == nil { try checkNames(inputs) }
    var jobs: [Job] = []
    for input in inputs {
      let job = Job(input: input, output: place.name(for: input, suffix, type: options.type))
      if job.isPiped, options.type == nil {
        throw RetrogradeError(
          .outputUnsupported, "Standard output has no name that tells the type; add --type.")
      }
      try options.settings.validate(for: job.target)
      jobs.append(job)
    }
    try checkDistinct(jobs)
    return jobs
  }

  /// Other programs take the input and the output just so.
  private static func checkNames(_ inputs: [String]) throws(RetrogradeError) {
    let exist = inputs.map { FileManager.default.fileExists(atPath: $0) }
    guard exist == [true, false],
      OutputSettings.FileType(extension: URL(fileURLWithPath: inputs[1]).pathExtension) != nil
    else { return }
    throw RetrogradeError(
      .inputUnreadable,
      "\(inputs[1]): there is no such file; did you mean -o \(inputs[1])?")
  }

  private static func checkDistinct(_ jobs: [Job]) throws(RetrogradeError) {
    var writers: [String: Job] = [:]
    let readers = Dictionary(
      jobs.map { (canonical($0.file.url), $0) }, uniquingKeysWith: { first, _ in first })
    for job in jobs where !job.isPiped {
      let target = canonical(job.target)
      if let other = writers.updateValue(job, forKey: target) {
        throw RetrogradeError(
          .outputExists,
          "\(other.input) and \(job.input) would both become \(job.output); "
            + "work on them one after another, with other names.")
      }
      if let reader = readers[target], reader != job {
        throw RetrogradeError(
          .outputIsInput,
          "\(job.input) would become \(job.output), which is an input as well; "
            + "choose another folder.")
      }
    }
  }

  /// Links are followed, as they are where a file is replaced.
  private static func canonical(_ url: URL) -> String { url.resolvingSymlinksInPath().path }
}

/// What `--output` says.
private enum OutputPlace {
  case file(String)
  /// Ends in "/", or is empty for the current one.
  case folder(String)

  init(_ output: String?, for count: Int) throws(RetrogradeError) {
    guard let output else {
      self = .folder("")
      return
    }
    guard !output.isEmpty else {
      throw RetrogradeError(
        .invalidArgument, "The name of the output is empty; name a file, or a folder.")
    }
    if output == Job.pipe {
      guard count == 1 else {
        throw RetrogradeError(
          .invalidArgument, "Standard output takes one file; name a folder for several.")
      }
      self = .file(output)
      return
    }
    var isFolder = false
    let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
    if exists, isFolder {
      self = .folder(output.hasSuffix("/") ? output : output + "/")
    } else if output.hasSuffix("/") {
      throw RetrogradeError(.outputUnwritable, "\(output): there is no such folder; make it first.")
    } else if count > 1 {
      throw RetrogradeError(
        .invalidArgument, "\(output): several files need a folder, and this is none; make it first."
      )
    } else {
      self = .file(output)
    }
  }

  func name(for input: String, _ suffix: String, type: OutputSettings.FileType?) -> String {
    switch self {
    case .file(let name): return name
    case .folder(let folder):
      let url = URL(fileURLWithPath: input)
      let type = type ?? .standard(forInput: url.pathExtension)
      let stem = url.deletingPathExtension().lastPathComponent
      return "\(folder)\(stem)-\(suffix).\(type.rawValue)"
    }
  }
}
