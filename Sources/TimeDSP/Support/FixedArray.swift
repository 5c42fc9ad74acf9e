// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// An array of at most `capacity` elements. We allocate its memory once, so adding and removing
/// elements is real-time.
///
/// It never traps on an index. If an element doesn't exist, you read `nil`, and writing does
/// nothing. Adding to a full array does nothing either.
@safe
struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
  let capacity: Int
  private(set) var count = 0
  private let base: UnsafeMutablePointer<Element>

  init(capacity: Int) throws(TimeDSPStatus) {
    let bytes = max(capacity, 1) &* MemoryLayout<Element>.stride
    guard let memory = unsafe timedsp_allocate(bytes) else { throw TIMEDSP_NO_MEMORY }
    unsafe base = memory.bindMemory(to: Element.self, capacity: max(capacity, 1))
    self.capacity = capacity
  }

  deinit { unsafe timedsp_deallocate(base) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= capacity }
  var first: Element? { self[0] }
  var last: Element? { self[count &- 1] }

  subscript(index: Int) -> Element? {
    @inline(__always) get {
      index >= 0 && index < count ? unsafe base[index] : nil
    }
    @inline(__always) set {
      guard index >= 0, index < count, let newValue else { return }
      unsafe base[index] = newValue
    }
  }

  mutating func append(_ element: Element) { insert(element, at: count) }

  /// Inserts before the element at `index`, which must be in `0 ... count`.
  mutating func insert(_ element: Element, at index: Int) {
    guard index >= 0, index <= count, count < capacity else { return }
    var free = count
    while free > index {
      unsafe base[free] = base[free &- 1]
      free &-= 1
    }
    unsafe (base + index).initialize(to: element)
    count &+= 1
  }

  mutating func removeFirst(_ number: Int = 1) {
    let removed = min(max(number, 0), count)
    count &-= removed
    for index in upTo(count) {
      unsafe base[index] = base[index &+ removed]
    }
  }

  mutating func removeLast() { count = max(count &- 1, 0) }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  func firstIndex(where matches: (Element) -> Bool) -> Int? {
    for index in upTo(count) {
      if matches(unsafe base[index]) { return index }
    }
    return nil
  }

  @inline(__always)
  func first(where matches: (Element) -> Bool) -> Element? {
    guard let index = firstIndex(where: matches) else { return nil }
    return self[index]
  }
}
