import MementoSystem
import TestSupport
import Testing

struct TreeRemovalTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func removesDeepTrees() throws {
    try folder.descriptor.makeDirectory("deep".bytes)
    var current = try folder.descriptor.open("deep".bytes, .directory)
    for level in 0..<1500 {
      try current.makeDirectory("d".bytes)
      if level % 100 == 0 { _ = try current.open("file".bytes, .create) }
      current = try current.open("d".bytes, .directory)
    }
    try folder.write("beside", "x".bytes)
    try folder.descriptor.removeTree("deep".bytes)
    #expect(try folder.names() == ["beside"])
  }

  @Test func removesWideTrees() throws {
    try folder.descriptor.makeDirectory("wide".bytes)
    for index in 0..<300 {
      try folder.write("wide/file\(index)", [])
      try folder.descriptor.makeDirectory("wide/folder\(index)".bytes)
      try folder.write("wide/folder\(index)/\u{1b}[1m\n", [])
      try folder.descriptor.makeNode(
        "wide/folder\(index)/fifo".bytes, kind: .fifo, permissions: 0, major: 0, minor: 0)
    }
    try folder.descriptor.removeTree("wide".bytes)
    #expect(try folder.names().isEmpty)
  }

  @Test func removesWhatItsOwnerMayNotEnter() throws {
    try folder.descriptor.makeDirectory("tree".bytes)
    for (name, mode) in [("none", 0o000), ("read", 0o400), ("enter", 0o100), ("both", 0o500)] {
      try folder.descriptor.makeDirectory("tree/\(name)".bytes)
      try folder.descriptor.makeDirectory("tree/\(name)/inner".bytes)
      try folder.write("tree/\(name)/inner/file", "x".bytes)
      try folder.descriptor.setPermissions(of: "tree/\(name)/inner/file".bytes, 0)
      try folder.descriptor.setPermissions(of: "tree/\(name)/inner".bytes, UInt32(mode))
      try folder.descriptor.setPermissions(of: "tree/\(name)".bytes, UInt32(mode))
    }
    try folder.descriptor.setPermissions(of: "tree".bytes, 0)
    try folder.descriptor.removeTree("tree".bytes)
    #expect(try folder.names().isEmpty)
  }

  @Test func whatLinksPointToStays() throws {
    let outside = try TemporaryDirectory()
    try outside.descriptor.makeDirectory("folder".bytes, permissions: 0o750)
    try outside.write("folder/file", "kept".bytes)
    try folder.descriptor.makeDirectory("tree".bytes)
    try folder.descriptor.makeSymbolicLink("tree/folder".bytes, target: "\(outside.path)/folder".bytes)
    try folder.descriptor.makeSymbolicLink("tree/file".bytes, target: "\(outside.path)/folder/file".bytes)
    try folder.descriptor.makeSymbolicLink("tree/up".bytes, target: "..".bytes)
    try folder.descriptor.makeSymbolicLink("tree/self".bytes, target: ".".bytes)
    try outside.descriptor.link("folder/file".bytes, to: "tree/hard".bytes, in: folder.descriptor)
    try folder.write("beside", "x".bytes)
    try folder.descriptor.removeTree("tree".bytes)
    #expect(try folder.names() == ["beside"])
    #expect(try outside.read("folder/file") == "kept".bytes)
    #expect(try outside.status("folder").permissions == 0o750)
  }

  @Test func doesNotFollowTheNameItself() throws {
    let outside = try TemporaryDirectory()
    try outside.write("file", "kept".bytes)
    try folder.descriptor.makeSymbolicLink("link".bytes, target: outside.path.bytes)
    #expect(throws: Errno.self) { try folder.descriptor.removeTree("link".bytes) }
    #expect(try outside.read("file") == "kept".bytes)
    #expect(throws: Errno.notFound) { try folder.descriptor.removeTree("none".bytes) }
  }

  @Test func aTemporaryDirectoryRemovesItself() throws {
    var temporary: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(temporary?.path)
    try temporary?.descriptor.makeDirectory("a".bytes)
    try temporary?.write("a/file", [])
    try temporary?.descriptor.setPermissions(of: "a".bytes, 0o500)
    temporary = nil
    #expect(throws: Errno.notFound) { _ = try Descriptor.open(path.bytes, .directory) }
  }
}
