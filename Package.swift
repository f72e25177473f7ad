// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in the project's own builds (the Makefile sets it), and not where another program uses the library.
let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

// One straight line: each target uses only what stands above it (LayeringTests keeps it so).
let package = Package(
  name: "memento",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "MementoKit", targets: ["MementoKit"]),
    .library(name: "MementoPattern", targets: ["MementoPattern"]),
    .library(name: "MementoDefaults", targets: ["MementoDefaults"]),
    .executable(name: "memento", targets: ["memento"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // SHA-256, HMAC, HKDF and AES-GCM are the same in all of them.
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    // For `make docs` alone: no target uses it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    // Pure Swift, for any platform.
    .target(name: "MementoTime", swiftSettings: swiftSettings),
    .target(name: "MementoPattern", dependencies: ["MementoTime"], swiftSettings: swiftSettings),
    // What the system says of a file, as data.
    .target(name: "MementoInode", dependencies: ["MementoTime"], swiftSettings: swiftSettings),
    .target(name: "CMementoSystem"),
    .target(
      name: "MementoSystem", dependencies: ["CMementoSystem", "MementoInode", "MementoTime"],
      swiftSettings: swiftSettings),
    // Two hashes at a time, with the instructions that processors have for it.
    .target(name: "CSHA256"),
    // Pure: no system call and no store.
    .target(
      name: "MementoModel",
      dependencies: ["CSHA256", "MementoInode", "MementoTime", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: swiftSettings),
    // The form of tar archives, read and written. Pure: no system call and no store.
    .target(name: "MementoTar", dependencies: ["MementoInode", "MementoTime"], swiftSettings: swiftSettings),
    // What the objects of a remote mean: names that merge, indexes, marks. No system call.
    .target(
      name: "MementoRemote", dependencies: ["MementoObjects", "MementoModel", "MementoTime"],
      swiftSettings: swiftSettings),
    .target(
      name: "MementoStore", dependencies: ["MementoModel", "MementoSystem", "CZlib", "CZstd"],
      swiftSettings: swiftSettings),
    // What remotes are made of: objects in a folder, on another machine, in a bucket.
    .target(
      name: "MementoObjects", dependencies: ["MementoSystem", "MementoTime"], swiftSettings: swiftSettings),
    // The inner loop of scrypt, with vectors.
    .target(name: "CScrypt"),
    // Keys, and objects that are sealed with them. Pure: no system call but for random bytes.
    .target(
      name: "MementoSeal",
      dependencies: [
        "CScrypt", "MementoObjects", "MementoTime", .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "MementoKit",
      dependencies: [
        "MementoStore", "MementoModel", "MementoSystem", "MementoPattern", "MementoObjects", "MementoSeal",
        "MementoRemote", "MementoTar",
      ],
      swiftSettings: swiftSettings),
    // Names, contents and numbers as a terminal shows them. Pure.
    .target(name: "MementoText", dependencies: ["MementoModel"], swiftSettings: swiftSettings),
    // `memento browse`: a terminal with keys and a screen. Only the command knows it.
    .target(
      name: "MementoBrowse", dependencies: ["MementoKit", "MementoSystem", "MementoText"],
      swiftSettings: swiftSettings),
    // Apart, because it needs all of Foundation.
    .target(name: "MementoDefaults", dependencies: ["MementoPattern"], swiftSettings: swiftSettings),
    .target(
      name: "MementoCLI",
      dependencies: [
        "MementoBrowse", "MementoKit", "MementoObjects", "MementoSystem", "MementoText",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings),
    // Apart from CMementoSystem, which other programs link, too: it sets up the process before Swift's runtime starts.
    .target(name: "CStart"),
    .executableTarget(
      name: "memento",
      dependencies: ["MementoCLI", "CStart"],
      swiftSettings: swiftSettings,
      linkerSettings: [
        // A program that needs no toolchain where it runs, and starts in a third of the time.
        .unsafeFlags(
          [
            "-static-executable", "-Xlinker", "-s",
            // What FoundationEssentials (of ArgumentParser and Crypto) needs and does not name itself.
            "-lFoundationEssentials", "-l_FoundationCollections", "-l_FoundationCShims",
            "-lswiftSynchronization",
          ],
          .when(platforms: [.linux], configuration: .release))
      ]),
    .executableTarget(
      name: "memento-bench", dependencies: ["MementoKit", "MementoStore", "MementoSystem"], path: "Benchmarks/Micro",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoCLITests",
      dependencies: ["MementoCLI", "MementoKit", "MementoStore", "MementoSystem", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoBrowseTests",
      dependencies: ["MementoBrowse", "MementoKit", "MementoModel", "MementoSystem", "MementoText", "TestSupport"],
      exclude: ["Golden"], swiftSettings: swiftSettings),
    .testTarget(
      name: "EndToEndTests", dependencies: ["MementoKit", "MementoObjects", "MementoSystem", "TestSupport"],
      swiftSettings: swiftSettings),
    .target(
      name: "TestSupport",
      dependencies: ["CMementoSystem", "MementoSystem", .product(name: "Crypto", package: "swift-crypto")],
      path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "caretaker-process", dependencies: ["MementoKit"], path: "Tests/CaretakerProcess",
      swiftSettings: swiftSettings),
    // What the fuzzer calls, and the tests with what it has found.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "MementoKit", "MementoModel", "MementoObjects", "MementoRemote", "MementoSeal", "MementoStore", "MementoSystem",
        "MementoTar", "MementoTime", "TestSupport",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: swiftSettings),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "MementoSystem", "TestSupport"], path: "Tests/Fuzz/Tests",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoPatternTests", dependencies: ["MementoPattern", "MementoTime", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoSystemTests", dependencies: ["MementoSystem", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoModelTests", dependencies: ["MementoModel", "MementoSystem", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoTarTests", dependencies: ["MementoTar", "MementoTime", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoRemoteTests",
      dependencies: ["MementoRemote", "MementoObjects", "MementoModel", "MementoTime", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoSealTests",
      dependencies: [
        "MementoSeal", "MementoObjects", "MementoTime", .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoStoreTests", dependencies: ["MementoStore", "MementoSystem", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoObjectsTests", dependencies: ["MementoObjects", "MementoSystem", "TestSupport"],
      exclude: ["memory-helper.py"], swiftSettings: swiftSettings),
    .testTarget(
      name: "FormatTests",
      dependencies: [
        "MementoKit", "MementoStore", "MementoSystem", "MementoObjects", "MementoSeal", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      exclude: ["Golden"], swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoDefaultsTests", dependencies: ["MementoDefaults", "MementoPattern"], swiftSettings: swiftSettings),
    .testTarget(
      name: "MementoKitTests",
      dependencies: [
        "MementoKit", "MementoModel", "MementoObjects", "MementoRemote", "MementoSeal", "MementoStore", "MementoSystem",
        "TestSupport",
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)

// The helper of buckets. SwiftPM fetches all packages that a manifest names, used or not, and compiles what is used. So
// `make build` leaves them out, and a program that uses the library can, too.
if Context.environment["MEMENTO_WITHOUT_BUCKETS"] != "1" {
  package.products.append(.executable(name: "memento-remote-s3", targets: ["memento-remote-s3"]))
  package.dependencies += [
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ]
  package.targets += [
    // Buckets as storages, for their helper. Apart, because nothing else needs a network.
    .target(
      name: "MementoS3",
      dependencies: [
        "MementoObjects", "MementoSystem", "MementoTime", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: swiftSettings),
    .target(name: "CHeap"),
    .executableTarget(
      name: "memento-remote-s3", dependencies: ["MementoS3", "CHeap"], swiftSettings: swiftSettings,
      linkerSettings: [
        // The system's C library finds the hosts. All else comes along.
        .unsafeFlags(
          [
            "-static-stdlib", "-Xlinker", "-s",
            // What FoundationEssentials (of async-http-client and Crypto) needs and does not name itself.
            "-lFoundationEssentials", "-l_FoundationCollections", "-l_FoundationCShims",
            "-lswiftSynchronization",
          ],
          .when(platforms: [.linux], configuration: .release))
      ]),
    .testTarget(
      name: "MementoS3Tests",
      dependencies: [
        "MementoS3", "MementoObjects", "MementoSystem", "MementoTime", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      exclude: ["Engine"], swiftSettings: swiftSettings),
  ]
}

// `make fuzz` builds the fuzzer with instrumented decoders. Without them it could not be linked.
if Context.environment["MEMENTO_FUZZ"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "memento-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Fuzzer", swiftSettings: swiftSettings))
}
