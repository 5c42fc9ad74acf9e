// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension FoundFile {
  var json: String {
    var description = Description(input: input.description, peaks: peaks)
    (description.code, description.message) = (fault?.code, fault?.message)
    if let known = try? information.get() { description.add(known) }
    return JSONReport.text(description)
  }
}

private struct Description: Encodable {
  var input: String
  var duration: Double?
  var rate, channels: Int?
  var layout: [String]?
  var sampleFormat: String?
  var lossy: Bool?
  var container, codec: String?
  var bitRate: Int?
  var extras: [String]?
  var tags: [String: String]?
  var peaks: [Float]?
  var code: RetrogradeError.Code?
  var message: String?

  mutating func add(_ known: AudioInformation) {
    duration = known.duration?.inSeconds
    (rate, channels, layout) = (known.rate, known.channels, known.layout)
    (sampleFormat, lossy) = (known.sampleFormat, known.isLossy)
    (container, codec, bitRate) = (known.container, known.codec, known.bitRate)
    (extras, tags) = (known.extras, known.tags.values)
  }
}
