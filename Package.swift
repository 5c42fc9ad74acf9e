// swift-tools-version: 6.3
// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import PackageDescription

let package = Package(
  name: "Retrograde",
  products: [
    .library(name: "TimeDSP", targets: ["TimeDSP"])
  ],
  targets: [
    .systemLibrary(name: "CTimeDSP", path: "Sources/CTimeDSP/include"),
    .target(name: "TimeDSP", dependencies: ["CTimeDSP"]),
    .testTarget(
      name: "TimeDSPTests",
      dependencies: ["TimeDSP", "CTimeDSP"],
      resources: [.copy("Fixtures")]),
  ],
  swiftLanguageModes: [.v6]
)
