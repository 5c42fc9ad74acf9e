// swift-tools-version: 6.3
// Retrograde: a program of its own that uses the signal processing alone
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import PackageDescription

let package = Package(
  name: "timedsp-wav",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "Retrograde", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "timedsp-wav", dependencies: [.product(name: "TimeDSP", package: "Retrograde")])
  ]
)
