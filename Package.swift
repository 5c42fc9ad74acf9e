// swift-tools-version: 6.2
// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import PackageDescription

// for `make check`, whose tests compute much; no package can depend on one with such flags. With
// threads, there is an object for each source, as the index of a debug build has it.
let core: [SwiftSetting] =
  Context.environment["RETROGRADE_FAST_CORE"] == nil
  ? [] : [.unsafeFlags(["-O", "-wmo", "-num-threads", "2"], .when(configuration: .debug))]

let package = Package(
  name: "Retrograde",
  // of Apple's systems, where TimeDSP alone is of use
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "Retrograde", targets: ["Retrograde"]),
    .library(name: "TimeDSP", targets: ["TimeDSP"]),
    .executable(name: "retrograde", targets: ["RetrogradeTool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CTimeDSP", path: "Sources/CTimeDSP/include"),
    // what the plugin is made of, too: its C interface is all that can be seen of it
    .target(
      name: "TimeDSPCore", dependencies: ["CTimeDSP"], path: "Sources/TimeDSP",
      exclude: ["API"], swiftSettings: core,
      // sqrt, floor and the like, for programs that link TimeDSP alone
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(
      name: "TimeDSP", dependencies: ["CTimeDSP", "TimeDSPCore"], path: "Sources/TimeDSP/API"),
    .systemLibrary(
      name: "CGLib", pkgConfig: "gobject-2.0",
      providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
    .target(name: "CGStreamer", dependencies: ["CGLib"]),
    .target(name: "Retrograde", dependencies: ["CGStreamer"]),
    .executableTarget(
      name: "RetrogradeTool",
      dependencies: [
        "Retrograde",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "TimeDSPTests",
      dependencies: ["TimeDSP", "TimeDSPCore", "CTimeDSP"],
      resources: [.copy("Fixtures")]),
    .testTarget(name: "RetrogradeTests", dependencies: ["Retrograde"]),
    .testTarget(name: "RetrogradeToolTests", dependencies: ["RetrogradeTool"]),
  ],
  swiftLanguageModes: [.v6]
)
