// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Throws if the last frame is incomplete.
func frameCount(ofSamples samples: Int, _ channels: Int) throws(RetrogradeError) -> Int {
  try require(samples.isMultiple(of: channels), else: .badLength)
  return samples / channels
}

extension Array where Element: AudioSample {
  init(framesOfRoom frames: Int, _ channels: Int) throws(RetrogradeError) {
    let (samples, isTooLong) = frames.multipliedReportingOverflow(by: channels)
    try require(!isTooLong, else: .badLength)
    self.init(unsafeUninitializedCapacity: samples) { memory, count in
      UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: 0)
      count = samples
    }
  }
}
