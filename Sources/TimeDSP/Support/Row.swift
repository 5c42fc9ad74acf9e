// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// An array that belongs to someone else, usually an `Arena`. Copies share its elements. Debug builds
/// check that an index is in the array, but release builds don't.
struct Row<Element: BitwiseCopyable>: BitwiseCopyable {
  private let base: UnsafeMutablePointer<Element>
  /// The count, and in the upper bits the lead. Types with many rows compile faster if a row has
  /// few properties.
  private let extent: UInt64

  /// `base` is the address of element 0. There are `lead` elements before it.
  init(_ base: UnsafeMutablePointer<Element>, _ count: Int, lead: Int = 0) {
    self.base = base
    extent = UInt64(truncatingIfNeeded: lead) &<< 48 | UInt64(truncatingIfNeeded: count)
  }

  var count: Int { Int(truncatingIfNeeded: extent & 0xffff_ffff) }
  private var lead: Int { Int(truncatingIfNeeded: extent &>> 48) }

  /// The address of `width` elements.
  @inline(__always)
  func address(_ index: Int, _ width: Int = 1) -> UnsafeMutablePointer<Element> {
    assert(index &+ lead >= 0 && index &+ width <= count)
    return base + index
  }

  subscript(index: Int) -> Element {
    @inline(__always) get { address(index).pointee }
    @inline(__always) nonmutating set { address(index).pointee = newValue }
  }

  /// Sets the elements `start` ..< `end`, by default all of them.
  func fill(_ value: Element, from start: Int = 0, to end: Int? = nil) {
    for index in upTo(end ?? count, from: start) {
      self[index] = value
    }
  }

  /// Copies the first `count` elements of `other`.
  func copy(_ other: Row, _ count: Int) {
    timedsp_copy(address(0, count), other.address(0, count), count &* MemoryLayout<Element>.stride)
  }

  /// Moves `count` elements, which may overlap the target.
  func move(from source: Int, to target: Int, _ count: Int) {
    timedsp_copy(
      address(target, count), address(source, count), count &* MemoryLayout<Element>.stride)
  }
}

// Vectors needn't be aligned.
extension Row where Element: SIMDScalar {
  subscript(four index: Int) -> SIMD4<Element> {
    @inline(__always) get { UnsafeRawPointer(address(index, 4)).loadUnaligned(as: SIMD4.self) }
    @inline(__always) nonmutating set {
      UnsafeMutableRawPointer(address(index, 4)).storeBytes(of: newValue, as: SIMD4.self)
    }
  }

  subscript(eight index: Int) -> SIMD8<Element> {
    @inline(__always) get { UnsafeRawPointer(address(index, 8)).loadUnaligned(as: SIMD8.self) }
    @inline(__always) nonmutating set {
      UnsafeMutableRawPointer(address(index, 8)).storeBytes(of: newValue, as: SIMD8.self)
    }
  }

  subscript(sixteen index: Int) -> SIMD16<Element> {
    @inline(__always) get { UnsafeRawPointer(address(index, 16)).loadUnaligned(as: SIMD16.self) }
    @inline(__always) nonmutating set {
      UnsafeMutableRawPointer(address(index, 16)).storeBytes(of: newValue, as: SIMD16.self)
    }
  }
}

/// Memory that's freed when this value is destroyed.
///
/// Swift's own allocation traps if it runs out of memory, but this throws. Each row is an allocation
/// of its own, so AddressSanitizer catches out-of-bounds accesses.
struct Arena: ~Copyable {
  /// Each block begins with the address of the one before.
  private var newest: UnsafeMutableRawPointer?
  private(set) var bytes = 0

  /// At the start of a block, so that what follows starts on a cache line.
  private static let headBytes = 64

  deinit {
    var next = newest
    while let block = next {
      next = block.loadUnaligned(as: UnsafeMutableRawPointer?.self)
      timedsp_deallocate(block)
    }
  }

  /// Uninitialized, and starts on a cache line.
  mutating func allocate(bytes: Int) throws(TimeDSPStatus) -> UnsafeMutableRawPointer {
    guard let block = timedsp_allocate(Self.headBytes &+ bytes) else { throw TIMEDSP_NO_MEMORY }
    block.storeBytes(of: newest, as: UnsafeMutableRawPointer?.self)
    newest = block
    self.bytes &+= Self.headBytes &+ bytes
    return block + Self.headBytes
  }

  /// A row of zeros, with `lead` more of them before element 0.
  mutating func row<Element>(_ count: Int, lead: Int = 0) throws(TimeDSPStatus) -> Row<Element> {
    let bytes = (lead &+ count) &* MemoryLayout<Element>.stride
    let memory = try allocate(bytes: bytes)
    timedsp_clear(memory, bytes)
    let first = memory.bindMemory(to: Element.self, capacity: lead &+ count)
    return Row(first + lead, count, lead: lead)
  }
}
