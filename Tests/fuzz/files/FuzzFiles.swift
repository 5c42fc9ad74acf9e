// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// libFuzzer calls this function with bytes that it has generated: see fuzz.sh.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  let cost = readByEveryParser(bytes)
  // every parser may read the file only a few times, a block at a time
  precondition(cost.bytes <= 64 * (count + ByteReader.blockBytes), "too much is read")
  return 0
}
