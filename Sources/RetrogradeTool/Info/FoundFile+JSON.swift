// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension FoundFile {
  var json: String {
    switch information {
    case .success(let information):
      JSONReport.text(Known(input.description, information, peaks, fault))
    case .failure(let error): JSONReport.text(Unknown(input.description, error))
    }
  }
}

private struct Known: Encodable {
  var input: String
  var duration: Double?
  var rate: Int
  var channels: Int
  var layout: [String]
  var sampleFormat: String
  var lossy: Bool
  var container: String?
  var codec: String
  var bitRate: Int?
  var extras: [String]
  var tags: [String: String]
  var peaks: [Float]?
  var code: RetrogradeError.Code?
  var message: String?

  init(_ input: String, _ known: AudioInformation, _ peaks: [Float]?, _ fault: RetrogradeError?) {
    self.input = input
    duration = known.duration?.inSeconds
    (rate, channels, layout) = (known.rate, known.channels, known.layout)
    (sampleFormat, lossy) = (known.sampleFormat, known.isLossy)
    (container, codec, bitRate) = (known.container, known.codec, known.bitRate)
    (code, message) = (fault?.code, fault?.message)
    (extras, tags, self.peaks) = (known.extras, known.tags.values, peaks)
  }
}

private struct Unknown: Encodable {
  var input: String
  var code: RetrogradeError.Code
  var message: String

  init(_ input: String, _ error: RetrogradeError) {
    (self.input, code, message) = (input, error.code, error.message)
  }
}
