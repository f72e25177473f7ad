// A name that was one kind of file becomes another kind.

import TestSupport
import Testing

@testable import MementoKit

struct TypeChangeTests {
  enum Kind: String, CaseIterable, Sendable {
    case nothing, file, otherFile, large, emptyFolder, folder, deepFolder, link, linkToFolder, fifo

    func make(_ name: String, in folder: FolderTools, _ outside: FolderTools) throws {
      switch self {
      case .nothing: break
      case .file: try folder.write(name.bytes, "file".bytes)
      case .otherFile: try folder.write(name.bytes, "another file".bytes, mode: 0o755)
      case .large: try folder.write(name.bytes, Content.random(100_000, seed: 1))
      case .emptyFolder: try folder.makeFolder(name.bytes, mode: 0o700)
      case .folder:
        try folder.makeFolder(name.bytes)
        for inner in ["file", "x", "inner"] { try folder.write("\(name)/\(inner)".bytes, inner.bytes) }
      case .deepFolder:
        try folder.makeFolder(name.bytes)
        try folder.makeFolder("\(name)/file".bytes)
        try folder.makeFolder("\(name)/file/deeper".bytes)
        try folder.write("\(name)/file/deeper/end".bytes, "end".bytes)
        try folder.makeLink("\(name)/x".bytes, to: "file".bytes)
        try folder.setTime("\(name)/file".bytes, 77)
      case .link: try folder.makeLink(name.bytes, to: "nowhere".bytes)
      case .linkToFolder: try folder.makeLink(name.bytes, to: outside.path)
      case .fifo: try folder.makeFifo(name.bytes)
      }
    }
  }

  @Test(arguments: Kind.allCases, Kind.allCases)
  func becomesTheOther(_ first: Kind, _ second: Kind) throws {
    let shop = try RepositoryFixture()
    // The folder outside has the same names, so that the test notices a followed link.
    for name in ["file", "x", "inner"] { try shop.outside.write(name.bytes, "outside".bytes) }
    let canary = try Manifest(shop.outside)
    try shop.folder.makeFolder("folder".bytes)
    for name in ["name", "folder/name"] { try first.make(name, in: shop.folder, shop.outside) }
    try shop.save("first")
    let before = try shop.state
    for name in ["name", "folder/name"] {
      if first != .nothing { try shop.folder.remove(name.bytes) }
      try second.make(name, in: shop.folder, shop.outside)
    }
    let after = try shop.state
    // The second kind is not saved, so the guard must have it.
    let restored = try shop.restore("first")
    #expect(restored.problems == [])
    #expect((restored.guard == nil) == after.differences(from: before).isEmpty)
    #expect(try shop.state.differences(from: before) == [])
    if restored.guard != nil {
      let back = try shop.restore("@~1")
      #expect(back.problems == [])
      #expect(try shop.state.differences(from: after) == [])
    }
    // Restores one of the two names; the other stays.
    try shop.restore("first") { $0.paths = [BytePath("folder")] }
    #expect(try Manifest(shop.folder.folder("folder")).differences(from: shop.extracted("first")) == [])
    #expect(try Manifest(shop.outside).differences(from: canary) == [])
  }
}

extension RepositoryFixture {
  /// The folder "folder" of a snapshot.
  fileprivate func extracted(_ revision: String) throws -> Manifest {
    try Manifest(extract(Revision(revision), to: "extracted").0.folder("folder"))
  }
}
