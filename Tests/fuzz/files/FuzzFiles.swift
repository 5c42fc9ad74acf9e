// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// libFuzzer calls this with bytes of its own making: see fuzz.sh.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  let cost = readByEveryParser(bytes)
  // Every parser goes through the file a few times at most, a block at a time.
  precondition(cost.bytes <= 64 * (count + ByteReader.blockBytes), "too much is read")
  return 0
}
