// swift-tools-version: 6.3
// Retrograde: a program of its own that uses the library
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import PackageDescription

let package = Package(
  name: "backwards",
  dependencies: [.package(name: "Retrograde", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "backwards", dependencies: [.product(name: "Retrograde", package: "Retrograde")]),
    .executableTarget(
      name: "echo", dependencies: [.product(name: "Retrograde", package: "Retrograde")]),
    .executableTarget(
      name: "tremolo", dependencies: [.product(name: "Retrograde", package: "Retrograde")]),
  ]
)
