// swift-tools-version: 6.2
import PackageDescription

// Programs that use the library as any other package would.
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "memento", path: "..")
  ],
  targets: ["AlbumShelf", "DrawingBoard", "FolderGuard"].map {
    .executableTarget(name: $0, dependencies: [.product(name: "MementoKit", package: "memento")])
  },
  swiftLanguageModes: [.v6]
)
