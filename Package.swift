// swift-tools-version: 6.2
// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import PackageDescription

// For `make check`, whose tests compute a lot; another package cannot depend on a package with such
// flags. The number of threads makes the compiler write one object per source, as the index of a
// debug build expects. Bounds of rows are checked, as in a build that isn't optimised.
let fast = ["-O", "-wmo", "-num-threads", "2", "-assert-config", "Debug"]
let core: [SwiftSetting] =
  Context.environment["RETROGRADE_FAST_CORE"] == nil
  ? [] : [.unsafeFlags(fast, .when(configuration: .debug))]

// The archive of the sources has the dependency in it, so that it builds without a network.
let vendored = "Vendor/swift-argument-parser"
let argumentParser: Package.Dependency =
  FileManager.default.fileExists(atPath: Context.packageDirectory + "/" + vendored)
  ? .package(path: vendored)
  : .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")

let package = Package(
  name: "Retrograde",
  // TimeDSP alone; Retrograde needs Linux
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "Retrograde", targets: ["Retrograde"]),
    .library(name: "TimeDSP", targets: ["TimeDSP"]),
    .executable(name: "retrograde", targets: ["RetrogradeTool"]),
  ],
  // Without the tool, a package that depends on this one by its path builds without a network.
  traits: ["Tool", .default(enabledTraits: ["Tool"])],
  dependencies: [argumentParser],
  targets: [
    .systemLibrary(name: "CTimeDSP", path: "Sources/CTimeDSP/include"),
    // the code of the plugin; only its C interface is public
    .target(
      name: "TimeDSPCore", dependencies: ["CTimeDSP"], path: "Sources/TimeDSP",
      exclude: ["API"], swiftSettings: core,
      // sqrt, floor and the like, for programs that link only TimeDSP
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    // the words that TimeDSP and Retrograde share, and re-export
    .target(name: "AudioModel"),
    .target(
      name: "TimeDSP", dependencies: ["AudioModel", "CTimeDSP", "TimeDSPCore"],
      path: "Sources/TimeDSP/API"),
    .systemLibrary(
      name: "CGLib", pkgConfig: "gobject-2.0",
      providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
    .target(name: "CGStreamer", dependencies: ["CGLib"]),
    .target(
      name: "Retrograde", dependencies: ["AudioModel", "CGStreamer"], swiftSettings: core),
    .executableTarget(
      name: "RetrogradeTool",
      dependencies: [
        "Retrograde",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Tool"])),
      ]),
    .testTarget(
      name: "TimeDSPTests",
      dependencies: ["TimeDSP", "TimeDSPCore", "CTimeDSP"],
      resources: [.copy("Fixtures")], swiftSettings: core),
    .testTarget(
      name: "RetrogradeTests", dependencies: ["Retrograde"], swiftSettings: core),
    .testTarget(name: "RetrogradeToolTests", dependencies: ["RetrogradeTool"]),
  ],
  swiftLanguageModes: [.v6]
)
